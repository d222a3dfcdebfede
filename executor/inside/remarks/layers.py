"""Find layers that are not registered, not called, or made in the wrong place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from executor.inside.remarks.edits import Part, Places, Told, added, put, way, with_argument
from executor.inside.remarks.registering import (
    Ways,
    appended,
    keyed,
    made_in_init,
    parameters_in_init,
    registered,
)
from executor.inside.remarks.syntax import (
    MAKERS,
    METHODS,
    STATELESS,
    Found,
    argument,
    assigned,
    callee,
    constant,
    dotted,
    inside,
    is_layer,
    is_linear,
    is_made,
    is_own,
    is_torch,
    methods_named,
    module_classes,
    number,
    tail,
    walk,
    words,
)


def _unregistered(tree: ast.Module) -> Found:
    has_classes = any(isinstance(node, ast.ClassDef) for node in walk(tree))
    scopes = module_classes(tree) if has_classes else [tree]  # a few lines out of an `__init__`
    for module in scopes:
        if words(module) & _REGISTERS:
            continue
        held = {
            dotted(a)
            for n in walk(module)
            if isinstance(n, ast.Call)
            for given in (*n.args, *(k.value for k in n.keywords))
            for a in walk(given)
            if tail(n) in _HOLDS
        }
        for node in walk(module):
            match node:
                case ast.Assign(targets=[ast.Attribute() as target]) if dotted(target) in held:
                    continue
                case ast.Assign(targets=[ast.Attribute() as target], value=value):
                    if (kind := _container(value)) and is_own(target):
                        chained = kind == "list" and _is_called(module, target)
                        ways = registered(module, value, chained=chained)
                        yield (
                            _called_as_one(node, target, value, ways)
                            if chained
                            else _plain(node, target, kind, ways)
                        )
                case ast.Call(
                    func=ast.Attribute(value=ast.Attribute() as target, attr="append"),
                    args=[value],
                ) if is_own(target) and is_layer(value) and _made_plain(module, target):
                    yield _plain(node, target, "list", appended(module, target, value))
                case ast.Assign(
                    targets=[ast.Subscript(value=ast.Attribute() as target)], value=value
                ) if (
                    is_own(target)
                    and (is_layer(value) or _container(value))
                    and _made_plain(module, target)
                ):
                    yield _plain(node, target, "dict", keyed(module, target, value))


# What registers a layer or parameter that a plain list holds too.
_REGISTERS = frozenset(["add_module", "register_module", "register_parameter", "setattr"])
_HOLDS = frozenset(["Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"])


def _plain(node: ast.AST, target: ast.Attribute, kind: str, ways: Ways) -> Told:
    better = (
        "nn.ModuleList"
        if kind == "list"
        else "nn.ModuleDict` (its keys are texts) or `nn.ParameterDict"
    )
    return Told(
        "unregistered",
        node,
        f"`{dotted(target)}` is a plain {kind}: the model does not see the layers or parameters in "
        "it, so `parameters()` leaves them out (they are not trained), `.to()` does not move them "
        f"and `state_dict()` does not save them; use `{better}`",
        ways,
    )


def _called_as_one(node: ast.AST, target: ast.Attribute, value: ast.expr, ways: Ways) -> Told:
    name, kind = dotted(target), "tuple" if isinstance(value, ast.Tuple) else "list"
    return Told(
        "unregistered",
        node,
        f"`{name}` is a plain {kind} of layers, and is called as if it were one: a {kind} cannot "
        "be called, and the model does not see the layers in it; `nn.Sequential(…)` runs them one "
        "after the other and registers them",
        ways,
    )


def _is_called(module: ast.AST, target: ast.Attribute) -> bool:
    """Whether the class calls the attribute itself: `self.mlp(x)`."""
    return any(isinstance(n, ast.Call) and dotted(n.func) == dotted(target) for n in walk(module))


# Layers whose output is floating point, whatever goes in.
_GIVES_FLOATS = frozenset(
    [
        "Embedding", "EmbeddingBag", "Linear", "LayerNorm", "BatchNorm1d", "Conv1d", "Conv2d",
        "ReLU", "Sigmoid", "Tanh", "GELU", "Softmax",
    ]
)  # fmt: skip


def _embedding_of_vectors(tree: ast.Module) -> Found:
    """An Embedding in an nn.Sequential behind a layer, which gives it vectors and no ids."""
    for node in walk(tree):
        if not (isinstance(node, ast.Call) and callee(node) == "Sequential"):
            continue
        kinds = [callee(part) if isinstance(part, ast.Call) else "" for part in node.args]
        for at, kind in enumerate(kinds):
            before = next((k for k in reversed(kinds[:at]) if k != "Dropout"), "")
            if kind != "Embedding" or before not in _GIVES_FLOATS:
                continue
            what = "another Embedding" if before == "Embedding" else f"a {before}"
            several = (
                ". For several columns of ids make one Embedding each, side by side: "
                "`self.embs = nn.ModuleList([…])`, and in forward "
                "`torch.cat([emb(x[:, i]) for i, emb in enumerate(self.embs)], dim=1)`"
            )
            yield (
                "embedding_of_vectors",
                node.args[at],
                "`nn.Sequential` hands each layer the output of the one before: this Embedding "
                f"gets what {what} gives, floats, and takes ids (int64) alone"
                + (several if before == "Embedding" else "; it belongs at the front"),
            )
            break


def _container(value: ast.expr) -> str:
    """`list` or `dict` where a plain one is made of layers; empty otherwise."""
    match value:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if any(is_layer(p) for p in parts):
            return "list"
        case ast.ListComp(elt=element) if is_layer(element) or is_made(element):
            return "list"
        case ast.Dict(values=parts) if any(is_layer(p) or _container(p) for p in parts):
            return "dict"
        case ast.DictComp(value=element) if is_layer(element) or _container(element):
            return "dict"
    return ""


def _made_plain(module: ast.AST, target: ast.Attribute) -> bool:
    """Whether the class itself makes the attribute an empty list or dictionary."""
    return any(
        isinstance(node, ast.Assign)
        and dotted(node.targets[0]) == dotted(target)
        and isinstance(node.value, (ast.List, ast.Dict))
        for node in walk(module)
    )


def _made_in_forward(tree: ast.Module) -> Found:
    for forward in methods_named(tree, "forward"):
        once = {
            n for branch in walk(forward) if isinstance(branch, ast.If) for n in walk(branch)
        }  # where it is not there yet, perhaps
        for node in walk(forward):
            made = isinstance(node, ast.Call) and is_layer(node) and node not in once
            if made and isinstance(node, ast.Call) and not _begins_alike(node):
                yield Told(
                    "made_in_forward",
                    node,
                    f"`{dotted(node.func)}` is made anew, with new random weights, at every call "
                    "of forward: they are in no optimizer and are never trained; make the layer in "
                    "`__init__` (`self.layer = …`) and call it here",
                    made_in_init(tree, forward, node, once),
                )


def _begins_alike(made: ast.Call) -> bool:
    """A layer that has no weights, or always the same ones: a normalising layer, as it is made."""
    return callee(made) == "Parameter" or "Norm" in callee(made)


def _parameter_in_forward(tree: ast.Module) -> Found:
    """A parameter that each call of forward makes; under an `if` it may be made once."""
    for forward in methods_named(tree, "forward"):
        made = [
            (node, name, value)
            for node, name, value in assigned(forward)
            if node in forward.body and is_layer(value) and tail(value) == "Parameter"
        ]
        for node, _, _ in made:
            yield Told(
                "made_in_forward",
                node,
                "this parameter is made anew at every call of forward: the optimizer holds none or "
                "an old one, and what it has learned is lost; make it in `__init__`",
                parameters_in_init(tree, forward, made) if node is made[0][0] else (),
            )


def made_once(tree: ast.Module, line: int | None) -> Ways:
    """The edits of what a forward makes anew on a line."""
    told = (*_made_in_forward(tree), *_parameter_in_forward(tree))
    return next((t.ways for t in told if isinstance(t, Told) and t.node.lineno == line), ())  # type: ignore[attr-defined]


def _not_a_buffer(tree: ast.Module) -> Found:
    set_again = {
        target
        for method in walk(tree)
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
        for _, target, _ in assigned(method)
    }
    for init in methods_named(tree, "__init__"):
        for node in walk(init):
            match node:
                case ast.Assign(targets=[ast.Attribute() as target], value=ast.Call() as value) if (
                    is_own(target)
                    and callee(value) in MAKERS
                    and is_torch(value)
                    and target.attr != "example_input_array"  # Lightning's own
                ) and dotted(target) not in set_again:  # else it only holds the place
                    yield Told(
                        "not_a_buffer",
                        node,
                        f"`{dotted(target)}` is a plain tensor: `model.to(device)` does not move "
                        "it (DataParallel makes no copy of it for its GPUs either), and state_dict "
                        f"does not save it; `self.register_buffer('{target.attr}', …)` does both "
                        "(`nn.Parameter` if an optimizer is to train it)",
                        (way("moved and saved with the module", *_as_buffers(init, node)),),
                    )


def _as_buffers(init: ast.AST, made: ast.Assign) -> list[Places]:
    """A tensor of a module's as a buffer, and with it each other name that it gets there."""
    own = dotted(made.targets[0])
    alike = [
        node
        for node in walk(init)
        if isinstance(node, ast.Assign)
        and (node is made or dotted(node.value) == own)
        and dotted(node.targets[0]).startswith("self.")
        and len(node.targets) == 1
    ]
    found = []
    for n in alike:
        # Another name may come to stand for another of them, of other sizes: it is not saved.
        end = ")" if n is made else ", persistent=False)"
        found.append(put(n, f'self.register_buffer("{tail(n.targets[0])}", ', n.value, end))
    return found


