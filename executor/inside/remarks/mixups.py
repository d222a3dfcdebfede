"""Find what was mixed up: names, exchanged arguments, one object taken for two."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, swapped, way
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    MAKERS,
    Found,
    assigned,
    bound,
    callee,
    dotted,
    functions,
    inside,
    is_model,
    is_true,
    last_along_one,
    made_of,
    method_calls,
    optimizers,
    says,
    tail,
    trained,
    values,
    walk,
    words,
)

_MISSPELLED = re.compile(
    r"require_?s?_?grads?|requires?_?gra?d?s?|requres_grad|reqiures_grad|requires_gradient", re.I
)
# `__int__` is Python's too: of a class that is made a number, without further arguments.
_INIT = re.compile(r"_init_|__init_|_init__|__(?:init|int|inti|intit|inits|initi|ini|nit)__", re.I)
_OUTPUT = re.compile(
    r"(?i)^(?:outs?|outputs?|preds?|predictions?|predicted|logits|scores|y_?pred|y_?hat|y_?out)$"
)
_TARGET = re.compile(
    r"(?i)^(?:y|gt|targets?|labels?|y_?true|y_?train|y_?test|y_?val|y_?b|y_?batch|batch_y|truth|ground_truth|tgt|lbls?)$"
)
_CLASSES = (_OUTPUT, _TARGET, "scores first, then class numbers")
_YES_OR_NO = (_OUTPUT, _TARGET, "scores first, then 0 or 1")
_LOGS = (_OUTPUT, _TARGET, "log probabilities first, then class numbers")
_SHARES = (_OUTPUT, _TARGET, "probabilities first, then 0 or 1")
_TRIPLET = (
    re.compile(r"(?i)^pos|_pos"),
    re.compile(r"(?i)^neg|_neg"),
    "anchor, positive, negative, and draws the second to the first",
)
# Loss → what its last two arguments are called, in its order.
_ORDERED = {
    "CrossEntropyLoss": _CLASSES,
    "cross_entropy": _CLASSES,
    "NLLLoss": _LOGS,
    "nll_loss": _LOGS,
    "BCELoss": _SHARES,
    "binary_cross_entropy": _SHARES,
    "BCEWithLogitsLoss": _YES_OR_NO,
    "binary_cross_entropy_with_logits": _YES_OR_NO,
    "TripletMarginLoss": _TRIPLET,
    "TripletMarginWithDistanceLoss": _TRIPLET,
    "triplet_margin_loss": _TRIPLET,
}
# Scales that begin at 0 on purpose, so that a branch adds nothing at first.
_MAY_BE_ZERO = re.compile(
    r"bn|norm|lora|gate|zero|last|head|out|final|gamma|beta|film|scale|shift", re.IGNORECASE
)
_LAYER = re.compile(r"(?:Lazy)?(?:Linear|Bilinear|Conv(?:Transpose)?\dd)|LSTM|GRU|RNN|\w*Cell")
_TABLES = {"Embedding", "EmbeddingBag"}
_COPY = re.compile(r"target|frozen|teacher|old|prev|backup|ema|init", re.IGNORECASE)


def is_misspelled(attribute: str) -> bool:
    """Whether a name is nearly `requires_grad`."""
    return attribute != "requires_grad" and _MISSPELLED.fullmatch(attribute) is not None


def misspelled(tree: ast.Module) -> Found:
    """`p.require_grad = False`, which only makes a new attribute."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=attr, value=value) as target]) if (
                is_misspelled(attr) and not _asks_for_none(node, value, tree)
            ):
                right = way("PyTorch's own attribute is set", put(target, value, ".requires_grad"))
                yield Told(
                    "misspelled",
                    node,
                    f"`{attr}` is no attribute of PyTorch's: Python makes a new one and nothing "
                    f"is changed; it is called `{dotted(value) or 'p'}.requires_grad`",
                    (right,),
                )


