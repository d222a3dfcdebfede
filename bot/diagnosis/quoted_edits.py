"""Mend the line that a traceback quotes, where no code was posted with it.

The line is run alone, with values that the message gives. So an error of two dtypes or devices is
mended: the message names both, and what makes the line work with them works with the person's
values too. Of a target that has one dimension too many the message leaves open what the second one
holds: each case is run, and its edit is told with what it supposes. So is the batch dimension that
what goes into a layer may lack. Nothing behind the line is known, so an edit is shown in part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.posted_traceback import read_posted
from executor.errors import is_a
from executor.protocol import ErrorSeen, Finding, Job, JobResult, JobRunner, Outcome
from executor.service.client import ExecutorClient
from knowledge.repair import engine
from knowledge.repair.by_finding import load_one
from knowledge.repair.codemod import Codemod
from knowledge.repair.fix import Fix
from knowledge.repair.operator import Operator
from knowledge.repair.verify import same_error

_OF_TWO_DTYPES = (
    "argument_scalar_type", "layer_dtypes", "matmul_dtypes", "matvec_dtypes", "dot_dtypes",
    "rnn_dtypes", "scalar_type",
)  # fmt: skip
_OF_TWO_DEVICES = ("devices_differ", "argument_devices", "layer_devices", "rnn_devices")
_TOO_MANY = "loss_one_dimension"
_OPERANDS = re.compile(r"\(\s*([A-Za-z_][\w.]*)\s*,\s*([A-Za-z_][\w.]*)\s*[,)]")
_N_CLASSES = re.compile(r"\[\d+, (\d+)\]")
# What the second dimension may hold, a value of that form, and what then makes class numbers of it.
_SECOND = (
    ("is a column, [n, 1]", "torch.randint(0, {n}, (8, 1))", ".squeeze(1)"),
    (
        "holds one-hot rows, [n, classes]",
        "torch.nn.functional.one_hot(torch.randint(0, {n}, (8,)), {n})",
        ".argmax(dim=1)",
    ),
)
_AT = re.compile(r"\bline 1: ")
_ROW = re.compile(r"\btensor \[\d+\]$")
_LAYER = re.compile(r"torch\.nn\.[A-Z]")


async def mend_quoted(
    executor: ExecutorClient,
    known: Diagnosis,
    codemods: Sequence[Codemod],
    operators: Sequence[Operator],
) -> Diagnosis:
    """The diagnosis with the edits of the quoted line that were run.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    seen = known.quoted
    if seen is None or seen.run is None or seen.job is None or seen.run.error is None:
        return known
    error, run_job = seen.run.error, seen.job
    if is_a(error, _TOO_MANY) and seen.exact and not _tells_sizes(known):
        return await _mend_each(executor, known, run_job, error.code, codemods, operators)
    if is_a(error, "dimension_out_of_range") and seen.exact and not seen.made_up:
        return await _with_a_batch(executor, known, run_job, seen.run)
    if seen.made_up or not seen.exact or not is_a(error, *_OF_TWO_DTYPES, *_OF_TWO_DEVICES):
        return known
    found = await engine.repair(
        executor, codemods, seen.job, seen.run, None, known.question.text, operators
    )
    offered = (found.fix,) if found.fix is not None else found.alternatives
    in_part = tuple(_in_part(fix) for fix in offered if fix.verified)
    return replace(known, repairs=replace(found, fix=None, alternatives=in_part))


def _tells_sizes(known: Diagnosis) -> bool:
    """Whether the post's own words give shapes, which those that are supposed here may not have."""
    reading = read_posted(known.question, None)
    return reading is not None and reading.is_of_the_post