def _returns_nothing(tree: ast.Module) -> Found:
    for name in ("train", "eval"):
        for method in methods_named(tree, name):
            given = method.args
            if len(given.args) - len(given.defaults) > 1:
                continue  # it is called otherwise than nn.Module's
            if not any(isinstance(n, ast.Return) and n.value for n in walk(method)):
                yield (
                    "returns_nothing",
                    method,
                    f"this `{name}` returns nothing, where nn.Module's returns the model: after "
                    f"`model = model.{name}()` it is None; end with `return self`",
                )
    below = max((n.lineno for n in walk(tree) if isinstance(n, ast.stmt)), default=0)
    for forward in (f for module in module_classes(tree) for f in methods_named(module, "forward")):
        last = forward.body[-1]
        match last:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                below > (forward.end_lineno or 0)  # else the rest may not have been posted
                and any(isinstance(n, ast.Call | ast.BinOp) for n in walk(value))
                and not any(isinstance(n, ast.Return | ast.Yield) for n in inside(forward))
            ):
                yield Told(
                    "returns_nothing",
                    forward,
                    "this `forward` returns nothing, so that the model gives None for every input; "
                    f"end with `return {name}`",
                    (way(f"`{name}` is returned", add=added(f"return {name}", last, after=True)),),
                )


