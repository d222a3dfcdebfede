"""Find values that are taken together along the wrong dimension, or too early."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way, with_argument
from executor.inside.remarks.figures import is_mean_loss
from executor.inside.remarks.passes import held_by, passes
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    dotted,
    factors,
    functions,
    inside,
    is_linear,
    last_value,
    made_of,
    methods_named,
    module_classes,
    tail,
    walk,
    words,
)

_WEIGHTS = re.compile(r"(?i)(^|_)(weights?|masks?|importance|is_w(eights?)?|sw|ws?|valid)(_?b)?$")
_REDUCTIONS = {"sum", "mean", "norm", "std", "var", "amax", "amin"}


def reduced_before_weights(tree: ast.Module) -> Found:
    """`(F.mse_loss(a, b) * weights).mean()`: the loss is one number before it is weighted."""
    for scope in (tree, *functions(tree).values()):
        for node in inside(scope):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.BinOp(op=ast.Mult()) as product, attr=how), args=[]
                ):
                    pass
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="torch"), attr=how),
                    args=[ast.BinOp(op=ast.Mult()) as product],
                ):
                    pass
                case ast.BinOp(
                    left=ast.Call(
                        func=ast.Attribute(value=ast.BinOp(op=ast.Mult()) as product, attr=how)
                    ),
                    op=ast.Div(),
                ):
                    pass
                case _:
                    continue
            if how not in ("mean", "sum"):
                continue
            parts = factors(product)
            for part in parts:
                held = _only(part, scope, product)
                others = [f for f in parts if f is not part]
                by = next((f for f in others if _is_of_samples(f, part, scope)), None)
                if not is_mean_loss(held, tree) or by is None or not isinstance(held, ast.Call):
                    continue
                yield Told(
                    "reduced_before_weights",
                    product,
                    f"`{ast.unparse(part)}` is one number already, the mean over the batch: "
                    f"multiplied by `{ast.unparse(by)}` it is the same for all samples, and none "
                    'counts more or less than another; make the loss with `reduction="none"`, '
                    "weight it, and take the mean then",
                    tuple(_each_by_itself(held, tree)),
                )
                break


def _only(node: ast.expr, scope: ast.AST, but: ast.expr | None = None) -> ast.expr:
    """What a variable is given in a scope, where that is one thing besides `but`."""
    given = [v for _, name, v in assigned(scope) if name and name == dotted(node)]
    given = [v for v in given if but is None or but not in walk(v)]
    return given[0] if len(given) == 1 else node


def _is_of_samples(node: ast.expr, loss: ast.expr, scope: ast.AST) -> bool:
    """Whether a factor is a weight for each sample, or what is made of the loss itself."""
    base = node.value if isinstance(node, ast.Subscript) else node
    while isinstance(base, ast.Call) and isinstance(base.func, ast.Attribute):
        base = base.func.value
    if _WEIGHTS.search(dotted(base).rpartition(".")[2]):
        return True
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Pow):
        return False
    inner = [_only(n, scope) for n in walk(node.left) if isinstance(n, ast.Name)]
    return any(
        isinstance(v, ast.Call) and tail(v) == "exp" and dotted(loss) in words(v) - {""}
        for v in inner
    )


def _each_by_itself(held: ast.Call, tree: ast.Module) -> Iterator[dict[str, object]]:
    is_class = isinstance(held.func, ast.Call)
    made = [held.func] if is_class else made_of(held.func, tree)
    call = made[0] if len(made) == 1 and isinstance(made[0], ast.Call) else held
    yield way("each sample's loss has its own weight",
              with_argument(call, "reduction", '"none"', without="reduction"))  # fmt: skip


def rows_against_columns(tree: ast.Module) -> Found:
    """`A / A.sum(1)`: the sums of the rows, put against the columns."""
    turned = {
        n.value for n in walk(tree)
        if isinstance(n, ast.Attribute) and n.attr in ("T", "mT", "t", "transpose")
    }  # fmt: skip
    for scope in (tree, *functions(tree).values()):
        for node in inside(scope):
            match node:
                case (
                    ast.BinOp(left=left, op=ast.Div() | ast.Sub(), right=by)
                    | ast.AugAssign(target=left, op=ast.Div() | ast.Sub(), value=by)
                ):
                    pass
                case _:
                    continue
            if isinstance(by, ast.BinOp) and isinstance(by.right, ast.Constant):
                by = by.left  # `A.sum(1) + 1e-8`
            reduced = _only(by, scope)
            of = _reduced_along_one(reduced)
            whole = left
            if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub):
                whole = left.left  # `(x - mean) / x.std(1)`
            if of is None or ast.unparse(of) != ast.unparse(whole) or node in turned:
                continue
            if not isinstance(reduced, ast.Call) or not dotted(of):
                continue
            name, how = ast.unparse(of), tail(reduced)
            is_array = any(k.arg == "axis" for k in reduced.keywords)
            keep = "keepdims" if is_array else "keepdim"
            yield Told(
                "rows_against_columns",
                node,
                f"`{ast.unparse(reduced)}` has one value for each row of `{name}`, and lies along "
                f"its last dimension here: column j meets the {how} of row j (where there are as "
                f"many rows as columns; else it raises); keep the dimension: `{keep}=True`",
                (way("each row meets its own", with_argument(reduced, keep, "True")),),
            )


def _reduced_along_one(node: ast.expr) -> ast.expr | None:
    """`A` of `A.sum(1)`, `torch.norm(A, dim=1)`, where the dimension is not kept."""
    if not isinstance(node, ast.Call) or tail(node) not in _REDUCTIONS:
        return None
    if not isinstance(node.func, ast.Attribute):
        return None
    of_module = dotted(node.func.value) in ("torch", "np", "numpy", "np.linalg", "torch.linalg")
    of = argument(node, 0, "input") if of_module else node.func.value
    is_norm = tail(node) == "norm"
    along = argument(node, (1 if of_module else 0) + is_norm, "dim", "axis")
    if of is None or along is None or {k.arg for k in node.keywords} & {"keepdim", "keepdims"}:
        return None
    return of if isinstance(along, ast.Constant) and along.value == 1 else None


def norm_of_all(tree: ast.Module) -> Found:
    """`z = z / z.norm()` of rows that are compared by `z @ z.T`: one length for all of them."""
    for scope in (tree, *functions(tree).values()):
        for node, name, value in assigned(scope):
            match value:
                case ast.BinOp(left=left, op=ast.Div(), right=ast.Call() as norm) if (
                    of := _normed(norm)
                ) is not None and dotted(of) == dotted(left) != "":
                    pass
                case _:
                    continue
            if node not in set(inside(scope)) or not _is_of_rows(name, tree):
                continue
            yield Told(
                "norm_of_all",
                value,
                f"`{ast.unparse(norm)}` is the norm of all of `{dotted(of)}` together, so that its "
                "rows keep their different lengths and become small: their products are no "
                "cosines; divide each row by its own: "
                f"`F.normalize({dotted(of)}, dim=-1)`",
                (way("each row has the length 1",
                     put(norm, of, ".norm(dim=-1, keepdim=True)")),),
            )  # fmt: skip


def _normed(norm: ast.Call) -> ast.expr | None:
    """Of what it is the norm over all dimensions: `z.norm()`, `z.norm(p=2)`, `torch.norm(z)`."""
    if tail(norm) != "norm" or {k.arg for k in norm.keywords} - {"p"}:
        return None
    match norm:
        case ast.Call(func=ast.Attribute(value=of), args=[given]) if dotted(of) in _MODULES:
            return given
        case ast.Call(func=ast.Attribute(value=of), args=[]) if dotted(of) not in _MODULES:
            return of
    return None


_MODULES = ("torch", "torch.linalg", "np.linalg", "linalg")


def _is_of_rows(name: str, tree: ast.Module) -> bool:
    """Whether a variable is multiplied by something that is turned round, or turned itself."""
    for node in walk(tree):
        match node:
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                pass
            case ast.Call(args=[left, right]) if tail(node) in ("mm", "matmul"):
                pass
            case ast.Call(args=[ast.Constant(value=str() as how), left, right]) if tail(
                node
            ) == "einsum" and re.fullmatch(r"(\w)(\w), ?(\w)\2->\1\3", how):
                if name in (dotted(left), dotted(right)):
                    return True
                continue
            case _:
                continue
        is_turned = isinstance(right, ast.Attribute | ast.Call) and tail(right) in (
            "T", "mT", "t", "transpose",
        )  # fmt: skip
        if is_turned and name in {dotted(left), dotted(_without_turn(right))}:
            return True
    return False


def _without_turn(node: ast.expr) -> ast.expr:
    node = node.func if isinstance(node, ast.Call) else node
    return node.value if isinstance(node, ast.Attribute) else node


def softmax_over_batch(tree: ast.Module) -> Found:
    """`nn.Softmax(dim=0)` behind a Linear layer, or probabilities of it read along the classes."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call) and callee(n) == "Sequential"):
        for layer in call.args:
            along = _softmax_along(layer)
            if along is not None and any(is_linear(a) for a in call.args):
                yield _over_batch(layer, along)
    for scope in (tree, *functions(tree).values()):
        for _, name, value in assigned(scope):
            along = _softmax_along(value)
            if along is None or "Softmax" in words(value):
                continue
            for node in inside(scope):
                if _reads_classes(node, name):
                    yield _over_batch(value, along)
                    break
    yield from _ends_over_batch(tree)


