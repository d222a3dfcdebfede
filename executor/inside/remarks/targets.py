"""Find targets that do not belong to what the model was given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    argument,
    assigned,
    bare,
    dotted,
    functions,
    is_read,
    is_true,
    made_of,
    tail,
    values,
    walk,
    words,
)

_RANDOM = {"randn", "randn_like", "rand", "rand_like", "normal"}
_DAMAGED = re.compile(r"(?i)nois|corrupt|mask|drop|damag")
_DRAWS = {"randperm", "randint", "permutation", "choice", "sample", "choices"}


def _pairs(tree: ast.Module) -> list[tuple[ast.Call, ast.expr, ast.expr]]:
    """The losses that are given two things: the call, the output, the target."""
    given = (
        (n, argument(n, 0, "input"), argument(n, 1, "target"))
        for n in walk(tree)
        if isinstance(n, ast.Call) and LOSS_CALL.search(tail(n))
        and len(n.args) + sum(k.arg in ("input", "target") for k in n.keywords) == 2
    )  # fmt: skip
    return [(n, a, b) for n, a, b in given if a is not None and b is not None]


def _squares(tree: ast.Module) -> list[tuple[ast.AST, ast.expr, ast.expr]]:
    """`(out - x) ** 2` and `(out - x).pow(2)`: both sides, as a loss is given them."""
    found: list[tuple[ast.AST, ast.expr, ast.expr]] = []
    for node in walk(tree):
        match node:
            case (
                ast.BinOp(
                    left=ast.BinOp(left=a, op=ast.Sub(), right=b),
                    op=ast.Pow(),
                    right=ast.Constant(value=2),
                )
                | ast.Call(
                    func=ast.Attribute(
                        value=ast.BinOp(left=a, op=ast.Sub(), right=b),
                        attr="pow" | "square" | "abs",
                    )
                )
            ):
                found += [(node, a, b), (node, b, a)]
    return found


def target_noisy(tree: ast.Module) -> Found:
    """An autoencoder that is given noisy data, and compared with them."""
    made, own = values(tree), functions(tree)
    noisy: dict[str, str] = {}
    for _, name, value in assigned(tree):
        match _unclamped(value):
            case ast.BinOp(
                left=ast.Name(id=clean), op=ast.Add() | ast.Mult() as how, right=added
            ) if (isinstance(how, ast.Add) or _DAMAGED.search(name)) and (
                words(added)
                | {w for n in walk(added) if dotted(n) in made for w in words(made[dotted(n)])}
            ) & _RANDOM:
                noisy[name] = clean
            case ast.Call(func=ast.Name(id=drops), args=[ast.Name(id=clean)]) if _is_dropout(
                made.get(drops)
            ) and _DAMAGED.search(name):
                noisy[name] = clean
            case ast.Call(func=ast.Name(id=adds), args=[of, *_]) if (
                _SPOILS.search(adds)
                and adds in own
                and words(own[adds]) & _RANDOM
                and isinstance(of, ast.Name | ast.Subscript)
            ):
                noisy[name] = ast.unparse(of)
    pairs = [*_pairs(tree), *_squares(tree)]
    noisy |= {n: clean for n, clean in _beside_the_clean(tree) if n not in noisy}
    compared = {ast.unparse(side) for _, *sides in pairs for side in sides}
    for node, output, target in pairs:
        clean = noisy.get(dotted(target), "")
        output = made.get(dotted(output), output)
        is_model = isinstance(output, ast.Call) and not dotted(output.func).startswith("torch.")
        given = set(map(dotted, output.args)) if is_model else set()  # type: ignore[attr-defined]
        if clean and dotted(target) in given and clean not in compared:
            name = dotted(target)
            yield Told(
                "target_noisy",
                node,
                f"the model is given `{name}` and compared with `{name}`, the noise included: it "
                f"learns to keep the noise, and `{clean}` itself is never asked for; write "
                f"`{clean}` as the target",
                (way("the noise is to be taken away", put(target, clean)),),
            )


_SPOILS = re.compile(r"(?i)nois|corrupt|damag|degrade")
_CLEAN = re.compile(r"(?i)(^|_)(clean|orig|original|gt|target|hr|truth)(_|$|s$)")


def _unclamped(value: ast.expr) -> ast.expr:
    """`x + noise` of `torch.clamp(x + noise, 0, 1)` and `(x + noise).clamp(0, 1)`."""
    while isinstance(value, ast.Call) and tail(value) in ("clamp", "clip", "clamp_", "to", "float"):
        of = value.func.value if isinstance(value.func, ast.Attribute) else value
        if dotted(of) in ("torch", "np", "numpy"):
            of = value.args[0] if value.args else value
        if of is value:
            break
        value = of
    return value


def _is_dropout(made: ast.expr | None) -> bool:
    return isinstance(made, ast.Call) and tail(made) in ("Dropout", "Dropout1d", "Dropout2d")


def _beside_the_clean(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """`for noisy, clean in loader`, of which the clean one is read nowhere."""
    for node in walk(tree):
        match node:
            case (
                ast.For(target=ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=two)]))
                | ast.For(
                    target=ast.Tuple(elts=[_, ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=two)])])
                )
            ):
                pass
            case _:
                continue
        for name, clean in ((one, two), (two, one)):
            if _SPOILS.search(name) and _CLEAN.search(clean) and not is_read(clean, tree):
                yield name, clean


_LABELS = re.compile(r"(?i)(ys?|lab(el)?s?|targets?|classes)(_?(train|tr|all|data))?")


def _before(node: ast.expr, by: ast.expr, tree: ast.Module) -> ast.expr:
    """What a variable was given last before a place; anything else is itself."""
    name = dotted(node)
    given = [(s.lineno, v) for s, n, v in assigned(tree) if name and n == name]
    earlier = [(line, v) for line, v in given if line <= by.lineno]
    return max(earlier, key=lambda one: one[0])[1] if earlier else node


def _tensor_of(value: ast.expr) -> ast.expr:
    """`y[rows]` of `torch.from_numpy(y[rows])`; `random.sample(y, 8)` counts as one of those."""
    while isinstance(value, ast.Call) and len(value.args) == 1 and tail(value) in _MAKES:
        value = value.args[0]
    match value:
        case ast.Call(func=ast.Attribute(attr="sample" | "choices"), args=[of, _]) if dotted(
            value.func
        ).startswith("random."):
            return ast.copy_location(ast.Subscript(of, value, ast.Load()), value)
    return value


_MAKES = {"stack", "tensor", "from_numpy", "as_tensor", "FloatTensor", "LongTensor", "Tensor"}


def drawn_apart(tree: ast.Module) -> Found:
    """`loss(model(x[order]), y[torch.randperm(n)])`: inputs and targets are drawn each anew."""
    pairs = [*_pairs(tree), *((n, a, b) for n, a, b in _squares(tree) if isinstance(n, ast.expr))]
    for node, output, target in pairs:
        named = isinstance(target, ast.Name)
        target = _tensor_of(_before(target, node, tree))
        if not isinstance(target, ast.Subscript):
            continue
        if named and not _LABELS.fullmatch(dotted(target.value).rpartition(".")[2]):
            continue  # two samples of what is to be alike
        index = target.slice
        drawn = any(isinstance(c, ast.Call) and tail(c) in _DRAWS for c in walk(index))
        output = _before(output, node, tree)
        given = [n.slice for n in walk(output) if isinstance(n, ast.Subscript)]
        if isinstance(output, ast.Call) and not given:
            inputs = [_tensor_of(_before(a, output, tree)) for a in output.args]
            given = [a.slice for a in inputs if isinstance(a, ast.Subscript)]
            given = [i for i in given if words(i) & _DRAWS or isinstance(i, ast.Name)]
        names = [n for n in given if isinstance(n, ast.Name)]
        if drawn and given:
            one = f"`{names[0].id}`" if names else "one and the same draw"
            yield Told(
                "drawn_apart",
                node,
                f"`{ast.unparse(index)}` draws other samples than the inputs: no target belongs "
                f"to its input; index both with {one}",
                tuple(way("each input has its own target", put(index, n)) for n in names[:1]),
            )
    yield from _loaded_apart(tree)


def _loaded_apart(tree: ast.Module) -> Iterator[Told]:
    """`for x, y in zip(x_loader, y_loader)`, where both loaders shuffle, each for itself."""
    compared = {dotted(bare(target)): output for _, output, target in _pairs(tree)}
    for node in walk(tree):
        match node:
            case ast.For(target=ast.Tuple(elts=[*names]), iter=ast.Call() as call):
                pass
            case _:
                continue
        if tail(call) in ("enumerate", "tqdm") and call.args and isinstance(call.args[0], ast.Call):
            call = call.args[0]
            inner = names[-1] if len(names) == 2 else None
            names = [*inner.elts] if isinstance(inner, ast.Tuple) else names
        if tail(call) != "zip" or len(names) != 2 or len(call.args) != 2:
            continue
        given, label = map(dotted, names)
        output = compared.get(label)
        if (
            not (given and label)
            or output is None
            or not all(_shuffles(a, tree) for a in call.args)
        ):
            continue
        if not _LABELS.fullmatch(label) and not words(tree) & {"cross_entropy", "CrossEntropyLoss"}:
            continue  # two sets that are to become alike
        if any(label in words(a) for c in walk(node) if isinstance(c, ast.Call) and c is not call
               for a in c.args[:1]):  # fmt: skip
            continue  # a model is asked about both
        if is_read(given, output) or any(
            is_read(given, v) for _, n, v in assigned(node) if n == dotted(output)
        ):
            yield Told(
                "drawn_apart",
                call,
                "both loaders shuffle, each by a draw of its own: no target belongs to its input, "
                "and nothing can be learnt of them; put both into one data set, "
                "`DataLoader(TensorDataset(inputs, targets), shuffle=True)`",
            )


def _shuffles(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it is a loader that draws its order, and is given no generator to draw it from."""
    made = made_of(node, tree)
    return bool(made) and all(
        isinstance(m, ast.Call)
        and tail(m) == "DataLoader"
        and is_true(argument(m, 2, "shuffle") or ast.Constant(value=False))
        and argument(m, 99, "generator") is None
        for m in made
    )


RULES = (drawn_apart, target_noisy)
