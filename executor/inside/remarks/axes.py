"""Find what is summed, laid out or picked along another dimension than is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.parts import flows
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    behind,
    callee,
    constant,
    dotted,
    functions,
    inside,
    methods_named,
    module_classes,
    tail,
    walk,
    words,
)

_LOG_DETERMINANT = re.compile(r"(?i)(^|[._])(log_?(abs_?)?det\w*|ldj|log_?jac\w*|sldj)$")
_LAYS_OUT = {"view", "reshape", "flatten"}


def logdet_of_batch(tree: ast.Module) -> Found:
    """`log_det = s.sum()` of scales that each sample has for itself."""
    for function in functions(tree).values():
        given = {a.arg for a in function.args.args} - {"self", "cls"}
        made = flows(function)
        for _, name, value in assigned(function):
            if not _LOG_DETERMINANT.search(name):
                continue
            match value:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="torch"), attr="sum"), args=[of]
                ):
                    pass
                case ast.Call(func=ast.Attribute(value=of, attr="sum"), args=[], keywords=[]):
                    pass
                case _:
                    continue
            if len(value.args) + len(value.keywords) > 1:
                continue
            read = {n.id for n in walk(of) if isinstance(n, ast.Name)} - {"self", "torch"}
            # What the layer itself holds is the same for all samples.
            if not read or not all(behind({n}, made) & given for n in read):
                continue
            yield Told(
                "logdet_of_batch",
                value,
                f"`{name}` is summed over the samples of the batch too, so that each of them gets "
                "the log-determinants of all: the likelihood can be made as large as one likes by "
                f"scaling; sum over the features alone: `{ast.unparse(of)}.flatten(1).sum(1)`",
                (way("each sample has a log-determinant of its own",
                     put(value, of, ".flatten(1).sum(1)")),),
            )  # fmt: skip
            return


def penalty_along_channels(tree: ast.Module) -> Found:
    """`((grad.norm(2, dim=1) - 1) ** 2)` of the gradient by pictures: a norm for each pixel."""
    if not any(_has_convolutions(c) for c in (*module_classes(tree), tree)):
        return
    gradients = _gradients(tree)
    laid_out = {
        dotted(n.func.value)
        for n in walk(tree)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in _LAYS_OUT
    }
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=ast.Call(func=ast.Attribute(value=of, attr="norm")) as norm,
                op=ast.Sub(),
                right=ast.Constant(value=1 | 1.0),
            ) if dotted(of) in gradients - laid_out:
                along = argument(norm, 1, "dim")
                if along is not None and ast.unparse(along) == "1":
                    yield Told(
                        "penalty_along_channels",
                        norm,
                        f"`{dotted(of)}` has the shape of the pictures, and its norm along "
                        "dimension 1 is that of the channels, one for each pixel: each pixel's is "
                        "drawn to 1, and the norm of a whole picture's gradient to the root of "
                        f"their number; take `{dotted(of)}.flatten(1).norm(2, dim=1)`",
                        (way("each sample's gradient has one norm",
                             put(norm, of, ".flatten(1).norm(2, dim=1)")),),
                    )  # fmt: skip
                    return


def _has_convolutions(part: ast.AST) -> bool:
    return any(re.fullmatch(r"(Lazy)?Conv2d", w) for w in words(part))


def _gradients(tree: ast.Module) -> set[str]:
    """The variables that `autograd.grad` is given back to."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Assign) and any(
            isinstance(c, ast.Call) and callee(c) == "grad" for c in walk(node.value)
        ):
            found |= {n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name)}
    return found