def _ends_over_batch(tree: ast.Module) -> Found:
    """The only model, whose scores go to a loss over classes, gives a softmax along the batch."""
    models = [c for c in module_classes(tree) if any(True for _ in methods_named(c, "forward"))]
    if len(models) != 1 or not words(tree) & _OF_CLASSES:
        return
    for forward in methods_named(models[0], "forward"):
        value = last_value(forward)
        along = _softmax_along(value) if value is not None else None
        if not isinstance(value, ast.Call) or along is None:
            continue
        by = value.func.value if isinstance(value.func, ast.Attribute) else value.func
        for scores in (*value.args, by):
            if isinstance(scores, ast.Call) and any(
                is_linear(v) for v in made_of(scores.func, tree)
            ):
                yield _over_batch(value, along)


_OF_CLASSES = {"nll_loss", "NLLLoss", "cross_entropy", "CrossEntropyLoss"}


def _over_batch(node: ast.AST, along: ast.expr) -> Told:
    return Told(
        "softmax_over_batch",
        node,
        "dimension 0 is the batch: the samples of a batch share one probability, and those of one "
        "sample's classes do not add up to 1; take the softmax over the classes, `dim=1`",
        (way("the classes of each sample add up to 1", put(along, "1")),),
    )


def _softmax_along(node: ast.expr) -> ast.expr | None:
    """The 0 of a softmax along dimension 0."""
    if not isinstance(node, ast.Call):
        return None
    of_tensor = isinstance(node.func, ast.Attribute) and dotted(node.func.value) not in (
        "F", "torch", "nn", "nn.functional", "torch.nn", "torch.nn.functional",
    )  # fmt: skip
    place = {"Softmax": 0, "LogSoftmax": 0, "softmax": 0 if of_tensor else 1}.get(tail(node))
    place = (0 if of_tensor else 1) if tail(node) == "log_softmax" else place
    along = argument(node, place, "dim") if place is not None else None
    return along if along is not None and ast.unparse(along) == "0" else None


