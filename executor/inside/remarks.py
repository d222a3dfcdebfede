"""Find code that does not do what it looks like, by its text alone.

The syntax tree is read and nothing is run. So a remark says only what Python's and PyTorch's rules
decide whatever the values are: that a method without parentheses is not called, that a plain list
of layers is not registered. Each rule is one function, from the tree to remarks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from executor.protocol import Remark

_MOST = 8  # remarks of a report
_LINE = 160  # characters of a quoted line
_Found = Iterator[tuple[str, ast.AST, str]]  # kind, the node it is about, message

_LAYERS = frozenset(
    [
        "Linear",
        "Bilinear",
        "LazyLinear",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose1d",
        "ConvTranspose2d",
        "ConvTranspose3d",
        "RNN",
        "LSTM",
        "GRU",
        "RNNCell",
        "LSTMCell",
        "GRUCell",
        "Embedding",
        "EmbeddingBag",
        "BatchNorm1d",
        "BatchNorm2d",
        "BatchNorm3d",
        "LayerNorm",
        "GroupNorm",
        "MultiheadAttention",
        "TransformerEncoder",
        "TransformerEncoderLayer",
        "PReLU",
        "Parameter",
    ]
)
_STATELESS = frozenset(
    [
        "LogSoftmax",
        "Softmax",
        "ReLU",
        "LeakyReLU",
        "ELU",
        "GELU",
        "SiLU",
        "Sigmoid",
        "Tanh",
        "Softplus",
        "Flatten",
    ]
)
_MAKERS = frozenset(
    [
        "randn",
        "zeros",
        "ones",
        "rand",
        "tensor",
        "arange",
        "eye",
        "full",
        "linspace",
        "empty",
        "normal",
        "FloatTensor",
        "LongTensor",
        "from_numpy",
        "Tensor",
    ]
)
_METHODS = frozenset(
    ["modules", "children", "parameters", "buffers", "named_modules", "apply", "float", "half"]
)
_UNCALLED = frozenset(
    ["eval", "train", "zero_grad", "step", "backward", "cuda", "cpu", "close", "flush"]
)
_FEW_CLASSES = 20  # outputs of a last layer that are most likely scores of classes


def remarks(tree: ast.Module, code: str) -> tuple[Remark, ...]:
    """What is to be said of the snippet, what matters most first, once for each line and kind."""
    lines = code.split("\n")
    found: dict[tuple[str, int], Remark] = {}
    for rule in _RULES:
        for kind, node, message in rule(tree):
            number = getattr(node, "lineno", 0)
            written = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            found.setdefault(
                (kind, number),
                Remark(kind=kind, line=number, code=written[:_LINE], message=message),
            )
    return tuple(found.values())[:_MOST]


def _uncalled(tree: ast.Module) -> _Found:
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Attribute(attr=name) as method) if name in _UNCALLED:
                yield (
                    "uncalled",
                    node,
                    f"`{_name(method)}` is not called: without its parentheses it does nothing; "
                    f"write `{_name(method)}()`",
                )


def _unregistered(tree: ast.Module) -> _Found:
    has_classes = any(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
    scopes = _modules(tree) if has_classes else [tree]  # a few lines out of an `__init__`
    for module in scopes:
        for node in ast.walk(module):
            match node:
                case ast.Assign(targets=[ast.Attribute() as target], value=value):
                    if (kind := _container(value)) and _is_own(target):
                        yield _plain(node, target, kind)
                case ast.Call(
                    func=ast.Attribute(value=ast.Attribute() as target, attr="append"),
                    args=[value],
                ) if _is_own(target) and _is_layer(value) and _made_plain(module, target):
                    yield _plain(node, target, "list")
                case ast.Assign(
                    targets=[ast.Subscript(value=ast.Attribute() as target)], value=value
                ) if (
                    _is_own(target)
                    and (_is_layer(value) or _container(value))
                    and _made_plain(module, target)
                ):
                    yield _plain(node, target, "dict")


def _plain(node: ast.AST, target: ast.Attribute, kind: str) -> tuple[str, ast.AST, str]:
    better = (
        "nn.ModuleList"
        if kind == "list"
        else "nn.ModuleDict` (its keys are texts) or `nn.ParameterDict"
    )
    return (
        "unregistered",
        node,
        f"`{_name(target)}` is a plain {kind}: the model does not see the layers or parameters in "
        "it, so `parameters()` leaves them out (they are not trained), `.to()` does not move them "
        f"and `state_dict()` does not save them; use `{better}`",
    )


def _container(value: ast.expr) -> str:
    """`list` or `dict` where a plain one is made of layers; empty otherwise."""
    match value:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if any(_is_layer(p) for p in parts):
            return "list"
        case ast.ListComp(elt=element) if _is_layer(element) or _is_made(element):
            return "list"
        case ast.Dict(values=parts) if any(_is_layer(p) or _container(p) for p in parts):
            return "dict"
        case ast.DictComp(value=element) if _is_layer(element) or _container(element):
            return "dict"
    return ""


def _made_plain(module: ast.AST, target: ast.Attribute) -> bool:
    """Whether the class itself makes the attribute an empty list or dictionary."""
    return any(
        isinstance(node, ast.Assign)
        and _name(node.targets[0]) == _name(target)
        and isinstance(node.value, (ast.List, ast.Dict))
        for node in ast.walk(module)
    )


def _new_leaf(tree: ast.Module) -> _Found:
    for node in ast.walk(tree):
        match node:
            case ast.Call(args=[value, *_], keywords=keywords) if (
                _called(node) == "Variable"
                and "loss" in _name(value).lower()
                and any(k.arg == "requires_grad" and _is_true(k.value) for k in keywords)
            ):
                yield "new_leaf", node, _CUT.format(name=_name(value))
            case ast.Call(func=ast.Attribute(value=value, attr="requires_grad_")) if (
                "loss" in _name(value).lower()
            ):
                yield "new_leaf", node, _CUT.format(name=_name(value))
            case ast.Assign(
                targets=[ast.Attribute(value=value, attr="requires_grad")], value=new
            ) if "loss" in _name(value).lower() and _is_true(new):
                yield "new_leaf", node, _CUT.format(name=_name(value))


_CUT = (
    "this makes `{name}` a tensor without a history that asks for a gradient: backward() then "
    "raises nothing and reaches no parameter, so nothing is trained; leave it out, and compute the "
    "loss with torch's functions from the model's output"
)


def _made_in_forward(tree: ast.Module) -> _Found:
    for forward in _methods(tree, "forward"):
        for node in ast.walk(forward):
            if isinstance(node, ast.Call) and _is_layer(node) and _called(node) != "Parameter":
                yield (
                    "made_in_forward",
                    node,
                    f"`{_name(node.func)}` is made anew, with new random weights, at every call of "
                    "forward: they are in no optimizer and are never trained; make the layer in "
                    "`__init__` (`self.layer = …`) and call it here",
                )


def _not_a_buffer(tree: ast.Module) -> _Found:
    for init in _methods(tree, "__init__"):
        for node in ast.walk(init):
            match node:
                case ast.Assign(targets=[ast.Attribute() as target], value=ast.Call() as value) if (
                    _is_own(target) and _called(value) in _MAKERS and _is_torch(value)
                ):
                    yield (
                        "not_a_buffer",
                        node,
                        f"`{_name(target)}` is a plain tensor: `model.to(device)` does not move it "
                        "(DataParallel makes no copy of it for its GPUs either), and state_dict() "
                        f"does not save it; `self.register_buffer('{target.attr}', …)` does both "
                        "(`nn.Parameter` if it is to be trained)",
                    )


def _returns_nothing(tree: ast.Module) -> _Found:
    for name in ("train", "eval"):
        for method in _methods(tree, name):
            if not any(isinstance(n, ast.Return) and n.value for n in ast.walk(method)):
                yield (
                    "returns_nothing",
                    method,
                    f"this `{name}` returns nothing, where nn.Module's returns the model: after "
                    f"`model = model.{name}()` it is None; end with `return self`",
                )


def _lost_by_loading(tree: ast.Module) -> _Found:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=[target],
                value=ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict")),
            ) if _name(target) == _name(owner) != "":
                yield (
                    "lost_by_loading",
                    node,
                    f"load_state_dict changes `{_name(owner)}` and returns something else (a "
                    "report, or None): after this line the name holds no model or optimizer any "
                    "more; do not assign it",
                )


def _layer_not_called(tree: ast.Module) -> _Found:
    for module in _modules(tree):
        layers = {
            _name(n.targets[0])
            for n in ast.walk(module)
            if isinstance(n, ast.Assign) and _is_layer(n.value)
        }
        for forward in _methods(module, "forward"):
            for node in ast.walk(forward):
                match node:
                    case ast.Assign(targets=[ast.Name()], value=ast.Attribute() as value) if (
                        _name(value) in layers
                    ):
                        yield (
                            "layer_not_called",
                            node,
                            f"this takes the layer `{_name(value)}` itself instead of calling it: "
                            f"`{_name(value)}(x)`",
                        )


def _only_made(tree: ast.Module) -> _Found:
    for forward in _methods(tree, "forward"):
        for node in ast.walk(forward):
            match node:
                case ast.Call(args=[ast.Name() | ast.Call() as given, *_]) if _called(
                    node
                ) in _STATELESS and _name(node.func).startswith(("nn.", "torch.nn")):
                    yield (
                        "only_made",
                        node,
                        f"`{_name(node.func)}(…)` only makes the layer and takes "
                        f"`{_name(given) or 'the tensor'}` for a setting of it; call what it made: "
                        f"`{_name(node.func)}()(x)` (with `dim=1` for a softmax), or use F",
                    )
    for node in ast.walk(tree):
        match node:
            case ast.Call(args=[_, ast.Name() | ast.Call() | ast.Attribute(), *_]) if _called(
                node
            ) in ("CrossEntropyLoss", "MSELoss", "BCELoss", "BCEWithLogitsLoss"):
                yield (
                    "only_made",
                    node,
                    f"`{_name(node.func)}(a, b)` only makes the loss and takes the tensors for its "
                    f"settings; call what it made: `{_name(node.func)}()(output, target)`",
                )


def _always_drops(tree: ast.Module) -> _Found:
    for forward in _methods(tree, "forward"):
        for node in ast.walk(forward):
            if (
                isinstance(node, ast.Call)
                and _name(node.func) in ("F.dropout", "nn.functional.dropout")
                and len(node.args) < 3
                and not any(k.arg in ("training", None) for k in node.keywords)
            ):
                yield (
                    "always_drops",
                    node,
                    "F.dropout drops values after `model.eval()` too, unless it is told: "
                    "`training=self.training`",
                )


def _zeroed_outside(tree: ast.Module) -> _Found:
    """Steps in an inner loop whose gradients are set to zero only in an outer one."""
    for outer in ast.walk(tree):
        if not isinstance(outer, (ast.For, ast.While)):
            continue
        zeroed = _calls(outer, "zero_grad")
        inner = [n for n in ast.walk(outer) if isinstance(n, (ast.For, ast.While))][1:]
        for loop in inner if zeroed else ():
            steps = _calls(loop, "step") and _calls(loop, "backward")
            if steps and not _calls(loop, "zero_grad"):
                yield (
                    "zeroed_outside",
                    zeroed[0],
                    "zero_grad() stands outside of the loop in which backward() and step() run: "
                    "the gradients of all its rounds are added up; move it into that loop",
                )


def _all_but_one(tree: ast.Module) -> _Found:
    for node in ast.walk(tree):
        match node:
            case ast.If(test=ast.BinOp(op=ast.Mod(), right=right)) if _calls(node, "step"):
                n = ast.unparse(right) if isinstance(right, (ast.Name, ast.Constant)) else "n"
                yield (
                    "all_but_one",
                    node,
                    f"this is true in every round but each {n}-th one, where the remainder is 0; "
                    "for every n-th round write `== 0`",
                )


def _method_hidden(tree: ast.Module) -> _Found:
    for init in _methods(tree, "__init__"):
        for node in ast.walk(init):
            match node:
                case ast.Assign(targets=[ast.Attribute(attr=name) as target]) if (
                    _is_own(target) and name in _METHODS
                ):
                    yield (
                        "method_hidden",
                        node,
                        f"`{name}` is a method of nn.Module: `self.{name}` is that method (a "
                        "registered layer is not found under this name), so choose another name, "
                        "such as `self.layers`",
                    )


def _late_binding(tree: ast.Module) -> _Found:
    for node in ast.walk(tree):
        if not isinstance(node, (ast.ListComp, ast.DictComp)):
            continue
        bound = {
            n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
        }
        element = node.elt if isinstance(node, ast.ListComp) else node.value
        for inner in ast.walk(element):
            if not isinstance(inner, ast.Lambda):
                continue
            own = {a.arg for a in (*inner.args.args, *inner.args.kwonlyargs)}
            read = {n.id for n in ast.walk(inner.body) if isinstance(n, ast.Name)}
            for name in sorted(read & bound - own):
                yield (
                    "late_binding",
                    inner,
                    f"every lambda made here reads `{name}` when it is called, and then it has its "
                    f"last value for all of them; bind it: `lambda x, {name}={name}: …`",
                )


def _graph_kept(tree: ast.Module) -> _Found:
    started = {_name(c.func).rpartition(".")[0] for c in _calls(tree, "backward")}
    for loop in ast.walk(tree):
        if not isinstance(loop, (ast.For, ast.While)):
            continue
        for node in ast.walk(loop):
            match node:
                case ast.AugAssign(target=target, op=ast.Add(), value=ast.Name(id=name)) if (
                    name.lower().endswith("loss") and _name(target) not in started
                ):
                    yield (
                        "graph_kept",
                        node,
                        f"`{_name(target)}` keeps the graph of every round, and with it their "
                        f"memory, unless gradients are off; add up numbers: `{name}.item()`",
                    )


def _one_linear(tree: ast.Module) -> _Found:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or _called(node) != "Sequential":
            continue
        for one, other in zip(node.args, node.args[1:], strict=False):
            if _is_linear(one) and _is_linear(other):
                yield (
                    "one_linear",
                    other,
                    "two Linear layers without an activation between them compute no more than one "
                    "does; put `nn.ReLU()` between",
                )


def _scores_cut(tree: ast.Module) -> _Found:
    """A ReLU behind the last Linear layer of few outputs."""
    for module in _modules(tree):
        outputs: dict[str, object] = {}
        for node in ast.walk(module):
            match node:
                case ast.Assign(
                    targets=[target],
                    value=ast.Call(args=[_, ast.Constant(value=n), *_]) as made,
                ) if _called(made) == "Linear":
                    outputs[_name(target)] = n
        for forward in _methods(module, "forward"):
            last = _last_value(forward)
            match last:
                case ast.Call(args=[ast.Call(func=ast.Attribute() as layer)]) if (
                    _called(last) == "relu"
                    and isinstance(few := outputs.get(_name(layer)), int)
                    and few <= _FEW_CLASSES
                ):
                    yield (
                        "scores_cut",
                        last,
                        f"the last layer's {few} outputs go through a ReLU, which makes all "
                        "negative ones 0 and stops their gradient: leave it out where they are "
                        "scores for a loss",
                    )


def _last_value(forward: ast.FunctionDef) -> ast.expr | None:
    """What forward returns; of a name what was assigned to it right before."""
    match forward.body[-2:]:
        case [*_, ast.Return(value=ast.Call() as value)]:
            return value
        case [ast.Assign(targets=[ast.Name(id=a)], value=value), ast.Return(value=ast.Name(id=b))]:
            return value if a == b else None
    return None


def _softmax_twice(tree: ast.Module) -> _Found:
    losses = ("CrossEntropyLoss", "cross_entropy")
    if not any(isinstance(n, ast.Call) and _called(n) in losses for n in ast.walk(tree)):
        return
    for forward in _methods(tree, "forward"):
        last = _last_value(forward)
        if isinstance(last, ast.Call) and _called(last) == "softmax":
            yield (
                "softmax_twice",
                last,
                "forward ends in a softmax, and cross entropy applies log_softmax itself: it takes "
                "the scores as they are; with both it learns slowly or stands still",
            )
    for node in ast.walk(tree):
        match node:
            case ast.Call(args=[*_, ast.Call() as final]) if (
                _called(node) == "Sequential" and _called(final) == "Softmax"
            ):
                yield (
                    "softmax_twice",
                    final,
                    "the model ends in a Softmax, and cross entropy applies log_softmax itself: it "
                    "takes the scores as they are; with both it learns slowly or stands still",
                )


# What most likely matters comes first.
_RULES: tuple[Callable[[ast.Module], _Found], ...] = (
    _new_leaf,
    _softmax_twice,
    _unregistered,
    _made_in_forward,
    _layer_not_called,
    _only_made,
    _zeroed_outside,
    _all_but_one,
    _lost_by_loading,
    _not_a_buffer,
    _method_hidden,
    _scores_cut,
    _late_binding,
    _graph_kept,
    _uncalled,
    _returns_nothing,
    _always_drops,
    _one_linear,
)


# -- what the rules ask ------------------------------------------------------------------------


def _modules(tree: ast.AST) -> Iterator[ast.ClassDef]:
    """The classes that are modules by the names of their bases."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(
            _name(base).rpartition(".")[2].endswith("Module") for base in node.bases
        ):
            yield node


