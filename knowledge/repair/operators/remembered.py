"""Let what a module remembers from batch to batch be a value: `self.centre = mean.detach()`.

An attribute that a forward sets and the next one reads drags the graph of the batch before along,
which its backward has freed. Which attributes do so is seen in the live modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite
from knowledge.repair.computed import reaches_leaves
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Program, method

ERRORS = ("freed_graph", "modified_in_place")


def edits(failure: Failure) -> Iterable[Rewrite]:
    """The one attribute that holds a graph, cut wherever it is set outside of `__init__`."""
    program = failure.program
    held = {
        (cls, name): list(_set(program, cls, name))
        for cls, name in _remembered(failure)
        if _is_read(program, cls, name)
    }
    found = [(name, places) for (_, name), places in held.items() if places]
    if len(found) != 1:
        return
    name, places = found[0]
    told = f"`self.{name}` goes on into the next batch as a value, without the batch that made it"
    meant = f"nothing is to be learned through what `self.{name}` was before"
    yield failure.edit({v: method(v, "detach") for v in places}, told, meant, as_one=True)


def _remembered(failure: Failure) -> set[tuple[str, str]]:
    """Class and name of the attributes of live modules that hold a graph."""
    import torch

    top = [v for v in failure.live.names[0].values() if isinstance(v, torch.nn.Module)]
    return {
        (type(module).__name__, name)
        for model in top
        for module in model.modules()
        for name, value in (vars(module) | dict(module.named_buffers(recurse=False))).items()
        if isinstance(value, torch.Tensor) and value.grad_fn is not None
    }


def _methods(program: Program, cls: str) -> Iterator[cst.FunctionDef]:
    for node in program.all(cst.ClassDef):
        if node.name.value == cls:
            yield from (m for m in node.body.body if isinstance(m, cst.FunctionDef))


def _set(program: Program, cls: str, name: str) -> Iterator[cst.BaseExpression]:
    """What the attribute is given in the methods that run with each batch."""
    for function in _methods(program, cls):
        if function.name.value == "__init__":
            continue
        for made in program.inside(function, cst.Assign):
            targets = [program.text(t.target) for t in made.targets]
            if targets == [f"self.{name}"]:
                yield made.value


def _is_read(program: Program, cls: str, name: str) -> bool:
    """Whether a method reads it: what is only kept to be looked at goes into no later graph."""
    return any(
        program.text(node) == f"self.{name}"
        and not isinstance(program.parent(node), cst.AssignTarget)
        for function in _methods(program, cls)
        for node in program.inside(function, cst.Attribute)
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every backward still reaches its leaves."""
    return [reaches_leaves(after, wanted=False)]