def _layer_not_called(tree: ast.Module) -> Found:
    for _, node, value, given in _taken(tree):
        yield Told(
            "layer_not_called",
            node,
            f"this takes the layer `{dotted(value)}` itself instead of calling it: "
            f"`{dotted(value)}(x)`",
            (way("the layer is called", put(value, value, f"({given})")),),
        )


def _taken(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Assign, ast.Attribute, str]]:
    """`x = self.fc1` in a forward: that, the assignment, the layer, and the name."""
    for module in module_classes(tree):
        layers = {
            dotted(n.targets[0])
            for n in walk(module)
            if isinstance(n, ast.Assign) and is_layer(n.value) and tail(n.value) != "Parameter"
        }
        for forward in methods_named(module, "forward"):
            for node in walk(forward):
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id=given)], value=ast.Attribute() as value
                    ) if dotted(value) in layers:
                        yield forward, node, value, given


def _only_made(tree: ast.Module) -> Found:
    for forward in methods_named(tree, "forward"):
        called = {n.func for n in walk(forward) if isinstance(n, ast.Call)}
        others = [put(v, v, f"({x})") for f, _, v, x in _taken(tree) if f is forward]
        for node in walk(forward):
            match node:
                case ast.Call() if node in called:  # `nn.Softmax(dim)(x)`
                    continue
                case ast.Call(args=[ast.Name() | ast.Call() as given, *_]) if callee(
                    node
                ) in STATELESS and dotted(node.func).startswith(("nn.", "torch.nn")):
                    dim = "dim=1" if "oftmax" in callee(node) else ""
                    called_now = put(node, node.func, f"({dim})(", given, ")")
                    yield Told(
                        "only_made",
                        node,
                        f"`{dotted(node.func)}(…)` only makes the layer and takes "
                        f"`{dotted(given) or 'the tensor'}` for a setting of it; call what it "
                        f"made: `{dotted(node.func)}()(x)` (with `dim=1` for a softmax), or use F",
                        (way("the layer is called", called_now, *others),)
                        if len(node.args) == 1
                        else (),
                    )
    for node in walk(tree):
        match node:
            case ast.Call(args=[_, ast.Name() | ast.Call() | ast.Attribute(), *_]) if callee(
                node
            ) in ("CrossEntropyLoss", "MSELoss", "BCELoss", "BCEWithLogitsLoss") and not any(
                w in ast.unparse(node) for w in ("weight", "average", "reduc", "mean", "sum")
            ):
                yield (
                    "only_made",
                    node,
                    f"`{dotted(node.func)}(a, b)` only makes the loss and takes the tensors for "
                    f"its settings; call what it made: `{dotted(node.func)}()(output, target)`",
                )


