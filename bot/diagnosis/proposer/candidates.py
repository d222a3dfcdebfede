"""Run what a model proposes: the walls and checks are those of every other fix, the title is ours.

The proposals go through the repair engine as one codemod's rewrites. What they change beyond need
is put back first, line by line, as long as the mistake stays away.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from knowledge.repair import engine, verify
from knowledge.repair.check import Check
from knowledge.repair.codemod import Codemod, Proposal, Rewrite
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import mistake
from knowledge.repair.rerun import rerun_with_probes

SLUG = "model"
_MOST_RUNS = 16  # of one candidate, to see what of it is needed

# What the jail runs: the programs are data, and one that is no Python silences no other.
_SOURCE = """\
import libcst

from knowledge.repair.codemod import Rewrite

PROGRAMS = {programs!r}


def applies(result):
    return True


def rewrite(program, result):
    for code, title in PROGRAMS:
        try:
            module = libcst.parse_module(code)
        except (libcst.ParserSyntaxError, RecursionError):
            continue
        yield Rewrite(module, title)


def checks(before, after, proposal):
    return []
"""


@dataclass(frozen=True)
class _Proposed:
    """The bot's side of that codemod: its checks are those of every codemod for this mistake."""

    others: tuple[Codemod, ...]

    def applies(self, result: JobResult) -> bool:
        return mistake(result).is_there

    def rewrite(self, program: object, result: JobResult) -> tuple[Rewrite, ...]:
        return ()  # made in the jail

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        return [
            check
            for other in self.others
            for check in verify.checks_of(other, proposal, before, after, None)
        ]


async def try_candidates(
    executor: ExecutorClient,
    programs: Sequence[str],
    job: Job,
    run: JobResult,
    model: str,
    codemods: Sequence[Codemod] = (),
    asked: str = "",
) -> Repair:
    """Run proposed programs and judge them; the refused ones say by which check.

    Args:
        executor: where everything runs.
        programs: the person's program with one change each, the likeliest first.
        job: the original run's job.
        run: its result.
        model: whose proposals they are, for the titles.
        codemods: all there are; those for this mistake say what a fix of it must hold.
        asked: the person's own words.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    needed = [await _what_is_needed(executor, program, job, run) for program in programs]
    distinct = [code for code in dict.fromkeys(needed) if code != job.code]
    if not distinct:
        return Repair()
    titled = [(code, _title(job.code, code, model)) for code in distinct]
    module = _Proposed(engine.applicable(codemods, run).codemods)
    codemod = Codemod(SLUG, module, _SOURCE.format(programs=titled))
    run, reference = await rerun_with_probes(executor, job, run)
    found = await engine.repair(executor, [codemod], job, run, reference, asked)

    def signed(fix: Fix) -> Fix:
        return fix.model_copy(update={"proposed_by": model})

    return Repair(
        fix=signed(found.fix) if found.fix is not None else None,
        alternatives=tuple(map(signed, found.alternatives)),
        refused=tuple(map(signed, found.refused)),
    )


async def _what_is_needed(
    executor: ExecutorClient, program: str, job: Job, before: JobResult
) -> str:
    """The program with every changed line put back that the fix can do without."""
    lines, old = program.splitlines(True), job.code.splitlines(True)
    if len(_changes(old, lines)) < 2 or not await _mends(executor, program, job, before):
        return program
    runs, at = 0, 0
    while runs < _MOST_RUNS and at < len(changes := _changes(old, lines)) > 1:
        (i1, i2), (j1, j2) = changes[at]
        less = [*lines[:j1], *old[i1:i2], *lines[j2:]]
        runs += 1
        if await _mends(executor, "".join(less), job, before):
            lines = less  # the next change stands at this place now
        else:
            at += 1
    return "".join(lines)


async def _mends(executor: ExecutorClient, code: str, job: Job, before: JobResult) -> bool:
    after = await executor.run(job.model_copy(update={"code": code}))
    return after.outcome is Outcome.OK and not verify.shows(after, mistake(before))


def _changes(old: list[str], new: list[str]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The changed places, of old lines and of new ones; equally many lines are a place each."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "replace" and i2 - i1 == j2 - j1:
            found += [((i1 + k, i1 + k + 1), (j1 + k, j1 + k + 1)) for k in range(i2 - i1)]
        elif tag == "insert":
            found += [((i1, i1), (j, j + 1)) for j in range(j1, j2)]
        elif tag != "equal":
            found.append(((i1, i2), (j1, j2)))
    return found


def _title(old: str, new: str, model: str) -> str:
    """Where the program changed, in our words: a model's own words are no title of ours."""
    changes = _changes(old.splitlines(True), new.splitlines(True))
    at = sorted({i1 + 1 for (i1, _), _ in changes})
    where = f"line {at[0]}" if len(at) == 1 else f"lines {', '.join(map(str, at[:4]))}"
    return f"{where}: changed as the model {model} proposed"
