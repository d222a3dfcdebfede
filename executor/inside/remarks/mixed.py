"""Find data and terms that stand in the wrong place: a noisy target, returns counted forwards."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.syntax import (
    Found,
    assigned,
    callee,
    dotted,
    inside,
    loops,
    method_calls,
    owner,
    tail,
    walk,
    words,
)

_RANDOM = {"randn", "randn_like", "rand", "rand_like", "normal"}
_LOSSES = re.compile(r"(?i)loss|criterion|crit$|mse|^ce$|^bce|^l1|cross_entropy")
_GAMMA = re.compile(r"(?i)^(gamma|discount|GAMMA)")
_POSITIONS = re.compile(r"(?i)^(pe|pos\w*|positional\w*)$")
_MUCH = 0.9  # of the values of a layer, dropped


def target_noisy(tree: ast.Module) -> Found:
    """An autoencoder that is given noisy data, and compared with them."""
    noisy = {
        name: value.left
        for _, name, value in assigned(tree)
        if isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Add)
        and isinstance(value.left, ast.Name)
        and words(value.right) & _RANDOM
    }
    outputs = {
        name: {a.id for a in value.args if isinstance(a, ast.Name)}
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call)
    }
    for node in walk(tree):
        match node:
            case ast.Call(args=[first, ast.Name(id=target)]) if target in noisy and _LOSSES.search(
                tail(node)
            ):
                given = outputs.get(dotted(first), set())
                if isinstance(first, ast.Call):
                    given = {a.id for a in first.args if isinstance(a, ast.Name)}
                clean = dotted(noisy[target])
                compared = any(
                    isinstance(c, ast.Call)
                    and _LOSSES.search(tail(c))
                    and any(dotted(a) == clean for a in c.args)
                    for c in walk(tree)
                )
                if target in given and not compared:
                    yield (
                        "target_noisy",
                        node,
                        f"the model is given `{target}` and compared with `{target}`, the noise "
                        f"included: it learns to keep the noise, and `{clean}` itself is never "
                        f"asked for; write `{clean}` as the target",
                    )


def returns_forwards(tree: ast.Module) -> Found:
    """`R = r + gamma * R` from the first reward on: what came before is counted, not what comes."""
    for loop in loops(tree):
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            continue
        match loop.iter:
            case ast.Name(id=rewards) if "rew" in rewards.lower() or rewards in ("r", "rs"):
                pass
            case _:
                continue
        kept = {
            dotted(c.args[-1])
            for c in inside(loop)
            if isinstance(c, ast.Call) and tail(c) in ("append", "insert") and c.args
        }
        for _, name, value in assigned(loop):
            if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
                continue
            said = words(value)
            if {name, loop.target.id} <= said and any(map(_GAMMA.match, said)) and name in kept:
                yield (
                    "returns_forwards",
                    loop.iter,
                    f"this goes through `{rewards}` from the first to the last, so that "
                    f"`{name}` holds what was earned before each step, where the return is what "
                    f"comes after it; go through `reversed({rewards})`, and turn the list round "
                    "again",
                )


def positions_of_samples(tree: ast.Module) -> Found:
    """Positions by the first size of an input whose first dimension is the batch."""
    batch_first = any(
        isinstance(n, ast.keyword)
        and n.arg == "batch_first"
        and isinstance(n.value, ast.Constant)
        and n.value.value is True
        for n in walk(tree)
    )
    if not batch_first or {"transpose", "permute", "swapaxes"} & words(tree):
        return
    for node in walk(tree):
        match node:
            case ast.Subscript(
                value=ast.Attribute(attr=name), slice=ast.Slice(lower=None, upper=upper)
            ) if _POSITIONS.match(name) and upper is not None:
                pass
            case _:
                continue
        match upper:
            case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0)]) | (
                ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0))
            ):
                yield (
                    "positions_of_samples",
                    node,
                    f"`{ast.unparse(node)}` counts along dimension 0, and with `batch_first=True` "
                    "that is the batch: each sample gets one position for all of its steps; take "
                    "the positions along dimension 1",
                )


def same_answer(tree: ast.Module) -> Found:
    """A generator that is trained towards the answer that the discriminator is to give of it."""
    parents = {child: n for n in walk(tree) for child in ast.iter_child_nodes(n)}
    cut: dict[tuple[str, str, str], ast.Call] = {}
    whole: dict[tuple[str, str, str], ast.Call] = {}
    for node in walk(tree):
        match node:
            case ast.Call(args=[ast.Call(args=[made]) as judged, label]) if _LOSSES.search(
                tail(node)
            ):
                pass
            case _:
                continue
        judge, said = dotted(judged.func), ast.unparse(label)
        match made:
            case ast.Call(func=ast.Attribute(attr="detach", value=value), args=[]):
                cut[judge, said, ast.unparse(value)] = node
            case _:
                whole[judge, said, ast.unparse(made)] = node
    for key in cut.keys() & whole.keys():
        node = whole[key]
        around: ast.AST | None = node
        while around is not None and not isinstance(around, ast.stmt):
            if isinstance(around, ast.UnaryOp) or (
                isinstance(around, ast.BinOp) and isinstance(around.op, ast.Sub)
            ):
                break
            around = parents.get(around)
        if isinstance(around, ast.stmt):
            yield (
                "same_answer",
                node,
                f"`{key[0]}` is trained to say `{key[1]}` of `{key[2]}`, and what makes it is "
                "trained to be called just that, so that nobody tries to be taken for real; give "
                "the generator's loss the label of real samples",
            )


def drops_most(tree: ast.Module) -> Found:
    """`nn.Dropout(0.9)`: the number is what is dropped."""
    for node in walk(tree):
        if not isinstance(node, ast.Call) or not re.fullmatch(r"Dropout\d?d?", callee(node)):
            continue
        given = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "p")]
        for value in given:
            number = value.value if isinstance(value, ast.Constant) else None
            if isinstance(number, float | int) and _MUCH <= number <= 1:
                yield (
                    "drops_most",
                    node,
                    f"the number of a Dropout is the share that is dropped: "
                    f"{number:.0%} of all values are set to 0 in training; to keep that "
                    f"share write `{1 - number:.2g}`",
                )


def terms_alike(tree: ast.Module) -> Found:
    """`lam * loss(out, a) + (1 - lam) * loss(out, a)`: two terms of one and the same."""
    back = {owner(c) for c in method_calls(tree, "backward")} - {""}
    for node, name, value in assigned(tree):
        if name not in back or not isinstance(value, ast.BinOp):
            continue
        if not isinstance(value.op, ast.Add):
            continue
        calls = [
            ast.unparse(c)
            for side in (value.left, value.right)
            for c in {ast.unparse(n): n for n in walk(side) if isinstance(n, ast.Call)}.values()
            if _LOSSES.search(tail(c)) and c.args and all(_is_plain(a) for a in c.args)
        ]
        twice = [c for i, c in enumerate(calls) if c in calls[:i]]
        if twice:
            yield (
                "terms_alike",
                node,
                f"both terms of this sum are `{twice[0]}`: the second was most likely meant of "
                "something else",
            )


def _is_plain(value: ast.expr) -> bool:
    return not any(isinstance(n, ast.Call) for n in walk(value))


def drawn_apart(tree: ast.Module) -> Found:
    """`loss(model(x[order]), y[torch.randperm(n)])`: inputs and targets are drawn each anew."""
    for node in walk(tree):
        match node:
            case ast.Call(args=[first, ast.Subscript(slice=index)]) if _LOSSES.search(tail(node)):
                pass
            case _:
                continue
        drawn = [c for c in walk(index) if isinstance(c, ast.Call) and tail(c) in _DRAWS]
        given = [n for n in walk(first) if isinstance(n, ast.Subscript)]
        names = [n for n in given if isinstance(n.slice, ast.Name)]
        if drawn and given:
            better = names[0].slice if names else None
            yield (
                "drawn_apart",
                node,
                f"`{ast.unparse(index)}` draws other samples than the inputs: no target belongs "
                "to its input; index both with "
                + (f"`{ast.unparse(better)}`" if better is not None else "one and the same draw"),
            )


_DRAWS = {"randperm", "randint", "permutation", "choice"}


def step_uphill(tree: ast.Module) -> Found:
    """`w += rate * w.grad` after `loss.backward()`: away from the minimum."""
    losses = {w for c in method_calls(tree, "backward") for w in words(c.func)}
    if not any("loss" in w.lower() for w in losses):
        return
    for node in walk(tree):
        match node:
            case ast.AugAssign(target=target, op=ast.Add(), value=value):
                name = dotted(target)
            case ast.Call(func=ast.Attribute(attr="add_", value=target), args=[value]) if not any(
                k.arg == "alpha" for k in node.keywords
            ):
                name = dotted(target)
            case _:
                continue
        name = name.removesuffix(".data")
        of_grad = [
            n
            for n in walk(value)
            if isinstance(n, ast.Attribute) and n.attr == "grad" and dotted(n.value) == name
        ]
        turned = any(isinstance(n, ast.USub | ast.Sub) for n in walk(value))
        if of_grad and not turned and not {"sign", "norm", "noise", "randn_like"} & words(value):
            yield (
                "step_uphill",
                node,
                f"`{name}` goes along its gradient, where the loss grows: to make it smaller go "
                "against it, `-=`",
            )


def score_as_loss(tree: ast.Module) -> Found:
    """`loss = dice(…)`: the better the prediction, the larger it is."""
    back = {owner(c) for c in method_calls(tree, "backward")} - {""}
    functions = {f.name: f for f in walk(tree) if isinstance(f, ast.FunctionDef)}
    for node, name, value in assigned(tree):
        function = functions.get(tail(value)) if isinstance(value, ast.Call) else None
        if name not in back or function is None or not _SCORES.fullmatch(function.name):
            continue
        returned = [n for n in inside(function) if isinstance(n, ast.Return) and n.value]
        if not any(isinstance(m, ast.USub) or _is_one_less(m) for r in returned for m in walk(r)):
            yield (
                "score_as_loss",
                node,
                f"`{function.name}` is the larger, the better the prediction, and a step makes the "
                f"loss smaller; write `1 - {ast.unparse(value)}`",
            )


_SCORES = re.compile(
    r"(?i)(soft_?)?(dice|iou|jaccard|ssim|psnr|f1)(_?(score|coeff?(icient)?|index))?"
)


def _is_one_less(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Sub()):
            return True
    return False


RULES = (
    drawn_apart,
    step_uphill,
    score_as_loss,
    target_noisy,
    returns_forwards,
    positions_of_samples,
    same_answer,
    drops_most,
    terms_alike,
)
