"""Find modules that are one object where several were meant, and freezing without an effect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import parameters
from executor.inside.probes.training.steps import Steps
from executor.inside.walking import walk

_ATTRIBUTE = "requires_grad"


def report_twins(
    collector: FindingCollector,
    tree: ast.Module,
    namespace: dict[str, Any],
    roots: Iterable[nn.Module],
    steps: Steps,
    text: str = "",
) -> None:
    """Add what was made once and is held several times, and models that share their weights.

    Args:
        collector: takes the findings.
        tree: the snippet's.
        namespace: its globals after the run.
        roots: the modules that it called.
        steps: of the optimizers.
        text: the snippet with its comments.
    """
    roots = list(roots)
    _report_repeated(collector, tree, namespace, roots, steps, text)
    _report_followers(collector, tree, namespace)
    _report_freezing(collector, tree, roots, steps)


# -- one object several times ---------------------------------------------------------------------


def _report_repeated(
    collector: FindingCollector,
    tree: ast.Module,
    namespace: dict[str, Any],
    roots: list[nn.Module],
    steps: Steps,
    text: str,
) -> None:
    """`[Block()] * 4`: what the call made once stands there four times."""
    lists = list(_repeats(tree))
    if len(lists) != 1 or re.search(r"shar|tied|tie_|universal|recurren", text, re.I):
        return  # one set of weights is meant
    for held in _lists(namespace, roots):
        same = [m for m in held if issubclass(type(m), nn.Module)]
        one = same[0] if same else None
        if one is None or len(same) < 2 or any(m is not one for m in same):
            continue
        if any(id(p) in steps.optimized for _, p in parameters(one)):
            written, kind = ast.unparse(lists[0])[:60], type(one).__name__
            given = _repeated(lists[0])
            anew = f"copy.deepcopy({given.id})" if isinstance(given, ast.Name) else "…"
            holds = "makes one" if anew == "…" else "takes one"
            collector.add(
                "one_module_repeated",
                lists[0].lineno,
                kind,
                f"`{written}` {holds} {kind} and holds it {len(same)} times: all share one set of "
                f"weights; make each anew: `[{anew} for _ in range({len(same)})]`",
            )
            return


def _repeats(tree: ast.Module) -> Iterator[ast.expr]:
    """The lists that hold one thing several times; of a variable's, those of which layers are."""
    for node in walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(_repeated(node), ast.Call):
            yield node
        if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] not in (
            "ModuleList",
            "Sequential",
        ):
            continue
        for given in node.args:
            held = given.value if isinstance(given, ast.Starred) else given
            if isinstance(_repeated(held), ast.Name):
                yield held


def _repeated(node: ast.expr) -> ast.expr | None:
    """`x` of `[x] * n`, and of `[x for _ in range(n)]`."""
    match node:
        case (
            ast.BinOp(left=ast.List(elts=[one]), op=ast.Mult())
            | ast.BinOp(op=ast.Mult(), right=ast.List(elts=[one]))
        ):
            return one
        case ast.ListComp(elt=ast.Name(id=name) as one, generators=generators):
            bound = {
                n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
            }
            return one if name not in bound else None
    return None


def _lists(namespace: dict[str, Any], roots: list[nn.Module]) -> Iterator[list[Any]]:
    yield from (v for v in namespace.values() if type(v) is list)
    for root in roots:
        for part in parts(root):
            if isinstance(part, (nn.ModuleList, nn.Sequential)):
                yield list(private.modules_of(part).values())
            yield from (v for v in vars(part).values() if type(v) is list)


def parts(root: nn.Module) -> Iterator[nn.Module]:
    """A module and all in it, each once, without its own methods."""
    todo, seen = [root], set()
    while todo:
        part = todo.pop()
        if id(part) not in seen and private.MODULES in vars(part):
            seen.add(id(part))
            yield part
            todo += [m for m in private.modules_of(part).values() if m is not None]


# -- one that is to follow another ----------------------------------------------------------------


def _report_followers(
    collector: FindingCollector, tree: ast.Module, namespace: dict[str, Any]
) -> None:
    """Weights are taken over from one model into another, and both are the same tensors."""
    for a, b, line in _followed(tree):
        one, other = namespace.get(a), namespace.get(b)
        if not (issubclass(type(one), nn.Module) and issubclass(type(other), nn.Module)):
            continue
        own = [id(p) for _, p in parameters(one)]
        if own and own == [id(p) for _, p in parameters(other)]:
            copied = "" if one is other else " (copy.copy() copies a module without its weights)"
            collector.add(
                "shared_weights",
                line,
                a,
                f"`{a}` and `{b}` share their weights{copied}: what trains one changes the other, "
                f"and this takes nothing over; make the copy with `copy.deepcopy({b})`",
            )
            return


def _followed(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """The two models of each `zip(a.parameters(), b.parameters())`."""
    for node in walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="zip"),
                args=[
                    ast.Call(func=ast.Attribute(value=ast.Name(id=a), attr=first)),
                    ast.Call(func=ast.Attribute(value=ast.Name(id=b), attr=second)),
                ],
            ) if a != b and first.endswith("parameters") and second.endswith("parameters"):
                yield a, b, node.lineno


# -- freezing that freezes nothing ----------------------------------------------------------------


def _report_freezing(
    collector: FindingCollector, tree: ast.Module, roots: list[nn.Module], steps: Steps
) -> None:
    """`model.part.requires_grad = False` sets an attribute that nobody reads."""
    assigned = {
        ast.unparse(target.value): node.lineno
        for node in walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == _ATTRIBUTE
    }
    for part in (p for root in roots for p in parts(root)):
        if vars(part).get(_ATTRIBUTE) is not False:
            continue
        moved = [w for _, p in parameters(part) if (w := steps.optimized.get(id(p))) and w.moved]
        lines = {n: line for n, line in assigned.items() if n != "self"}
        if not moved or not lines:
            continue
        name = min(lines, key=lambda n: (not n.endswith(_tail_of(part, roots)), n))
        collector.add(
            "freezes_nothing",
            lines[name],
            name,
            f"`{name}.requires_grad = False` sets an attribute of the module that nothing reads: "
            f"its {len(moved)} parameters went on training; write "
            f"`{name}.requires_grad_(False)`",
        )
        return


def _tail_of(part: nn.Module, roots: list[nn.Module]) -> str:
    for root in roots:
        for owner in parts(root):
            for name, child in private.modules_of(owner).items():
                if child is part:
                    return str(name)
    return ""