def repeated_order(tree: ast.Module) -> Found:
    """`x.repeat(k, 1)`, whose copies are taken apart as if each sample's stood side by side."""
    for scope in (tree, *functions(tree).values()):
        made: dict[str, list[ast.expr]] = {}
        for _, name, value in assigned(scope):
            made.setdefault(name, []).append(value)
        samples = _sizes_of_samples(scope)
        reduced = {  # all together: in whatever order
            n.func.value for n in inside(scope)
            if isinstance(n, ast.Call) and not n.args and not n.keywords
            and isinstance(n.func, ast.Attribute) and n.func.attr in ("mean", "sum")
        }  # fmt: skip
        for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
            if tail(call) not in ("view", "reshape") or len(call.args) < 2 or call in reduced:
                continue
            if not isinstance(call.func, ast.Attribute):
                continue
            first, second, *others = call.args
            shown = ast.unparse(call)[:60]
            for times, side_by_side in _copied(call.func.value, made):
                # Copies of a whole batch lie a batch apart, those of each sample side by side.
                copies, batch = (first, second) if side_by_side else (second, first)
                is_batch = _is_batch(batch, made) or dotted(batch) in samples
                if ast.unparse(copies) != times or not is_batch:
                    continue
                if side_by_side:
                    told = (
                        "`repeat_interleave` sets the copies of a sample side by side, and "
                        f"`{shown}` takes what lies {ast.unparse(batch)} apart for them, which are "
                        "different samples; make the copies the second dimension"
                    )
                else:
                    told = (
                        "the whole batch is set behind itself, so that the copies of a sample lie "
                        f"a batch apart, and `{shown}` takes neighbours for them, which are "
                        "different samples; make the copies the first dimension, and reduce "
                        "over that, or copy with `repeat_interleave`"
                    )
                rest = [part for other in others for part in (", ", other)]
                turned = put(call, call.func, "(", second, ", ", first, *rest, ").transpose(0, 1)")
                yield Told(
                    "repeated_order",
                    call,
                    told,
                    (way("what belongs to one sample stays together", turned),),
                )
                return


_TURNS = {
    "permute", "transpose", "t", "swapaxes", "movedim", "flip", "rearrange", "chunk", "split",
    "sort", "gather", "unbind",
}  # fmt: skip


def _copied(node: ast.expr, made: dict[str, list[ast.expr]]) -> Iterator[tuple[str, bool]]:
    """How often the rows of what a value is computed from were copied, and whether side by side.

    What is turned round on the way may have been brought into order.
    """
    todo, seen = list[ast.AST]([node]), set[str]()
    while todo:
        part = todo.pop()
        match part:
            case ast.Call() if tail(part) in _TURNS:
                continue
            case ast.Attribute(attr="T" | "mT"):
                continue
            case ast.Call(func=ast.Attribute(attr="repeat" | "tile"), args=[times, *rest]) if (
                rest and all(isinstance(a, ast.Constant) and a.value == 1 for a in rest)
            ):
                yield ast.unparse(times), False
            case ast.Call(
                func=ast.Attribute(attr="cat" | "concat"),
                args=[ast.BinOp(left=ast.List(elts=[_]), op=ast.Mult(), right=times), *_],
            ):
                yield ast.unparse(times), False
            case ast.Call(func=ast.Attribute(attr="repeat_interleave"), args=[times, *_]):
                yield ast.unparse(times), True
            case ast.Name(id=name) if name in made and name not in seen:
                seen.add(name)
                todo += made[name]
        todo += (n for n in ast.iter_child_nodes(part) if isinstance(n, ast.expr | ast.keyword))


def _sizes_of_samples(scope: ast.AST) -> set[str]:
    """`B` of `B, n = x.shape`."""
    found: set[str] = set()
    for node in inside(scope):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=first), *_])],
                value=ast.Attribute(attr="shape") | ast.Call(func=ast.Attribute(attr="size")),
            ):
                found.add(first)
    return found


def _is_batch(node: ast.expr, made: dict[str, list[ast.expr]]) -> bool:
    """Whether it is the number of samples: `x.size(0)`, `x.shape[0]`, `len(x)`, or named so."""
    named, node = node, made.get(dotted(node), [node])[-1]
    match node:
        case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0)]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0)):
            return True
        case ast.Call(func=ast.Name(id="len"), args=[_]):
            return True
    given = ast.unparse(named if isinstance(node, ast.Constant) else node)
    return re.fullmatch(r"(?i)b|bs|bsz|n|batch(_?size)?", given) is not None


