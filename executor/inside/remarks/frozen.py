"""Find parts whose weights are frozen, and whose running averages move all the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from executor.inside.remarks.syntax import Found, dotted, inside, method_calls, owner, walk, words

_KEEPS_AVERAGES = re.compile(
    r"(?i)(?:Sync)?BatchNorm\dd?|(?:resnet|resnext|densenet|mobilenet|efficientnet|inception|regnet"
    r"|mnasnet|googlenet|shufflenet)\w{0,20}"
)


def frozen_averages(tree: ast.Module) -> Found:
    """`requires_grad = False` for a part with BatchNorm that stays in training mode."""
    said = words(tree)
    if "backward" not in said or not any(map(_KEEPS_AVERAGES.fullmatch, said)):
        return
    if "momentum" in said and "track_running_stats" in said:
        return
    evaluated = {owner(c) for c in method_calls(tree, "eval")}
    trains = {owner(c) for c in method_calls(tree, "train")}
    for node, part in _frozen(tree):
        root = part.partition(".")[0]
        kept = {part, part.rpartition(".")[2]} & {
            *evaluated,
            *(e.rpartition(".")[2] for e in evaluated),
        }
        by_training = any(c.args and owner(c) == part for c in method_calls(tree, "train"))
        if kept or by_training or "isinstance" in said or (evaluated and not trains):
            continue
        own = [n for n in walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "train"]
        if part in trains or root == "self" or any(map(_of_class, own)):
            continue  # it is trained in part, or a class decides it in a train() of its own
        yield (
            "frozen_averages",
            node,
            f"this freezes the weights of `{part}`; the running averages of its BatchNorm layers "
            "still move with each batch in training mode, and its outputs with them: if it is to "
            f"stay as it is, call `{part}.eval()` after each `.train()` of the model",
        )
        return


def _of_class(function: ast.FunctionDef) -> bool:
    return [a.arg for a in function.args.args[:1]] == ["self"]


def _frozen(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Each part all of whose parameters are frozen, with the place."""
    thawed = {
        dotted(n.targets[0]).rpartition(".")[0]
        for n in walk(tree)
        if isinstance(n, ast.Assign) and _sets(n, True)
    }
    each: set[str] = set()
    for loop in (n for n in walk(tree) if isinstance(n, ast.For)):
        match loop:
            case ast.For(
                target=ast.Name(id=p),
                iter=ast.Call(func=ast.Attribute(attr="parameters")) as each_of,
            ):
                each.add(p)
                below = list(inside(loop))
                set_so = [n for n in below if isinstance(n, ast.Assign) and _sets(n, False)]
                frozen = {dotted(n.targets[0]) for n in set_so}
                frozen |= {f"{part}.requires_grad" for _, part in _by_method(below)}
                if f"{p}.requires_grad" in frozen and p not in thawed and owner(each_of):
                    yield loop, owner(each_of)
    yield from ((node, part) for node, part in _by_method(walk(tree)) if part not in each)


def _by_method(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, str]]:
    """Each `x.requires_grad_(False)`."""
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(attr="requires_grad_", value=value),
                args=[ast.Constant(value=False)],
            ) if dotted(value):
                yield node, dotted(value)


def _sets(node: ast.Assign, value: bool) -> bool:
    given = node.value
    right = isinstance(given, ast.Constant) and given.value is value
    return right and dotted(node.targets[0]).endswith(".requires_grad")


RULES = (frozen_averages,)