def always_drops(tree: ast.Module) -> Found:
    for method in (m for c in module_classes(tree) for m in c.body):
        asks = [n.test for n in walk(method) if isinstance(n, ast.If | ast.IfExp)]
        if any("training" in words(test) for test in asks):
            continue
        for node in walk(method) if isinstance(method, ast.FunctionDef) else ():
            match node:
                case ast.keyword(arg="dropout_p", value=share) if (
                    "training" not in words(method) and 0 < (number(share, tree) or 0) < 1
                ):
                    yield Told(
                        "always_drops",
                        share,
                        "scaled_dot_product_attention knows no mode: with this `dropout_p` it "
                        "drops weights after `model.eval()` too; write "
                        f"`dropout_p={ast.unparse(share)} if self.training else 0.0`",
                        (
                            way(
                                "weights are dropped in training only",
                                put(share, share, " if self.training else 0.0"),
                            ),
                        ),
                    )
                case (
                    ast.Call(func=ast.Call() as made)
                    | ast.Assign(targets=[ast.Name()], value=ast.Call() as made)
                ) if callee(made).startswith("Dropout") and _is_used_here(node, method):
                    yield (
                        "always_drops",
                        node,
                        f"`{dotted(made.func)}(…)` is made anew at every call, and a new module is "
                        "in training mode: it drops values after `model.eval()` too; make it in "
                        "`__init__` and call it here",
                    )
            if (
                isinstance(node, ast.Call)
                and dotted(node.func).endswith(_DROPS)
                and argument(node, 0, "input") is not None
                and argument(node, 2, "training") is None
                and not any(k.arg is None for k in node.keywords)
            ):
                new = with_argument(node, "training", "self.training")
                yield Told(
                    "always_drops",
                    node,
                    f"F.{callee(node)} drops values after `model.eval()` too, unless it is told: "
                    "`training=self.training`",
                    (way("values are dropped in training only", new),),
                )


# Those that drop unless they are told not to.
_DROPS = tuple(f"{of}.dropout{n}" for of in ("F", "functional") for n in ("", "1d", "2d", "3d"))


def _is_used_here(made: ast.Call | ast.Assign, method: ast.stmt) -> bool:
    """Whether a layer is called right where it is made, or by its name in the same method."""
    name = dotted(made.targets[0]) if isinstance(made, ast.Assign) else ""
    calls = {dotted(n.func) for n in walk(method) if isinstance(n, ast.Call)}
    return not name or (name in calls and not {f"{name}.eval", f"{name}.train"} & calls)


def _method_hidden(tree: ast.Module) -> Found:
    for init in methods_named(tree, "__init__"):
        for node in walk(init):
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(attr=name) as target], value=ast.Call() as value
                ) if (
                    is_own(target)
                    and name in METHODS
                    and (is_layer(value) or is_made(value) or callee(value) in _HOLDS)
                ):
                    yield (
                        "method_hidden",
                        node,
                        f"`{name}` is a method of nn.Module: `self.{name}` is that method (a "
                        "registered layer is not found under this name), so choose another name, "
                        "such as `self.layers`",
                    )