def _asks_for_none(node: ast.Assign, of: ast.expr, tree: ast.Module) -> bool:
    """`pe.require_grad = False` of a tensor that asks for no gradient anyway."""
    made = made_of(of, tree)
    off = isinstance(node.value, ast.Constant) and node.value.value is False
    return off and dotted(of) != "" and all(words(m) & MAKERS for m in made)


_NUMBERED = re.compile(r"_?\d+$")


def _anothers_optimizer(tree: ast.Module) -> Found:
    """`SGD(model_0.parameters())` beside `model_1 = Net()`, where nothing makes a `model_0`."""
    held = [*optimizers(tree).values()]
    taken = {name for call in held for name in trained(call, tree)}
    made = {
        name for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and is_model(value, tree) and name not in taken
    }  # fmt: skip
    read = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id not in bound(tree)]
    for call in held:
        for node in (n for n in walk(call) if n in read and isinstance(n, ast.Name)):
            once = sum(n.id == node.id for n in read) == 1
            alike = [m for m in made if _NUMBERED.sub("", m) == _NUMBERED.sub("", node.id)]
            if node.id in trained(call, tree) and once and len(alike) == 1 == len(made):
                yield Told(
                    "anothers_optimizer",
                    node,
                    f"this optimizer steps on `{node.id}`, which nothing here makes, and "
                    f"`{alike[0]}`, which is made here, has none: its weights stay as they are; "
                    f"hand it `{alike[0]}.parameters()`",
                    (way(f"it trains `{alike[0]}`", put(node, alike[0])),),
                )


def _misnamed_init(tree: ast.Module) -> Found:
    """`def _init_(self)` in a class without an `__init__`, which nothing calls."""
    for cls in walk(tree):
        if not isinstance(cls, ast.ClassDef):
            continue
        methods = [n for n in cls.body if isinstance(n, ast.FunctionDef)]
        if any(method.name == "__init__" for method in methods):
            continue
        for method in (m for m in methods if _INIT.fullmatch(m.name)):
            if method.name == "__int__" and len(method.args.args) < 2:
                continue
            within = set(inside(method))
            if any(call not in within for call in method_calls(tree, method.name)):
                continue
            yield (
                "misnamed_init",
                method,
                f"Python never calls `{method.name}`: a constructor is `__init__`, with two "
                f"underscores on each side, here and where it calls that of the class above. As "
                f"it stands, nothing in it runs, and `{cls.name}` has none of what it makes",
            )


def exchanged(tree: ast.Module) -> Found:
    """A loss that gets two arguments in each other's place, by the names of what it is given."""
    made, own = values(tree), functions(tree)
    for node in walk(tree):
        if not isinstance(node, ast.Call) or len(node.args) < 2 or dotted(node.func) in own:
            continue  # a function of one's own may take them in any order
        of = node.func if isinstance(node.func, ast.Call) else made.get(dotted(node.func), node)
        loss = callee(of) if isinstance(of, ast.Call) else ""
        if loss not in _ORDERED:
            continue
        first, second, order = _ORDERED[loss]
        at = 1 if order.startswith("anchor") else 0
        one, two = node.args[at : at + 2] if len(node.args) > at + 1 else (node, node)
        made_so = at == 0 and _is_asked(two, tree) and _is_given(one, tree)
        if at == 0 and not made_so and not (
            isinstance(one, ast.Name) and isinstance(two, ast.Name)
        ):  # fmt: skip
            continue
        named = says(one, second) and says(two, first) and not says(one, first)
        if (named or made_so) and one is not two:
            how = "by what they are made of" if made_so else "by their names"
            yield Told(
                "exchanged",
                node,
                f"{how} `{ast.unparse(one)}` and `{ast.unparse(two)}` are exchanged: "
                f"`{loss}` takes {order}",
                (way("each argument in its place", swapped(one, two)),),
            )


