"""Go through a list of modules where TorchScript cannot index it: `for layer in self.layers`."""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits, call, same
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.lazily import torch

ERRORS = ("script_of_an_index",)
REPEATS = True


def edits(failure: Failure) -> Rewrites:
    """Each loop over numbers that index one list, over the list itself."""
    changes: Edits = {}
    lists: list[str] = []
    for loop in failure.all(cst.For):
        count = _counts(failure, loop.iter) if isinstance(loop.target, cst.Name) else 0
        if not count:
            continue
        index = failure.text(loop.target)
        uses = [n for n in failure.inside(loop.body, cst.Name) if n.value == index]
        picks = [p for n in uses if isinstance(p := failure.up(n, cst.Subscript), cst.Subscript)]
        picks = [p for p in picks if failure.text(p.slice[0]) == index]
        lists_of = ((p, _of_self(failure, p.value)) for p in picks)
        of = [p for p, v in lists_of if isinstance(v, torch.nn.ModuleList) and len(v) == count]
        if not of or not all(same(p.value, of[0].value) for p in of):
            continue
        name = free_name(failure, "layer")
        changes |= {p: cst.Name(name) for p in of}
        numbered = len(of) < len(uses)
        over = call("enumerate", cst.Arg(of[0].value)) if numbered else of[0].value
        pair = cst.Tuple([cst.Element(loop.target), cst.Element(cst.Name(name))], lpar=[], rpar=[])
        changes |= {loop.iter: over, loop.target: pair if numbered else cst.Name(name)}
        lists.append(f"`{failure.text(of[0].value)}`")
    if changes:
        told = f"the loop goes through {' and '.join(dict.fromkeys(lists))}, and indexes no module"
        first = min(changes, key=failure.line)
        yield failure.edit(changes, told, at=first, as_one=True)


def _counts(failure: Failure, over: cst.BaseExpression) -> int:
    """How far `range(n)` counts in a method of a module that is alive; 0 where that is unknown."""
    if not isinstance(over, cst.Call) or failure.text(over.func) != "range" or len(over.args) != 1:
        return 0
    given = over.args[0].value
    if isinstance(given, cst.Integer):
        return int(given.value)
    measured = isinstance(given, cst.Call) and failure.text(given.func) == "len"
    value = _of_self(failure, given.args[0].value if isinstance(given, cst.Call) else given)
    if measured and isinstance(value, list | tuple | torch.nn.ModuleList):
        return len(value)
    return value if isinstance(value, int) and not measured else 0


def _of_self(failure: Failure, node: cst.BaseExpression) -> object:
    """`self.layers` in the class of a module that the program holds."""
    owner, text = failure.up(node, cst.ClassDef), failure.text(node)
    held = [v for names in failure.live.names for v in list(names.values())]
    held += [failure.value(p.node.args[0].value, p.frame) for p in failure.places
             if isinstance(p.node, cst.Call) and p.node.args]  # fmt: skip
    modules = (m for v in held if isinstance(v, torch.nn.Module) for m in v.modules())
    own = (m for m in modules if owner is not None and type(m).__name__ == owner.name.value)
    first = next(own, None)
    return getattr(first, text.removeprefix("self."), None) if text.startswith("self.") else None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """It is still compiled, and no single module stands for all."""
    kept = ".script(" in proposal.code or "@torch.jit.script" in proposal.code
    single = re.search(r"self\.\w+\[\d+\]\(", proposal.code) is None
    return [
        Check.of("scripted", kept, "it is still compiled", "nothing is compiled any more"),
        Check.of("each module", single, "each is called", "one stands for all of them"),
    ]
