"""The command `torchmedic audit`: compare the claims of documents with runs of their code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bot.commands.assemble import open_executor
from bot.commands.audit_runner import Earlier, Runner, conditions
from bot.errors import StateError
from bot.settings import Settings
from knowledge.audit import run as auditing
from knowledge.audit.journal import Journal
from knowledge.audit.kept import FOLDER, RUNS, keep_verdicts, write
from knowledge.audit.model import Audit, BlockRun, Verdict
from knowledge.errors import DocumentError


async def run_audit(
    settings: Settings, paths: Sequence[Path], out: Path | None, console: Console
) -> Audit:
    """Audit documents, write both reports, and print the counts.

    Raises:
        DocumentError: a path does not exist.
        StateError: a folder cannot be written.
        ExecutorError: the executor is gone or cannot start.
    """
    for path in paths:
        if not path.exists():
            raise DocumentError(f"{path}: there is no such file or folder; check the path")
    documents, skipped = auditing.read(paths)
    for line in skipped:
        console.print(f"left out: {line}", markup=False, soft_wrap=True)
    folder = settings.state_folder / FOLDER
    async with open_executor(settings.executor) as executor:
        here = await executor.capabilities()
        torch = str(here["torch"]).partition("+")[0]
        try:
            journal = Journal(folder / RUNS, conditions(here, settings.executor))
        except OSError as e:
            raise _unwritable(folder, e) from e
        runner = Runner(
            executor, "cuda" in here["devices"], settings.executor.wall_s, journal.keep
        )  # fmt: skip

        async def run(code: str, earlier: Sequence[tuple[str, BlockRun]]) -> BlockRun:
            return await runner.run(code, [Earlier(above, seen) for above, seen in earlier])

        try:
            with _progress(console, sum(len(blocks) for _, blocks in documents)) as done:
                result = await auditing.audit(
                    documents, run, torch=torch, at_once=max(1, int(here["slots"])),
                    skipped=skipped, done=done,
                )  # fmt: skip
        finally:
            journal.close()
    _tell(result, journal.made, console)
    try:
        keep_verdicts(result, settings.state_folder)
        written = write(result, out or folder)
    except OSError as e:
        raise _unwritable(out or folder, e) from e
    for path in written:
        console.print(f"→ {path}", markup=False, soft_wrap=True)
    return result


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar over the blocks, with the remaining time."""
    columns = (
        TextColumn("blocks"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("left"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("blocks", total=total)
        yield lambda: bar.advance(task)


def _tell(result: Audit, made: int, console: Console) -> None:
    blocks = Counter(b.verdict for d in result.documents for b in d.blocks)
    documents = Counter(d.verdict for d in result.documents)
    console.print(
        f"{len(result.documents)} documents, {blocks.total()} blocks on torch {result.torch}; "
        f"{made} runs made now", soft_wrap=True,
    )  # fmt: skip
    for verdict in Verdict:
        console.print(
            f"  {verdict.value}: {blocks[verdict]} blocks, {documents[verdict]} documents"
        )


def _unwritable(folder: Path, error: OSError) -> StateError:
    return StateError(
        f"{folder}: the audit cannot be written ({error.strerror}); name another folder with "
        "--out, or point `state` in config.yaml to one of your own"
    )