def _is_asked(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it is what a model gives that an optimizer holds, and nothing else."""
    models = {m for o in optimizers(tree).values() for m in trained(o, tree)}
    held = made_of(node, tree)
    return len(held) == 1 and any(
        isinstance(n, ast.Call) and dotted(n.func) in models for n in walk(held[0])
    ) and not words(held[0]) & {"detach", "no_grad"}  # fmt: skip


def _is_given(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it is data: drawn or given at the top of a program, where nothing asks a model."""
    held = made_of(node, tree)
    return len(held) == 1 and held[0] is not node and isinstance(held[0], ast.Call) and all(
        dotted(n.func).startswith(("torch.", "np.")) or isinstance(n.func, ast.Attribute)
        for n in walk(held[0]) if isinstance(n, ast.Call)
    ) and _is_torchs(held[0])  # fmt: skip


def _is_torchs(call: ast.Call) -> bool:
    """`torch.rand(8).softmax(0)`: whatever it goes through, it begins with PyTorch."""
    node: ast.expr = call
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript | ast.BinOp | ast.Compare):
        match node:
            case ast.Call():
                node = node.func
            case ast.Attribute() | ast.Subscript():
                node = node.value
            case _:
                node = node.left
    return isinstance(node, ast.Name) and node.id in ("torch", "np", "F")


def exchanged_figures(tree: ast.Module) -> Found:
    """A figure of one's own that takes the truth first, and is given the predictions first."""
    own: dict[str, list[ast.FunctionDef]] = {}
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef):
            own.setdefault(node.name, []).append(node)
    theirs = {
        a.name
        for n in walk(tree)
        if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("sklearn")
        for a in n.names
    }
    for call in (n for n in walk(tree) if isinstance(n, ast.Call) and len(n.args) == 2):
        found = own.get(tail(call), [])
        if tail(call) in theirs & _TRUTH_FIRST and not found:
            kinds = [_kind(dotted(a)) for a in call.args]
            if kinds == [1, 0]:
                one, two = map(dotted, call.args)
                yield Told(
                    "exchanged_figures",
                    call,
                    f"scikit-learn's `{tail(call)}` takes the truth first, and gets `{one}` and "
                    f"`{two}`: by their names they are exchanged",
                    (way("each argument in its place", swapped(*call.args)),),
                )
                return
        if len(found) != 1 or _is_even(found[0]):
            continue
        taken = [a.arg for a in found[0].args.args if a.arg != "self"][:2]
        given = [dotted(a) for a in call.args]
        if len(taken) < 2 or not all(given):
            continue
        kinds = [_kind(name) for name in (*taken, *given)]
        if kinds in ([0, 1, 1, 0], [1, 0, 0, 1]):
            yield Told(
                "exchanged_figures",
                call,
                f"`{tail(call)}` takes `{taken[0]}` and `{taken[1]}` in this order (line "
                f"{found[0].lineno}), and gets `{given[0]}` and `{given[1]}`: by their names they "
                "are exchanged",
                (way("each argument in its place", swapped(*call.args)),),
            )
            return


_TRUTH_FIRST = {
    "confusion_matrix", "precision_score", "recall_score", "classification_report",
    "roc_auc_score", "average_precision_score", "precision_recall_fscore_support", "roc_curve",
    "precision_recall_curve", "r2_score", "explained_variance_score", "log_loss",
}  # fmt: skip


def _kind(name: str) -> int:
    """0 of a target, 1 of a prediction, -1 of anything else."""
    name = name.rpartition(".")[2]
    return 1 if _OUTPUT.match(name) else (0 if _TARGET.match(name) else -1)


def _is_even(function: ast.FunctionDef) -> bool:
    """Whether it may not matter which comes first: they are compared, or taken off each other."""
    taken = {a.arg for a in function.args.args}
    return any(
        isinstance(n, ast.Compare | ast.BinOp) and len(words(n) & taken) > 1
        for n in walk(function)
        if not isinstance(n, ast.BinOp) or isinstance(n.op, ast.Sub | ast.Mult)
    ) or any(LOSS_CALL.search(w) for w in words(function))


