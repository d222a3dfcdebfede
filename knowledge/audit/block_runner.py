"""Run a document's blocks as snippets of questions are run, and keep what a verdict needs."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from executor.errors import is_a, read, topic_of
from executor.protocol import SNIPPET, Caught, ErrorSeen, Job, JobResult, Outcome, Probe
from executor.service.client import ExecutorClient
from knowledge.audit.model import BlockRun, Raised

KEPT_BYTES = 4_000  # of what a block printed
KEPT_MESSAGE = 600
_DOTS = re.compile(r"#\s*(?:\.{3}|…)|#.*(?:\.{3}|…)\s*$", re.M)
_NEVER = frozenset({
    "unregistered_parameter", "unregistered_tensor", "unregistered_module", "not_in_optimizer",
    "no_gradient", "zero_gradient", "never_moved",
})  # fmt: skip


class SnippetRunner(Protocol):
    """What an answer does with a posted snippet: an audit does the same with a block."""

    def clean(self, code: str) -> str:
        """The code without what pasting adds (prompts, magics); every line stays where it is."""

    async def run(self, code: str, job: Job) -> tuple[JobResult, Job]:
        """What happened, where that says most, and the job on the CPU, completed if it had to be.

        The job ends in the block's own code. Raises ExecutorError: the executor is gone or full.
        """

    def missing(self, run: JobResult) -> str:
        """Why the code could not really be run here, as a clause; empty if it could."""


@dataclass(frozen=True)
class BlockRunner:
    """Runs one block: alone; joined with those above if it needs them; else with placeholders."""

    executor: ExecutorClient
    snippets: SnippetRunner
    wall_s: float
    keep: Callable[[str, Callable[[], Awaitable[BlockRun]]], Awaitable[BlockRun]]

    async def run(self, code: str, earlier: Sequence[tuple[str, BlockRun]]) -> BlockRun:
        """What came of it.

        Args:
            code: the block's.
            earlier: the blocks above it, with what came of each.

        Raises:
            ExecutorError: the executor is gone or full.
        """
        code = self.snippets.clean(code)
        # Blocks that end in an error would end the whole: they are shown, not built upon.
        above = [block for block, seen in earlier if seen.ended_well and not seen.stand_ins]
        alone = await self.keep(f"alone\n{code}", lambda: self._run_block(code, ""))
        if not (alone.stand_ins or _missing_name(alone)):
            return _elided(alone, code)
        if above:
            before = "\n".join(above) + "\n"
            joined = await self.keep(
                f"joined\n{before}\n{code}", lambda: self._run_block(code, before)
            )
            alone = joined if _says_more(joined) else alone
        return _elided(_for_want_of(alone, code, earlier), code)

    async def _run_block(self, code: str, before: str) -> BlockRun:
        job = Job(code=before + code, wall_s=self.wall_s, probes=(Probe.STATEMENTS,))
        run, _ = await self.snippets.run(code, job)
        return _told(run, self.snippets.missing(run) or _of_the_place(run), before.count("\n"))


def _elided(seen: BlockRun, code: str) -> BlockRun:
    """What ends in an error, and has a comment for the rest of its code, was not meant to run."""
    if seen.cannot or seen.error is None or not _DOTS.search(code):
        return seen
    return seen.model_copy(update={"cannot": "a part of it is left out (`# ...`)"})


def _missing_name(seen: BlockRun) -> str:
    """The undefined name that ended the run, or that raised in a `try` of the block."""
    for raised in reversed(seen.raised):
        found = read(raised, "name_undefined") if raised.type == "NameError" else None
        if found is not None:
            return found["name"]
    return ""


def _for_want_of(seen: BlockRun, code: str, earlier: Sequence[tuple[str, BlockRun]]) -> BlockRun:
    """What lacks a name that a block above gives, but cannot get it from there, did not run."""
    name = _missing_name(seen)
    binds = re.compile(rf"\b(?:def|class|import|as|for)\s+{name}\b|\b{name}\s*(?:,[\w\s,]*)?=(?!=)")
    if not name or seen.cannot:
        return seen
    if any(binds.search(above) for above, _ in earlier):
        why = f"it needs `{name}` from a block above, which does not run to its end itself"
    elif seen.error is None and not binds.search(code):
        why = f"it needs `{name}`, which the document does not define, and catches the NameError"
    else:
        return seen
    return seen.model_copy(update={"cannot": why})


def _says_more(joined: BlockRun) -> bool:
    """Whether the joined block gets past the missing name, to a line of its own."""
    if joined.error is not None and joined.error.line is None:
        return False  # one of the blocks above ended it
    return not (_missing_name(joined) or (joined.stand_ins and joined.cannot))


def _told(run: JobResult, cannot: str, before: int) -> BlockRun:
    """A JobResult in a verdict's words, its lines and output counted from the block's own first."""
    error = _raised(run.error, before) if run.error is not None else None
    caught = tuple(
        _raised(c, before)
        for c in run.caught
        if c.type not in ("StopIteration", "GeneratorExit")
        and (not before or max(c.line or 0, c.handler_line or 0) > before)
    )
    own = [s for s in run.statements if s.first > before]
    begins = min((s.began for s in own if s.times), default=0) if before else 0
    out = run.stdout.encode("utf-8", "replace")[begins:]
    told = next((r for r in (error, *caught) if r is not None), None)
    return BlockRun(
        how="completed" if run.stand_ins else "joined" if before else "alone",
        device=run.env.device,
        outcome=run.outcome.value,
        error=error,
        caught=caught,
        findings=tuple((f.name, f.message) for f in run.findings if f.mistake),
        stdout=out[:KEPT_BYTES].decode("utf-8", "replace"),
        cut=len(out) > KEPT_BYTES or run.dropped_bytes > 0 or (before > 0 and not own),
        statements=tuple(
            s.model_copy(
                update={
                    "first": s.first - before,
                    "last": s.last - before,
                    "printed": tuple((a - begins, b - begins) for a, b in s.printed if a >= begins),
                }
            )
            for s in own
        ),
        cannot=cannot,
        stand_ins=tuple(s.name for s in run.stand_ins),
        assumed=tuple(a for a in run.assumptions if not re.match(r"(?:import|from) |ran on ", a)),
        trained=run.trained,
        moved=run.moved,
        still=tuple(f.name for f in run.findings if f.kind in _NEVER),
        family=topic_of(told.type, told.message) if told is not None else "no error",
        seconds=round(run.seconds, 3),
    )


_FRAME = re.compile(rf'File "[^"\n]*{re.escape(SNIPPET)}", line (\d+)')


def _raised(e: ErrorSeen | Caught, before: int) -> Raised:
    handler = e.handler_line if isinstance(e, Caught) else None
    through = {int(n) for n in _FRAME.findall(e.traceback)} | ({e.line} if e.line else set())
    return Raised(
        type=e.type.rpartition(".")[2],
        message=e.message[:KEPT_MESSAGE],
        line=e.line - before if e.line is not None and e.line > before else None,
        lines=tuple(sorted(n - before for n in through if n > before)),
        handler=handler - before if handler is not None and handler > before else None,
        by_hand=e.origin == "raise",
        masked=e.masks[:KEPT_MESSAGE] if isinstance(e, ErrorSeen) else "",
    )


def _of_the_place(run: JobResult) -> str:
    """What the place where it ran has to do with how it ended; empty if nothing."""
    if run.outcome in (Outcome.KILLED, Outcome.SETUP_ERROR, Outcome.UNAVAILABLE):
        return f"the run was ended from outside ({run.detail or run.exit.signal})"
    for e in (run.error, *run.caught):
        if e is None:
            continue
        if e.type in ("ModuleNotFoundError", "FileNotFoundError") and isinstance(e, Caught):
            return f"it needs what is not here, and catches the {e.type}"
        if is_a(e, "place"):
            return f"it needs what this place does not have ({e.type})"
    return ""


RECIPE = 2  # version of how a block is run; another number makes all runs new


def conditions(here: Mapping[str, Any], limits: Mapping[str, Any]) -> dict[str, Any]:
    """What a run's outcome hangs on besides the code: the executor, and what a run may use."""
    of_the_place = {key: here[key] for key in ("torch", "python", "tier", "devices")}
    return {"recipe": RECIPE, **of_the_place, **limits}
