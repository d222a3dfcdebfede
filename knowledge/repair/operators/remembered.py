"""Let what a module remembers from batch to batch be a value: `self.centre = mean.detach()`.

An attribute that a forward sets and the next one reads drags the graph of the batch before along,
which its backward has freed. Which attributes do so is seen in the live modules: a tensor, or the
pair of states that an LSTM gives back.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.computed import reaches_leaves
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits, Program, method

ERRORS = ("freed_graph", "modified_in_place")


def edits(failure: Failure) -> Rewrites:
    """The one attribute that holds a graph, cut wherever it is set outside of `__init__`."""
    held = {
        (name, several): list(_set(failure, cls, name))
        for cls, name, several in _remembered(failure)
        if _is_read(failure, cls, name)
    }
    found = [(name, several, places) for (name, several), places in held.items() if places]
    if len(found) != 1:
        return
    name, several, places = found[0]
    whole = f"self.{name}"
    cut = f"tuple(part.detach() for part in {whole})" if several else f"{whole}.detach()"
    nodes: Edits = {}
    for made in places:
        line = failure.up(made, cst.SimpleStatementLine)
        if not several and [failure.text(t.target) for t in made.targets] == [whole]:
            nodes[made.value] = method(made.value, "detach")
        elif line is not None:
            nodes[line] = cst.FlattenSentinel([line, cst.parse_statement(f"{whole} = {cut}")])
    told = f"`{whole}` goes on into the next batch as a value, without the batch that made it"
    meant = f"nothing is to be learned through what `{whole}` was before"
    yield failure.edit(nodes, told, meant, as_one=True)


def _remembered(failure: Failure) -> set[tuple[str, str, bool]]:
    """Class and name of the attributes of live modules that hold a graph, and if of several."""
    import torch

    def parts(value: object) -> tuple[object, ...]:
        return value if isinstance(value, tuple) else (value,)

    top = [v for v in failure.live.names[0].values() if isinstance(v, torch.nn.Module)]
    return {
        (type(module).__name__, name, isinstance(value, tuple))
        for model in top
        for module in model.modules()
        for name, value in (vars(module) | dict(module.named_buffers(recurse=False))).items()
        if parts(value) and all(isinstance(p, torch.Tensor) and p.grad_fn for p in parts(value))
    }


def _methods(program: Program, cls: str) -> Iterator[cst.FunctionDef]:
    for node in program.all(cst.ClassDef):
        if node.name.value == cls:
            yield from (m for m in node.body.body if isinstance(m, cst.FunctionDef))


def _set(program: Program, cls: str, name: str) -> Iterator[cst.Assign]:
    """Where the attribute is given a value in the methods that run with each batch."""
    for function in _methods(program, cls):
        if function.name.value == "__init__":
            continue
        for made in program.inside(function, cst.Assign):
            targets = [t.target for t in made.targets]
            parts = targets[0].elements if isinstance(targets[0], cst.Tuple) else ()
            if f"self.{name}" in map(program.text, (*targets, *(part.value for part in parts))):
                yield made


def _is_read(program: Program, cls: str, name: str) -> bool:
    """Whether a method reads it: what is only kept to be looked at goes into no later graph."""
    return any(
        program.text(node) == f"self.{name}"
        and not any(isinstance(up, cst.AssignTarget) for up in program.above(node))
        for function in _methods(program, cls)
        for node in program.inside(function, cst.Attribute)
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every backward still reaches its leaves."""
    return [reaches_leaves(after, wanted=False)]