def _one_object(tree: ast.Module) -> Found:
    """A second model that is the first one under another name."""
    models = {
        name
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and is_model(value, tree)
    }
    for node, name, value in assigned(tree):
        source = dotted(value)
        if isinstance(value, ast.Name) and source in models and _COPY.search(name):
            yield (
                "one_object",
                node,
                f"`{name}` is no copy: it is `{source}` itself under another name, and every step "
                f"changes both; write `{name} = copy.deepcopy({source})`",
            )


def _drawn_twice(tree: ast.Module) -> Found:
    """One random transform that is called for an image and for its mask."""
    yield from _flipped_apart(tree)
    if not any(w.startswith("Random") for w in words(tree)) or "tv_tensors" in words(tree):
        return
    for method in _readers(tree):
        if words(method) & {"manual_seed", "seed", "set_rng_state", "setstate"}:
            continue
        seen: dict[str, tuple[str, ast.Call]] = {}
        for node in sorted(
            (n for n in inside(method) if isinstance(n, ast.Call)),
            key=lambda n: (n.lineno, n.col_offset),
        ):
            name = dotted(node.func)
            if "transform" not in name.lower() and "augment" not in name.lower():
                continue
            if len(node.args) != 1 or node.keywords:
                continue
            given = dotted(node.args[0])
            other = seen.get(name)
            if other is None:
                seen[name] = (given, node)
                continue
            if given != other[0] and re.search(r"mask|label|target|seg|gt", given, re.IGNORECASE):
                yield (
                    "drawn_twice",
                    node,
                    f"if `{name}` holds random transforms, each call draws them anew: then "
                    f"`{other[0]}` (line {other[1].lineno}) and `{given}` are cropped or "
                    "flipped differently; apply one drawn transform to both "
                    "(torchvision.transforms.v2 takes image and mask "
                    "together)",
                )


def _flipped_apart(tree: ast.Module) -> Found:
    """`if random() < 0.5: image = hflip(image)`, and the same again for the mask."""
    for method in _readers(tree):
        seen: dict[tuple[str, str], str] = {}  # the draw and what it decides → of what
        for node in sorted(
            (n for n in inside(method) if isinstance(n, ast.If)), key=lambda n: n.lineno
        ):
            draws = [c for c in walk(node.test) if isinstance(c, ast.Call)]
            if len(node.body) != 1 or len(draws) != 1 or tail(draws[0]) not in _DRAWS:
                continue
            match node.body[0]:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as done) if (
                    tail(done) in _TURNS
                ):
                    key = ast.unparse(node.test), tail(done)
                case _:
                    continue
            other = seen.setdefault(key, name)
            if other != name and _IS_MASK.search(name) and not _IS_MASK.search(other):
                yield (
                    "drawn_twice",
                    node,
                    f"this draws anew whether `{name}` is changed: it is so half of the times that "
                    f"`{other}` is not, and then they do not fit; draw once, and do both in one "
                    "`if`",
                )
                return


_DRAWS = {"random", "rand", "uniform", "randint", "random_sample", "getrandbits"}
_TURNS = {"hflip", "vflip", "flip", "fliplr", "flipud", "rot90", "rotate"}
_IS_MASK = re.compile(r"(?i)mask|label|target|(^|_)seg|(^|_)gt|^m$|^y$")


def _readers(tree: ast.Module) -> list[ast.FunctionDef]:
    return [n for n in walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "__getitem__"]