def streams_cut(tree: ast.Module) -> Found:
    """`data.view(n, batch)` of one long text: neighbours in time lie side by side in the batch."""
    for function in functions(tree).values():
        given = [a.arg for a in function.args.args]
        made = {name: value for _, name, value in assigned(function)}
        for node in inside(function):
            match node:
                case ast.Return(
                    value=ast.Call(
                        func=ast.Attribute(value=of, attr="view" | "reshape") as how,
                        args=[steps, batch] | [ast.Tuple(elts=[steps, batch])],
                    ) as call
                ) if dotted(batch) in given:
                    pass
                case _:
                    continue
            if not (_is_share(made.get(dotted(steps), steps), batch) or ast.unparse(steps) == "-1"):
                continue
            if not _reads_in_time(tree) or "batch_first" in words(tree):
                continue
            yield Told(
                "streams_cut",
                call,
                f"the text runs along the rows here: neighbours stand side by side in the batch, "
                f"and a column goes on by `{dotted(batch)}` places with each step, so that what "
                "follows is not what comes next in the text; lay it out as "
                f"`{ast.unparse(how.value)}.view({dotted(batch)}, -1).t()`",
                (way("each column is a piece of the text",
                     put(call, of, f".view({dotted(batch)}, -1).t().contiguous()")),),
            )  # fmt: skip
            return


def _is_share(node: ast.expr, batch: ast.expr) -> bool:
    """`data.size(0) // batch`."""
    match node:
        case ast.BinOp(op=ast.FloorDiv(), right=right):
            return ast.unparse(right) == ast.unparse(batch)
    return False


def _reads_in_time(tree: ast.Module) -> bool:
    """Whether targets are the inputs one step further: `source[i + 1 : …]`."""
    return any(
        isinstance(n, ast.Slice)
        and isinstance(n.lower, ast.BinOp)
        and isinstance(n.lower.op, ast.Add)
        and isinstance(n.lower.right, ast.Constant)
        and n.lower.right.value == 1
        for n in walk(tree)
    )


_NUMBERS = re.compile(r"(?i)^(a|act\w*|actions?|y|yb|labels?|targets?|idx|index|indices|classes)$")


def columns_for_all(tree: ast.Module) -> Found:
    """`q(s)[:, a]` with an action for each row: all of these columns, of every row."""
    together = [*_unpacked(tree)]
    for node in walk(tree):
        match node:
            case ast.Subscript(
                value=ast.Call(args=[given, *_]) as scores,
                slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), picked]),
                ctx=ast.Load(),
            ) if _NUMBERS.match(dotted(picked)):
                pass
            case _:
                continue
        rows = {n.id for n in walk(given) if isinstance(n, ast.Name)}
        if not any(rows & names and dotted(picked) in names for names in together):
            continue
        yield Told(
            "columns_for_all",
            node,
            f"`[:, {dotted(picked)}]` takes all of these columns from every row, a square table of "
            "the batch with itself, and not the one of each row; with a target for each row the "
            "difference is taken of every pair; write "
            f"`{ast.unparse(scores)[:60]}.gather(1, {dotted(picked)}[:, None]).squeeze(1)`",
            (way("of each row its own column is taken",
                 put(node, scores, f".gather(1, {dotted(picked)}[:, None]).squeeze(1)")),),
        )  # fmt: skip
        return


def _unpacked(tree: ast.Module) -> Iterator[set[str]]:
    """The names that one statement gives the rows of one batch to."""
    for node in walk(tree):
        match node:
            case ast.For(target=target):
                names = {n.id for n in walk(target) if isinstance(n, ast.Name)}
            case ast.Assign(targets=[ast.Tuple(elts=names_), *_], value=ast.Tuple(elts=given)) if (
                len({ast.unparse(g.slice) for g in given if isinstance(g, ast.Subscript)}) == 1
            ) and all(isinstance(g, ast.Subscript) for g in given):
                names = {dotted(n) for n in names_}
            case ast.Assign(targets=[ast.Tuple(elts=names_), *_], value=ast.Call() as call) if (
                re.search(r"(?i)sample|batch|next", tail(call))
            ):
                names = {dotted(n) for n in names_}
            case _:
                continue
        if len(names) > 1:
            yield names - {""}


