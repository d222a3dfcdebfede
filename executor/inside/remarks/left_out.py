"""Find a part that was left out: a term, a mask, the end of an episode, a graph, a fresh start."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    inside,
    is_optimizer,
    loops,
    method_calls,
    owner,
    tail,
    walk,
    words,
)

_LOSS = re.compile(r"(?i)(^|_)(loss(es)?|kld?|reg|l1|l2|aux|penalty|entropy)\d*(_|$)")
_DONE = re.compile(r"(?i)(is_|b_|batch_)?(dones?|terminals?|terminated)(_batch|_b|_t)?")
_GAMMA = re.compile(r"(?i)^(gamma|discount)")
_FOLDS = re.compile(r"(?i)folds?|kf|skf|k_?fold|cv")
_MASK = re.compile(r"(?i)train_?(mask|idx|index|indices|nodes)|idx_?train")
_HELD_OUT = re.compile(r"(?i)(test|val)_?(mask|idx|index|indices|nodes)|idx_?(test|val)")
_PICTURES = re.compile(r"(?i)x|ima?ge?|data|pixel|input|frame|pic")
_LOSSES = re.compile(r"(?i)cross_entropy|nll_loss|mse_loss|loss|criterion|binary_cross|^ce$|bce")


def term_twice(tree: ast.Module) -> Found:
    """`a + 0.5 * a` for a loss of several terms, while another term is in no sum at all."""
    back = {owner(c) for c in method_calls(tree, "backward")} - {""}
    values = {name: value for _, name, value in assigned(tree)}
    for node, name, value in assigned(tree):
        if name not in back:
            continue
        terms = [sorted(w for w in words(t) if _LOSS.search(w)) for t in _terms(value)]
        twice = [t for i, t in enumerate(terms) if len(t) == 1 and t in terms[:i]]
        if not twice:
            continue
        in_sums = {
            w
            for other, given in values.items()
            if _LOSS.search(other) or other in back
            for w in words(given)
        }
        scope = next((loop for loop in loops(tree) if node in set(inside(loop))), tree)
        left = [
            other
            for statement, other, given in assigned(scope)
            if _LOSS.search(other)
            and other not in in_sums | back
            and isinstance(given, ast.Call | ast.BinOp)
            and statement.lineno < node.lineno
        ]
        if len(left) == 1:
            yield (
                "term_twice",
                node,
                f"the sum has `{twice[0][0]}` twice, and `{left[0]}` is in no sum, so that what it "
                f"is computed from learns nothing from it; write `{left[0]}` in one of the places",
            )


def _terms(value: ast.expr) -> list[ast.expr]:
    match value:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_terms(left), *_terms(right)]
    return [value]


def end_left_out(tree: ast.Module) -> Found:
    """`reward + gamma * value`, in code that unpacks where episodes end and never reads it."""
    for scope in _scopes(tree):
        body = list(inside(scope))
        unpacked = {
            n.id
            for node in body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Tuple)
            for n in target.elts
            if isinstance(n, ast.Name) and _DONE.fullmatch(n.id)
        }
        read = {n.id for n in walk(tree) if isinstance(n, ast.Name) and _reads(n) and n in body}
        for name in sorted(unpacked - read):
            for node in body:
                match node:
                    case ast.BinOp(
                        left=left, op=ast.Add(), right=ast.BinOp(op=ast.Mult()) as product
                    ) if any(_GAMMA.search(w) for w in words(product)):
                        pass
                    case _:
                        continue
                if not words(product) & {name} and not any(_DONE.fullmatch(w) for w in words(left)):
                    yield (
                        "end_left_out",
                        node,
                        f"`{name}` is unpacked and never read: the value of the next state counts "
                        "also where the episode has ended and there is none; multiply it by "
                        f"`(1 - {name})`",
                    )
                    return


def _reads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _scopes(tree: ast.Module) -> Iterator[ast.AST]:
    yield tree
    yield from (n for n in walk(tree) if isinstance(n, ast.FunctionDef))


def pixels_floored(tree: ast.Module) -> Found:
    """`images // 255`: everything below 255 becomes 0."""
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=left,
                op=ast.FloorDiv(),
                right=ast.Constant(value=255 | 255.0 | 256 | 256.0 as by),
            ) if not isinstance(left, ast.Constant):
                pass
            case _:
                continue
        if any(
            re.search(r"(?i)^(x|ima?ge?s?|data|pixels?|inputs?|frames?|pics?)", w)
            for w in words(left)
        ):
            yield (
                "pixels_floored",
                node,
                f"`// {by}` rounds down: every value below {by} becomes 0, so that pictures lose "
                f"nearly all that is in them; write `/ {by}`",
            )


def mask_left_out(tree: ast.Module) -> Found:
    """A loss over all nodes, in code that makes a mask for training and for the test."""
    names = {n.id for n in walk(tree) if isinstance(n, ast.Name)}
    training = sorted(n for n in names if _MASK.fullmatch(n))
    tested = [
        n
        for n in walk(tree)
        if isinstance(n, ast.Subscript)
        and any(_HELD_OUT.fullmatch(w) for w in words(n.slice))
        and isinstance(n.ctx, ast.Load)
    ]
    if len(training) != 1 or not tested:
        return
    back = {owner(c) for c in method_calls(tree, "backward")} - {""}
    places = [
        n
        for n in (*loops(tree), *(f for f in walk(tree) if isinstance(f, ast.FunctionDef)))
        if any(tail(c) == "backward" for c in inside(n) if isinstance(c, ast.Call))
    ]
    if not places or any(training[0] in words(p) for p in places):
        return
    for _, name, value in assigned(tree):
        if name not in back or not isinstance(value, ast.Call) or not _LOSSES.search(tail(value)):
            continue
        if len(value.args) == 2 and all(isinstance(a, ast.Name) for a in value.args):
            yield (
                "mask_left_out",
                value,
                f"the loss goes over everything, and `{training[0]}` has no part in the "
                "training: what the test asks for is trained on too; write "
                f"`{ast.unparse(value.args[0])}[{training[0]}]`, and the same of the targets",
            )


def graph_left_out(tree: ast.Module) -> Found:
    """A derivative in a loss, taken without a graph of its own: to the optimizer it is a number."""
    flows: dict[str, set[str]] = {}
    functions = {f.name: f for f in walk(tree) if isinstance(f, ast.FunctionDef)}
    for _, name, value in _given(tree):
        flows.setdefault(name, set()).update(words(value))
    for name, function in functions.items():
        for node in inside(function):
            if isinstance(node, ast.Return) and node.value is not None:
                flows.setdefault(name, set()).update(words(node.value))
    back = {w for c in method_calls(tree, "backward") for w in words(c.func)}
    wanted = _behind(back, flows)
    for node, name, value in _given(tree):
        calls = [c for c in walk(value) if isinstance(c, ast.Call) and _is_derivative(c)]
        if name not in wanted or len(calls) != 1 or not isinstance(node, ast.Assign):
            continue
        given = {k.arg: k.value for k in calls[0].keywords}
        if given.keys() & {"create_graph", None}:
            continue
        made = {n for n in wanted - back if name in _behind({n}, flows)}
        of = dotted(calls[0].args[1])
        if any(_is_a_step(tree, n, of) for n in made):
            continue
        if "backward" in {tail(n) for n in walk(value) if isinstance(n, ast.Call)}:
            continue
        yield (
            "graph_left_out",
            calls[0],
            f"`{name}` goes into the loss, and has no graph: without `create_graph=True` "
            "torch.autograd.grad gives plain numbers, and no gradient of this term reaches the "
            "model; pass `create_graph=True`",
        )


def _behind(names: set[str], flows: dict[str, set[str]]) -> set[str]:
    """The names, and all that they are made from."""
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += flows.get(name, ())
    return found


def _given(tree: ast.AST) -> Iterator[tuple[ast.AST, str, ast.expr]]:
    """Each name that an assignment binds, with the value; of a tuple each one with all of it."""
    for node in walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for n in walk(target):
                    if isinstance(n, ast.Name):
                        yield node, n.id, node.value


def _is_derivative(call: ast.Call) -> bool:
    return (
        dotted(call.func) in ("torch.autograd.grad", "autograd.grad", "grad") and len(call.args) > 1
    )


def _is_a_step(tree: ast.Module, name: str, of: str) -> bool:
    """Whether it is taken off something, as in a step of an own optimizer, or only its sign is.

    So it is where it is added to the very thing that the derivative is by.
    """
    for node in walk(tree):
        match node:
            case ast.BinOp(op=ast.Add(), left=left, right=right) if (
                of and {dotted(left), dotted(right)} & {of} and name in words(node)
            ):
                return True
            case ast.BinOp(op=ast.Sub(), right=right) | ast.AugAssign(value=right) if name in words(
                right
            ):
                return True
            case ast.Call() if tail(node) in ("sign", "zip", "sub_", "add_", "copy_") and (
                name in words(node)
            ):
                return True
            case ast.Attribute(attr="grad", ctx=ast.Store()):
                return True
    return False


def started_once(tree: ast.Module) -> Found:
    """One model for all folds: the later ones are tested on what it was trained on before."""
    made = {name: node for node, name, value in assigned(tree) if is_optimizer(value)}
    for loop in loops(tree):
        if not isinstance(loop, ast.For) or not _goes_over_folds(loop):
            continue
        body = list(inside(loop))
        names = {tail(n) for n in body if isinstance(n, ast.Call)}
        if "backward" not in names or names & {
            "load_state_dict", "deepcopy", "reset_parameters", "apply", "init_weights",
        }:  # fmt: skip
            continue
        stepped = {
            owner(c) for c in body if isinstance(c, ast.Call) and tail(c) == "step" and owner(c)
        }
        if any(made.get(name) in body for name in stepped) or not stepped & made.keys():
            continue
        name = min(stepped & made.keys())
        yield (
            "started_once",
            loop,
            f"the model and `{name}` are made before this loop and go on from fold to fold: from "
            "the second one on it is tested on samples that it was trained on; make both anew at "
            "the beginning of each fold",
        )
        return


def _goes_over_folds(loop: ast.For) -> bool:
    """Whether its rounds are the folds of a cross-validation."""
    body = list(inside(loop))
    indexed = {
        w
        for n in body
        if isinstance(n, ast.Subscript) and _FOLDS.fullmatch(dotted(n.value))
        for w in words(n.slice)
    }
    targets = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    return (
        any(_FOLDS.fullmatch(t) for t in targets)
        or bool(targets & indexed)
        or any(
            isinstance(n, ast.Call) and tail(n) == "split" and _FOLDS.fullmatch(owner(n))
            for n in walk(loop.iter)
        )
    )


RULES = (
    term_twice,
    end_left_out,
    pixels_floored,
    mask_left_out,
    graph_left_out,
    started_once,
)
