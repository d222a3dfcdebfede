"""Run a document's blocks as snippets of questions are run, and keep what a verdict needs."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from executor.errors import is_a, topic_of
from executor.protocol import SNIPPET, Caught, ErrorSeen, Job, JobResult, Probe, StatementSeen
from knowledge.audit.model import BlockRun, Raised

RECIPE = 3  # version of how a block is run; another number makes all runs new
KEPT_BYTES = 4_000  # of what a block printed
KEPT_MESSAGE = 600
_DOTS = re.compile(r"#\s*(?:\.{3}|…)|#.*(?:\.{3}|…)\s*$", re.M)
_FRAME = re.compile(rf'File "[^"\n]*{re.escape(SNIPPET)}", line (\d+)')
_NEVER = frozenset({
    "unregistered_parameter", "unregistered_tensor", "unregistered_module", "not_in_optimizer",
    "no_gradient", "zero_gradient", "never_moved",
})  # fmt: skip


@dataclass(frozen=True)
class BlockRunner:
    """Runs one block: alone; joined with those above if it needs them; else with placeholders."""

    # Runs a snippet as an answer does; beside what happened, why it could not really be run here.
    run_snippet: Callable[[Job], Awaitable[tuple[JobResult, str]]]
    wall_s: float
    keep: Callable[[str, Callable[[], Awaitable[BlockRun]]], Awaitable[BlockRun]]

    async def run(self, code: str, earlier: Sequence[tuple[str, BlockRun]]) -> BlockRun:
        """What came of it; `earlier`: the blocks above it, with what came of each.

        Raises:
            ExecutorError: the executor is gone or full.
        """
        # Blocks that end in an error would end the whole: they are shown, not built upon.
        above = [block for block, seen in earlier if seen.ended_well and not seen.stand_ins]
        alone = await self.keep(f"alone\n{code}", lambda: self._run_block(code, ""))
        if above and (alone.stand_ins or _lacks_a_name(alone)):
            before = "\n".join(above) + "\n"
            joined = await self.keep(
                f"joined\n{before}\n{code}", lambda: self._run_block(code, before)
            )
            fails_above = joined.error is not None and joined.error.line is None
            lacks = _lacks_a_name(joined) or (joined.stand_ins and joined.cannot)
            alone = alone if fails_above or lacks else joined
        if alone.cannot or alone.error is None or not _DOTS.search(code):
            return alone
        return alone.model_copy(update={"cannot": "a part of it is left out (`# ...`)"})

    async def _run_block(self, code: str, before: str) -> BlockRun:
        job = Job(code=before + code, wall_s=self.wall_s, probes=(Probe.STATEMENTS,))
        run, missing = await self.run_snippet(job)
        return _told(run, missing or _of_the_place(run), before.count("\n"))


def _lacks_a_name(seen: BlockRun) -> bool:
    return any(r.type == "NameError" and is_a(r, "name_undefined") for r in seen.raised)


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
        statements=tuple(_shifted(s, before, begins) for s in own),
        cannot=cannot,
        stand_ins=tuple(s.name for s in run.stand_ins),
        assumed=tuple(a for a in run.assumptions if not re.match(r"(?:import|from) |ran on ", a)),
        moved=run.moved,
        still=tuple(f.name for f in run.findings if f.kind in _NEVER),
        family=topic_of(told.type, told.message) if told is not None else "no error",
    )


def _shifted(s: StatementSeen, lines: int, begins: int) -> StatementSeen:
    printed = tuple((a - begins, b - begins) for a, b in s.printed if a >= begins)
    lines_now = {"first": s.first - lines, "last": s.last - lines}
    return s.model_copy(update=lines_now | {"printed": printed})


def _raised(e: ErrorSeen | Caught, before: int) -> Raised:
    def own(line: int | None) -> int | None:
        return line - before if line is not None and line > before else None

    through = {own(n) for n in (*map(int, _FRAME.findall(e.traceback)), e.line)} - {None}
    return Raised(
        type=e.type.rpartition(".")[2],
        message=e.message[:KEPT_MESSAGE],
        line=own(e.line),
        lines=tuple(sorted(n for n in through if n is not None)),
        handler=own(e.handler_line) if isinstance(e, Caught) else None,
        by_hand=e.origin == "raise",
    )


def _of_the_place(run: JobResult) -> str:
    """What is not here, also where the block catches that; empty if nothing."""
    kinds = ("ModuleNotFoundError", "FileNotFoundError", "NameError")
    seen: list[ErrorSeen | Caught] = [e for e in run.caught if e.type in kinds or is_a(e, "place")]
    seen += [run.error] if run.error is not None and is_a(run.error, "place") else []
    told = f"{seen[0].type}: {seen[0].message}".partition("\n")[0] if seen else ""
    return f"it needs what is not here ({told[:160]})" if told else ""