_RECURRENT = ("LSTM", "GRU", "RNN")


def state_of_all_layers(tree: ast.Module) -> Found:
    """`self.head(h_n)` of a recurrent layer with several layers or directions."""
    for module in module_classes(tree):
        layers = {
            name: value for _, name, value in assigned(module)
            if isinstance(value, ast.Call) and callee(value) in _RECURRENT and _is_deep(value)
        }  # fmt: skip
        heads = {
            name for _, name, value in assigned(module)
            if isinstance(value, ast.Call) and callee(value) == "Linear"
        }  # fmt: skip
        for forward in methods_named(module, "forward"):
            states: dict[str, ast.Call] = {}
            for node in inside(forward):
                match node:
                    case ast.Assign(
                        targets=[ast.Tuple(elts=[_, held])], value=ast.Call() as call
                    ) if dotted(call.func) in layers:
                        first = held.elts[0] if isinstance(held, ast.Tuple) else held
                        takes_pair = callee(layers[dotted(call.func)]) == "LSTM"
                        if isinstance(held, ast.Tuple) is takes_pair and dotted(first):
                            states[dotted(first)] = layers[dotted(call.func)]
            anew = [name for _, name, _ in assigned(forward)]
            for call in (n for n in inside(forward) if isinstance(n, ast.Call)):
                name = dotted(call.args[0]) if len(call.args) == 1 else ""
                if dotted(call.func) not in heads or name not in states or name in anew:
                    continue
                both = _says_true(states[name], "bidirectional")
                last = f"torch.cat([{name}[-2], {name}[-1]], dim=1)" if both else f"{name}[-1]"
                yield (
                    "state_of_all_layers",
                    call,
                    f"`{name}` holds the last state of every layer and direction, [layers · "
                    "directions, batch, hidden], and this gives an answer for each of them; the "
                    f"last layer's is `{last}`"
                    + (", with twice the hidden size for the next layer" if both else ""),
                )
                return


def _is_deep(layer: ast.Call) -> bool:
    """Whether it is made with more than one layer, or both directions, as far as is written."""
    deep = argument(layer, 2, "num_layers")
    several = deep is not None and not (isinstance(deep, ast.Constant) and deep.value == 1)
    return several or _says_true(layer, "bidirectional")


def _says_true(layer: ast.Call, name: str) -> bool:
    said = next((k.value for k in layer.keywords if k.arg == name), None)
    return said is not None and not (isinstance(said, ast.Constant) and not said.value)


def size_cut_off(tree: ast.Module) -> Found:
    """`steps = int(50176 / 3)`, a size of a view that is no whole number before it is cut off."""
    sizes = {
        n.id
        for call in (n for n in walk(tree) if isinstance(n, ast.Call))
        if tail(call) in ("view", "reshape", "unflatten")
        for a in call.args
        for n in walk(a)
        if isinstance(n, ast.Name)
    }
    for node, name, value in assigned(tree):
        match value:
            case ast.Call(
                func=ast.Name(id="int"), args=[ast.BinOp(left=of, op=ast.Div(), right=by)]
            ):
                pass
            case ast.BinOp(left=of, op=ast.FloorDiv(), right=by):
                pass
            case _:
                continue
        whole, parts = _number(of, tree), _number(by, tree)
        if name not in sizes or not whole or not parts or whole % parts == 0:
            continue
        yield (
            "size_cut_off",
            node,
            f"{whole} / {parts} is no whole number, {whole / parts:.2f}, and `{name}` is cut off "
            f"to {whole // parts}: no view with it holds all of the values; see whether it is to "
            f"be divided by {parts} at all",
        )
        return


def _number(node: ast.expr, tree: ast.Module) -> int:
    """The whole number that an expression is by the text, products too; 0 where it is none."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _number(left, tree) * _number(right, tree)
    told = constant(node, tree)
    return told.value if isinstance(told, ast.Constant) and type(told.value) is int else 0


RULES = (
    logdet_of_batch,
    penalty_along_channels,
    repeated_order,
    streams_cut,
    columns_for_all,
    state_of_all_layers,
    size_cut_off,
)
