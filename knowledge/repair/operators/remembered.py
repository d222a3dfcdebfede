"""Let what a module remembers from batch to batch be a value: `self.centre = mean.detach()`.

An attribute that a forward sets and the next one reads drags the graph of the batch before along,
which its backward has freed. Which attributes do so is seen in the live modules: a tensor, or the
pair of states that an LSTM gives back. What goes on from step to step of one batch is cut behind
its backward; what is only kept to be looked at is kept without the graph, and can be copied.
"""

from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Beside, Edits, Program, method
from knowledge.repair.toolkit.flow import free_name, is_free
from knowledge.repair.toolkit.keeps import leaves, written
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import scope_of, seen_error
from knowledge.repair.toolkit.statements import call_alone, line_of

_COPIED = "deepcopy_of_result"
ERRORS = ("freed_graph", "modified_in_place", _COPIED)
_TOLD = "no graph is kept", "the graph grows with every batch"
KEEPS = (leaves, written("let go", *_TOLD, lacks="retain_graph"))


def edits(failure: Failure) -> Rewrites:
    """The one attribute that holds a graph, cut wherever it is set outside of `__init__`."""
    if is_a(failure.error, _COPIED):
        yield from _kept_apart(failure)
        return
    held = {
        (cls, name, several): list(_set(failure, cls, name))
        for cls, name, several in _remembered(failure)
        if _is_read(failure, cls, name)
    }
    found = [(*key, places) for key, places in held.items() if places]
    if len(found) != 1:
        return
    cls, name, several, places = found[0]
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
    if not several:
        yield from _between(failure, cls, name)


def _between(failure: Failure, cls: str, name: str) -> Rewrites:
    """`layer.mem = layer.mem.detach()` behind the backward, where it goes on from step to step."""
    here = failure.statement
    held = [(n, m) for n, v in failure.live.names[-1].items() if isinstance(v, torch.nn.Module)
            for m in v.modules() if type(m).__name__ == cls and n != "self"]  # fmt: skip
    if here is None or not held or call_alone(here, "backward") is None:
        return
    model, layer = held[0]
    is_model, one = failure.live.names[-1][model] is layer, free_name(failure, "layer")
    of = model if is_model else one
    code = f"{of}.{name} = {of}.{name}.detach()"
    if not is_model:
        code = f"for {one} in {model}.modules():\n    if isinstance({one}, {cls}):\n        {code}"
    beside: dict[cst.CSTNode, Beside] = {here: Beside(cst.parse_statement(code), after=True)}
    told = f"`{of}.{name}` goes on into the next batch as a value"
    yield failure.edit({}, told, at=here, beside=beside, cost=COST.POSSIBLE, as_one=True)


def _kept_apart(failure: Failure) -> Rewrites:
    """`feat = …` and `self.feat = feat.detach()`, for what a forward keeps to be looked at."""
    for cls, name, several in _remembered(failure):
        places, whole = list(_set(failure, cls, name)), f"self.{name}"
        line = failure.up(places[0], cst.SimpleStatementLine) if len(places) == 1 else None
        same = [a for a in failure.all(cst.Attribute) if a.attr.value == name]
        if several or line is None or failure.text(places[0].targets[0].target) != whole:
            continue
        scope = scope_of(failure, places[0])
        inside = [a for a in same if scope_of(failure, a) is scope and failure.text(a) == whole]
        reads = [a for a in inside if a is not places[0].targets[0].target]
        if any(
            a not in inside and not isinstance(failure.parent(a), cst.AssignTarget) for a in same
        ):
            continue  # what reads it elsewhere may learn through it
        told = f"`{whole}` keeps the values, without the graph that made them"
        meant = f"`{whole}` is only looked at"
        made = places[0].value
        if not reads:
            yield failure.edit({made: method(made, "detach")}, told, meant)
            continue
        local = name if is_free(failure, name) else free_name(failure, name)
        kept = line_of(f"{whole} = {local}.detach()")
        kept = kept.with_changes(trailing_whitespace=line.trailing_whitespace)
        value = line.with_changes(
            body=[cst.Assign([cst.AssignTarget(cst.Name(local))], made)],
            trailing_whitespace=cst.TrailingWhitespace(),
        )
        nodes: Edits = {line: cst.FlattenSentinel([value, kept])}
        nodes |= {a: cst.Name(local) for a in reads}
        yield failure.edit(nodes, told, meant, new_name=local, as_one=True)


def _remembered(failure: Failure) -> set[tuple[str, str, bool]]:
    """Class and name of the attributes of live modules that hold a graph, and if of several."""

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
    """What was to be copied is copied."""
    copied = seen_error(before, _COPIED)
    return [still_computed(copied, proposal.code)] if copied is not None else []