def _all_zero(tree: ast.Module) -> Found:
    """Weights of a layer that are all set to 0; each row of a table has a gradient of its own.

    What is added to something else begins with no effect on purpose, as the last layer of a
    residual branch does. A program's only layer is its last.
    """
    made = [n for n in walk(tree) if isinstance(n, ast.Call) and _LAYER.fullmatch(callee(n))]
    if len(made) == 1:
        return
    added = {
        dotted(call.func)
        for node in walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
    }
    parts = {part.rpartition(".")[2] for part in added}
    added |= {  # `up` of `block.adapter = nn.Sequential(down, up)`, and `y + self.adapter(y)`
        dotted(value.args[-1])
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) == "Sequential" and value.args
        and name.rpartition(".")[2] in parts
    }  # fmt: skip
    tables = {
        name
        for name, value in values(tree).items()
        if isinstance(value, ast.Call) and callee(value) in _TABLES
    } | {dotted(n.target) for n in walk(tree) if isinstance(n, ast.For)}  # of what, nobody says
    for node in walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name, zero = dotted(node.func), False
        if name.endswith("init.zeros_") and node.args:
            target, zero = node.args[0], True
        elif name.endswith("init.constant_") and len(node.args) > 1:
            target, zero = node.args[0], _is_zero(node.args[1])
        elif tail(node) == "zero_" and isinstance(node.func, ast.Attribute):
            target, zero = node.func.value, True
        elif tail(node) == "fill_" and isinstance(node.func, ast.Attribute) and node.args:
            target, zero = node.func.value, _is_zero(node.args[0])
        whose = dotted(target) if zero else ""
        of_a_layer = whose.endswith((".weight", ".weight.data"))
        layer = whose.removesuffix(".data").removesuffix(".weight")
        if of_a_layer and layer not in tables | added and not _MAY_BE_ZERO.search(whose):
            yield (
                "all_zero",
                node,
                "weights that are all 0 give every unit of the layer the same output and the same "
                "gradient, so in a hidden layer they stay alike and learn one thing: start from "
                "random ones (`nn.init.kaiming_uniform_`); only biases, or a last layer, may be 0",
            )


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 0.0)


def _backward_half(tree: ast.Module) -> Found:
    """`out[:, -1]` of a bidirectional layer."""
    first: dict[str, bool] = {}  # bidirectional layer → whether its batches come first
    for _, name, value in assigned(tree):
        if isinstance(value, ast.Call) and callee(value) in ("LSTM", "GRU", "RNN"):
            on = {k.arg for k in value.keywords if is_true(k.value)}
            if "bidirectional" in on:
                first[name] = "batch_first" in on
    for scope in (tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))):
        outputs: dict[str, str] = {}  # what a layer gives → that layer
        given: dict[str, int] = {}  # and where
        for node in inside(scope):
            match node:
                case (
                    ast.Assign(targets=[ast.Tuple(elts=[out, *_])], value=ast.Call(func=called))
                    | ast.Assign(
                        targets=[out],
                        value=ast.Subscript(
                            value=ast.Call(func=called), slice=ast.Constant(value=0)
                        ),
                    )
                ) if dotted(called) in first and isinstance(out, ast.Name):
                    outputs[out.id] = dotted(called)
                    given[out.id] = out.lineno
        for node in inside(scope):
            name, rest = last_along_one(node)
            if not first.get(outputs.get(name, ""), False):
                name, rest = _last_of_all(node), []
                if first.get(outputs.get(name, ""), True):
                    continue
            between = any(
                isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
                and given[name] < n.lineno < node.lineno  # type: ignore[attr-defined]
                for n in inside(scope)
            )  # fmt: skip
            if all(map(_is_whole, rest)) and not between:
                yield (
                    "backward_half",
                    node,
                    f"of a bidirectional layer `{ast.unparse(node)}` has read the whole sequence "
                    "only in its forward half: the backward half has seen one element "
                    "there; take `torch.cat([h_n[-2], h_n[-1]], dim=1)` of the states",
                )


def _last_of_all(node: ast.AST) -> str:
    """`out` of `out[-1]`."""
    match node:
        case ast.Subscript(
            value=ast.Name(id=name),
            slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)),
        ):
            return name
    return ""


def _is_whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is None and part.upper is None


RULES = (
    misspelled,
    _anothers_optimizer,
    _misnamed_init,
    exchanged,
    exchanged_figures,
    _one_object,
    _drawn_twice,
    _backward_half,
    _all_zero,
)