def _late_binding(tree: ast.Module) -> Found:
    for node in walk(tree):
        if not isinstance(node, (ast.ListComp, ast.DictComp)):
            continue
        bound = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
        element = node.elt if isinstance(node, ast.ListComp) else node.value
        for inner in walk(element):
            if not isinstance(inner, ast.Lambda) or any(
                isinstance(n, ast.Call) and isinstance(n.func, ast.Constant) for n in walk(inner)
            ):
                continue  # `lambda x: x * 2 (d)`: its brackets are missing
            own = {a.arg for a in (*inner.args.args, *inner.args.kwonlyargs)}
            read = {n.id for n in walk(inner.body) if isinstance(n, ast.Name)}
            for name in sorted(read & bound - own):
                comma = ", " if own else " "
                bind = put(inner, "lambda", *_arguments_and(inner, f"{comma}{name}={name}"))
                yield Told(
                    "late_binding",
                    inner,
                    f"every lambda made here reads `{name}` when it is called, and then it has its "
                    f"last value for all of them; bind it: `lambda x, {name}={name}: …`",
                    (way(f"each keeps its own `{name}`", bind),),
                )


def _arguments_and(made: ast.Lambda, more: str) -> tuple[Part, ...]:
    """A lambda behind its word, with one more argument."""
    given = ast.unparse(made.args)
    return (f" {given}{more}: " if given else f"{more}: ", made.body)


def _is_bottleneck(one: ast.expr, other: ast.expr, tree: ast.Module) -> bool:
    """Whether two layers go through fewer numbers than come in and go out: that is no one layer."""
    sizes = [argument(c, at, name) for c in (one, other) if isinstance(c, ast.Call)
             for at, name in ((0, "in_features"), (1, "out_features"))]  # fmt: skip
    if len(sizes) != 4 or None in sizes:
        return False
    comes, between, _, goes = (constant(s, tree) for s in sizes if s is not None)
    values = (n.value for n in (comes, between, goes) if isinstance(n, ast.Constant))
    known = [value for value in values if isinstance(value, int)]
    if len(known) == 3:
        return bool(known[1] < min(known[0], known[2]))
    return ast.unparse(comes) == ast.unparse(goes) != ast.unparse(between)


def _one_linear(tree: ast.Module) -> Found:
    numbered = any(
        isinstance(n, ast.Subscript)
        and isinstance(constant(n.slice, tree), ast.Constant)
        and isinstance(getattr(constant(n.slice, tree), "value", None), int)
        for n in walk(tree)
    )
    shifted = ", which moves the numbers of the layers behind it" if numbered else ""
    for node in walk(tree):
        if not isinstance(node, ast.Call) or callee(node) != "Sequential":
            continue
        for one, other in zip(node.args, node.args[1:], strict=False):
            if is_linear(one) and is_linear(other) and not _is_bottleneck(one, other, tree):
                yield (
                    "one_linear",
                    other,
                    "two Linear layers without an activation between them compute no more than one "
                    f"does; put `nn.ReLU()` between{shifted}",
                )


def _not_an_attribute(tree: ast.Module) -> Found:
    """A layer put under `self_fc` in `__init__`, where `self.fc` is meant."""
    for cls in module_classes(tree):
        for method in methods_named(cls, "__init__"):
            for node in walk(method):
                match node:
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as made) if (
                        name.startswith("self_") and is_layer(made)
                    ):
                        yield (
                            "not_an_attribute",
                            node,
                            f"`{name}` is a name of `__init__` alone and no attribute: the layer "
                            "is not registered, and gone when `__init__` ends; write "
                            f"`self.{name.removeprefix('self_')}`",
                        )


RULES = (
    _embedding_of_vectors,
    _not_an_attribute,
    _unregistered,
    _made_in_forward,
    _parameter_in_forward,
    _layer_not_called,
    _only_made,
    _method_hidden,
    _late_binding,
    always_drops,
    _one_linear,
    _not_a_buffer,
    _returns_nothing,
)