async def _mend_each(
    executor: ExecutorClient,
    known: Diagnosis,
    job: Job,
    code: str,
    codemods: Sequence[Codemod],
    operators: Sequence[Operator],
) -> Diagnosis:
    """The diagnosis with an edit for each form that the target may have."""
    glue, named = job.glue, _OPERANDS.search(code)
    bound = {b.name: b for b in glue.before} if glue is not None else {}
    if glue is None or named is None or not {named[1], named[2]} <= bound.keys():
        return known
    classes = _N_CLASSES.search(bound[named[1]].what)
    shown: list[Fix] = []
    for form, value, edit in _SECOND if classes is not None else ():
        given = bound[named[2]].model_copy(
            update={"expression": value.format(n=classes[1] if classes else 0), "what": form}
        )
        rest = [given if b.name == given.name else b for b in glue.before]
        so = job.model_copy(update={"glue": glue.model_copy(update={"before": tuple(rest)})})
        run = await executor.run(so)
        if run.error is None or not is_a(run.error, _TOO_MANY):
            continue
        found = await engine.repair(executor, codemods, so, run, None, "", operators)
        offered = (found.fix,) if found.fix is not None else found.alternatives
        new = f"{given.name}{edit}"
        fixes = [fix for fix in offered if fix.verified and new in fix.code]
        intent = f"`{given.name}` {form}"
        told = {"title": f"`{new}`, if {intent}", "intent": intent}
        shown += [_in_part(fix).model_copy(update=told) for fix in fixes[:1]]
    return replace(known, repairs=replace(known.repairs, alternatives=tuple(shown)))


async def _with_a_batch(
    executor: ExecutorClient, known: Diagnosis, job: Job, run: JobResult
) -> Diagnosis:
    """The diagnosis with a batch of one in front of the one row that goes into a layer."""
    bound = job.glue.before if job.glue is not None else ()
    rows = [b.name for b in bound if _ROW.search(b.what)]
    at = [*re.finditer(rf"(?<![\w.]){re.escape(rows[0])}(?![\w.(\[=])", job.code)] if rows else []
    through = any(_LAYER.match(b.expression) for b in bound)
    if len(rows) != 1 or len(at) != 1 or not through or run.error is None:
        return known
    new, intent = f"{rows[0]}.unsqueeze(0)", f"`{rows[0]}` is one sample, without a batch dimension"
    above, _, before = job.code[: at[0].start()].rpartition("\n")
    line = above.count("\n") + bool(above) + 1
    start = len(before.encode())
    place = [[line, start, line, start + len(rows[0].encode())], [new]]
    way = {"told": f"`{new}`, if {intent}", "places": [place], "add": []}
    lacks = Finding(
        kind="batch_lacks", line=line, name=rows[0], message=intent, facts={"ways": [way]},
        mistake=True, by_text=True,
    )  # fmt: skip
    as_found = _AsFound(executor, run.error, lacks)
    found = await engine.repair(
        as_found, [load_one("as_told")], job, as_found.of(run), None, known.question.text
    )
    fixes = [_in_part(fix) for fix in found.alternatives if fix.verified]
    told = tuple(f.model_copy(update={"intent": intent}) for f in fixes[:1])
    return replace(known, repairs=replace(known.repairs, alternatives=told))


@dataclass(frozen=True)
class _AsFound:
    """Runs jobs as the executor does; what raises the error ends with a finding instead."""

    executor: JobRunner
    error: ErrorSeen
    finding: Finding

    async def run(self, job: Job) -> JobResult:
        """Run it."""
        return self.of(await self.executor.run(job))

    def of(self, run: JobResult) -> JobResult:
        """A run that raises the error, as one that ends and was found out."""
        if run.error is None or not same_error(run.error, self.error):
            return run
        ended = {"outcome": Outcome.OK, "error": None, "findings": (self.finding,)}
        return run.model_copy(update=ended)


def _in_part(fix: Fix) -> Fix:
    title = _AT.sub("", fix.title)
    stops = "behind this line, as no more of the code was posted"
    return fix.model_copy(
        update={"verified": False, "shown": "partly", "stops": stops, "title": title}
    )