def _reads_classes(node: ast.AST, name: str) -> bool:
    """`p.argmax(1)`, `p.max(dim=1)`, `p[:, 1]`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr="argmax" | "max" | "topk")):
            along = argument(node, 1 if tail(node) == "topk" else 0, "dim")
            return of == name and along is not None and ast.unparse(along) in ("1", "-1")
        case ast.Subscript(
            value=ast.Name(id=of), slice=ast.Tuple(elts=[ast.Slice(), ast.Constant(value=int())])
        ):
            return of == name
    return False


def compared_over_batch(tree: ast.Module) -> Found:
    """`F.cosine_similarity(net(a), net(b), dim=0)` of batches: one cosine for each feature."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        made = [call.func] if isinstance(call.func, ast.Call) else made_of(call.func, tree)
        held = next((m for m in made if isinstance(m, ast.Call)), None)
        if tail(call) in ("cosine_similarity", "pairwise_distance") and held is None:
            along = argument(call, 2, "dim") if tail(call) == "cosine_similarity" else None
        elif held is not None and callee(held) == "CosineSimilarity":
            along = argument(held, 0, "dim")
        elif tail(call) == "normalize" and dotted(call.func) in _NORMALIZE:
            along = argument(call, 2, "dim")
        else:
            continue
        given = call.args[: 1 if tail(call) == "normalize" else 2]
        if along is None or ast.unparse(along) != "0" or not given:
            continue
        named = [name for _, name, value in assigned(tree) if value is call]
        if tail(call) == "normalize" and not any(_is_of_rows(n, tree) for n in named):
            continue  # each feature by itself is meant where features are compared
        if all(_is_of_batch(g, tree) for g in given):
            cosine = "similarity" if len(given) > 1 else "length"
            yield Told(
                "compared_over_batch",
                call,
                f"dimension 0 is the batch: this takes the {cosine} of each feature over all "
                "samples, and not that of each sample; take it over the features, `dim=-1`",
                (way("each sample is taken by itself", put(along, "-1")),),
            )


_NORMALIZE = ("F.normalize", "nn.functional.normalize", "torch.nn.functional.normalize")


def _is_of_batch(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it is what a model of Linear layers makes of a batch: two dimensions, samples first.

    The batch is a part of a pass over data, or of as many rows as the text says.
    """
    batches = {n.id for of in passes(tree) for n in walk(of.loop.target) if isinstance(n, ast.Name)}
    made = made_of(node, tree)
    for one in made:
        match one:
            case ast.Call(func=ast.Name() as model, args=[given]):
                pass
            case _:
                return False
        layers = [m for m in held_by(model, tree) if isinstance(m, ast.Call)]
        last = [m.args[-1] if callee(m) == "Sequential" and m.args else m for m in layers]
        flat = bool(last) and all(is_linear(m) for m in last)
        rows = [v for v in made_of(given, tree) if _has_rows(v)]
        if not flat or not (words(given) & batches or rows):
            return False
    return bool(made)


def _has_rows(value: ast.expr) -> bool:
    """`torch.randn(32, 8)`."""
    sizes = value.args if isinstance(value, ast.Call) and tail(value) in ("randn", "rand") else []
    return len(sizes) == 2


RULES = (
    reduced_before_weights,
    rows_against_columns,
    norm_of_all,
    softmax_over_batch,
    compared_over_batch,
)
