"""Find data that are brought to another scale than is meant."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Part, Told, operand, put, way
from executor.inside.remarks.parts import HELD, TRAINING
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    functions,
    last_value,
    made_of,
    method_calls,
    owner,
    says,
    tail,
    walk,
    words,
)

_MEAN = re.compile(r"(?i)(^|_)(mean|mu|means|avg)(_|$)")
_DEVIATION = re.compile(r"(?i)(^|_)(std|sd|sigma|stds|stdev|deviation)(_|$)")
_PIXELS = re.compile(r"(?i)^(x|ima?ge?s?|data|pixels?|inputs?|frames?|pics?)")


def precedence(tree: ast.Module) -> Found:
    """`x - mean / std`: the division comes first."""
    for node in walk(tree):
        match node:
            case (
                ast.BinOp(
                    left=data,
                    op=ast.Sub(),
                    right=ast.BinOp(left=mean, op=ast.Div(), right=by),
                )
                | ast.AugAssign(
                    target=data, op=ast.Sub(), value=ast.BinOp(left=mean, op=ast.Div(), right=by)
                )
            ) if (_MEAN.search(_name(mean)) and _DEVIATION.search(_name(_without_small(by)))) or (
                _is_own(mean, data, ("mean",), tree)
                and _is_own(_without_small(by), data, ("std", "var"), tree)
            ):
                parts = (ast.unparse(data), ast.unparse(mean), ast.unparse(by))
                start: list[Part] = [data, " = "] if isinstance(node, ast.AugAssign) else []
                yield Told(
                    "precedence",
                    node,
                    f"the division comes before the subtraction: `{parts[0]}` keeps its scale; "
                    f"write `({parts[0]} - {parts[1]}) / {parts[2]}`",
                    (
                        way(
                            "mean 0 and deviation 1",
                            put(node, *start, "(", data, " - ", mean, ") / ", by),
                        ),
                    ),
                )

    yield from _counter_undivided(tree)


def _without_small(by: ast.expr) -> ast.expr:
    """`std` of `std + 1e-8` and `torch.sqrt(var + eps)`."""
    if isinstance(by, ast.Call) and tail(by) == "sqrt":
        by = by.args[0] if by.args else by
    return by.left if isinstance(by, ast.BinOp) and isinstance(by.op, ast.Add) else by


def _is_own(node: ast.expr, data: ast.expr, methods: tuple[str, ...], tree: ast.Module) -> bool:
    """Whether it is a statistic of these data by every way that the text gives: `x.mean(0)`."""
    made = made_of(node, tree)
    return all(
        isinstance(v, ast.Call) and tail(v) in methods and isinstance(v.func, ast.Attribute)
        and dotted(data) in (dotted(v.func.value), *map(dotted, v.args[:1]),
                             *(dotted(o) for o in made_of(data, tree)))
        for v in made
    ) and bool(made and dotted(data))  # fmt: skip


_COUNTER = re.compile(r"(?i)^(global_?)?(steps?|epochs?|ep|episodes?|t|it|iters?|iteration|i)"
                      r"(_done|_count|_?idx)?$")  # fmt: skip


def _counter_undivided(tree: ast.Module) -> Found:
    """`start - step + 1 / decay`: only the 1 is divided, and the whole counter taken off."""
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=ast.BinOp(left=start, op=ast.Sub(), right=counter),
                op=ast.Add(),
                right=ast.BinOp(left=ast.Constant(value=1 | 1.0) as one, op=ast.Div(), right=by),
            ) if _COUNTER.match(_name(counter)) and not isinstance(counter, ast.Call):
                parts = tuple(map(ast.unparse, (start, counter, by)))
                yield Told(
                    "precedence",
                    node,
                    f"the division comes before the sum: only the 1 is divided by `{parts[2]}`, "
                    f"and all of `{parts[1]}` is taken off; write `{parts[0]} - ({parts[1]} + 1) / "
                    f"{parts[2]}`",
                    (way("the counter is divided too",
                         put(node, start, " - (", counter, " + ", one, ") / ", *operand(by))),),
                )  # fmt: skip


def _name(node: ast.expr) -> str:
    """The name of a variable, or the last one of `x.mean(…)`."""
    node = node.value if isinstance(node, ast.Subscript) else node
    return tail(node) if isinstance(node, ast.Call) else dotted(node).rpartition(".")[2]


def pixels_floored(tree: ast.Module) -> Found:
    """`images // 255`: everything below 255 becomes 0."""
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=data, op=ast.FloorDiv(), right=ast.Constant(value=255 | 256) as by
            ) if says(data, _PIXELS):
                new = put(node, *operand(data), " / ", by)
            case ast.AugAssign(
                target=data, op=ast.FloorDiv(), value=ast.Constant(value=255 | 256) as by
            ) if says(data, _PIXELS):
                new = put(node, data, " = ", data, " / ", by)
            case ast.Call(args=[data, ast.Constant(value=255 | 256) as by]) if (
                tail(node) == "floor_divide"
                or any(
                    k.arg == "rounding_mode" and ast.unparse(k.value) == "'floor'"
                    for k in node.keywords
                )
            ) and says(data, _PIXELS):
                new = put(node, *operand(data), " / ", by)
            case _:
                continue
        number = ast.unparse(by)
        yield Told(
            "pixels_floored",
            node,
            f"this rounds down: every value below {number} becomes 0, so that pictures lose nearly "
            f"all that is in them; write `/ {number}`",
            (way("the values keep what lies between 0 and 1", new),),
        )


def fitted_on_test(tree: ast.Module) -> Found:
    """`scaler.fit_transform(test)`: the test data are scaled by their own statistics."""
    fitted = [c for m in ("fit_transform", "fit") for c in method_calls(tree, m) if c.args]
    trained: dict[str, str] = {}
    for call in fitted:
        if says(call.args[0], TRAINING):
            trained.setdefault(_fits(call, tree), owner(call))
    for call in fitted:
        given, kind = call.args[0], _fits(call, tree)
        if kind not in trained or not (tail(call) == "fit_transform" or _SCALER.search(kind)):
            continue
        if says(given, HELD) and not says(given, TRAINING):
            name = trained[kind]
            told = f": `{name}.transform(…)`" if name else ""
            if holds_both := name != "" and _fitted_to_both(fitted, name):
                told = (
                    f"; `{name}` is fitted to inputs and to targets and holds the last of them, so "
                    "take one scaler for each"
                )
            yield Told(
                "fitted_on_test",
                call,
                f"`{ast.unparse(call.func)[: -len(tail(call)) - 1]}` is fitted anew, to the test "
                "data: they are brought to another scale than the data that were trained on; apply "
                f"what was learned of those{told}",
                (way("the test data are scaled as the training data are",
                     put(call.func, f"{name}.transform")),)
                if name and tail(call) == "fit_transform" and not holds_both
                else (),
            )  # fmt: skip
    yield from _by_its_own(tree)


def _fitted_to_both(fitted: list[ast.Call], name: str) -> bool:
    """Whether one object is fitted to inputs and to targets, one after the other."""
    given = [c.args[0] for c in fitted if owner(c) == name]
    return len({says(value, _TARGETS) for value in given}) == 2


_TARGETS = re.compile(r"(?i)^ys?(?:_|$)|label|target")
_SCALER = re.compile(r"Scaler|Imputer|Normalizer|PCA")


def _fits(call: ast.Call, tree: ast.Module) -> str:
    """What is fitted: its class, where it is one that scales, or the variable."""
    of = call.func.value  # type: ignore[attr-defined]
    made = {tail(v) for v in made_of(of, tree) if isinstance(v, ast.Call)}
    scales = len(made) == 1 and _SCALER.search(min(made))
    return min(made) if scales else owner(call) or ast.unparse(of)


def _by_its_own(tree: ast.Module) -> Found:
    """`(x_test - x_test.mean(0)) / x_test.std(0)`, where the training data are scaled so too."""
    scaled: dict[str, tuple[ast.Assign, str]] = {}
    scales = {
        name for name, f in functions(tree).items()
        if len(f.args.args) == 1 and _scaled_by_own(last_value(f)) == f.args.args[0].arg
    }  # fmt: skip
    for node, name, value in assigned(tree):
        of = _scaled_by_own(value)
        if isinstance(value, ast.Call) and tail(value) in scales and len(value.args) == 1:
            of = dotted(value.args[0])
        if of:
            kind = "train" if TRAINING.search(name) else "test" if HELD.search(name) else ""
            scaled.setdefault(kind, (node, of))
    if {"train", "test"} <= scaled.keys():
        at, test = scaled["test"]
        yield (
            "fitted_on_test",
            at,
            f"`{test}` is scaled by its own mean and deviation: it is brought to another scale "
            "than the data that were trained on; keep the mean and the deviation of those, and use "
            "them for both",
        )


def _scaled_by_own(value: ast.expr | None) -> str:
    """`x` of `(x - x.mean(0)) / x.std(0)`."""
    match value:
        case ast.BinOp(left=ast.BinOp(left=of, op=ast.Sub(), right=mean), op=ast.Div(), right=by):
            pass
        case _:
            return ""
    if isinstance(by, ast.BinOp) and isinstance(by.op, ast.Add):
        by = by.left  # `x.std(0) + 1e-8`
    calls = [n for n in (mean, by) if isinstance(n, ast.Call)]
    own = {tail(c) for c in calls if dotted(of) in (owner(c), *map(dotted, c.args))}
    along = {ast.unparse(a) for c in calls for a in (*c.args, *(k.value for k in c.keywords))}
    is_own = own == {"mean", "std"} and along <= {"0", "True", dotted(of)}
    return dotted(of) if is_own else ""


def selected_on_test(tree: ast.Module) -> Found:
    """Columns picked by the labels of all samples, which are split into parts only afterwards."""
    flows: dict[str, ast.expr] = {}
    chosen: dict[str, ast.Assign] = {}
    cut: dict[str, tuple[ast.Assign, ast.Assign]] = {}
    for node in sorted((n for n in walk(tree) if isinstance(n, ast.Assign)), key=_line):
        value, names = node.value, [dotted(t) for t in node.targets]
        said = words(value)
        if said & _PICKS and len(names) == 1:
            scores = _behind(value, flows)
            by_both = any(
                isinstance(c, ast.Call) and len(c.args) == 2 and all(map(_is_whole, c.args))
                and any(map(_LABELS.fullmatch, map(dotted, c.args)))
                for c in scores
            )  # fmt: skip
            if by_both:
                chosen[names[0]] = node
        match value:
            case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice(), ast.Name(id=index)])) if (
                index in chosen and len(names) == 1
            ):
                cut[names[0]] = chosen[index], node
        for index in _columns_of_held_out(value) & chosen.keys():
            yield _selected(chosen[index], node)
            return
        for whole in cut.keys() & said:
            parts = [n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name)]
            if any(map(HELD.search, parts)) and node is not cut[whole][1]:
                made, _ = cut[whole]
                yield _selected(made, node)
                return
        if len(names) == 1:
            flows[names[0]] = value


def _selected(made: ast.Assign, test: ast.Assign) -> tuple[str, ast.AST, str]:
    return (
        "selected_on_test",
        made,
        f"`{dotted(made.targets[0])}` is picked by the labels of all samples, and line "
        f"{test.lineno} makes the test data of them afterwards: what is picked knows the test's "
        "answers, so that even noise gives a good result; split first, and pick by the training "
        "part alone",
    )


def _columns_of_held_out(value: ast.expr) -> set[str]:
    """`top` of `x[test][:, top]`."""
    found = set()
    for node in walk(value):
        match node:
            case ast.Subscript(
                value=ast.Subscript(slice=rows),
                slice=ast.Tuple(elts=[ast.Slice(), ast.Name(id=index)]),
            ) if any(map(HELD.search, words(rows))):
                found.add(index)
    return found


_PICKS = {"topk", "argsort", "argpartition", "sort", "nonzero", "where"}
_LABELS = re.compile(r"(?i)y|labels?|targets?|outcomes?|classes|diagnos[ie]s|response|group")


def _line(node: ast.Assign) -> int:
    return node.lineno


def _behind(value: ast.expr, flows: dict[str, ast.expr]) -> list[ast.AST]:
    """The nodes of a value, and of what its variables were made from, two steps back."""
    found = list(walk(value))
    for _ in range(2):
        found += [
            n
            for name in {m.id for m in found if isinstance(m, ast.Name)}
            if name in flows
            for n in walk(flows[name])
        ]
    return found


def _is_whole(node: ast.expr) -> bool:
    """A variable by itself, and none of the training part."""
    return isinstance(node, ast.Name) and not TRAINING.search(node.id)


RULES = (selected_on_test, pixels_floored, fitted_on_test, precedence)