def _methods(tree: ast.AST, name: str) -> Iterator[ast.FunctionDef]:
    """The methods of that name of the modules."""
    modules = [tree] if isinstance(tree, ast.ClassDef) else _modules(tree)
    for module in modules:
        yield from (n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == name)


def _calls(tree: ast.AST, method: str) -> list[ast.Call]:
    """The calls of a method of that name, such as `step` of an optimizer."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and (method != "step" or "sched" not in _name(node.func.value).lower())
    ]


def _name(node: ast.AST) -> str:
    """A name with its dots; empty for whatever is none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def _called(call: ast.Call) -> str:
    """The last part of what is called."""
    return _name(call.func).rpartition(".")[2]


def _is_own(target: ast.Attribute) -> bool:
    return isinstance(target.value, ast.Name) and target.value.id == "self"


def _is_torch(call: ast.Call) -> bool:
    return _name(call.func).startswith("torch.")


def _is_layer(value: ast.AST) -> bool:
    if not isinstance(value, ast.Call) or _called(value) not in _LAYERS:
        return False
    return _name(value.func).startswith(("nn.", "torch.nn.")) or "." not in _name(value.func)


def _is_made(value: ast.AST) -> bool:
    """Whether it is an object of a class that is called like a part of a model."""
    name = _called(value) if isinstance(value, ast.Call) else ""
    return name.endswith(("Layer", "Block", "Embedding", "Encoder", "Decoder", "Net", "Module"))


def _is_linear(value: ast.AST) -> bool:
    return isinstance(value, ast.Call) and _called(value) == "Linear"


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
