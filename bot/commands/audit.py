"""The command `torchmedic audit`: compare the claims of documents with runs of their code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bot.diagnosis import completion, devices
from bot.diagnosis.assemble import open_executor
from bot.diagnosis.missing import missing, needs_gpu
from bot.errors import StateError
from bot.messages.snippets import clean_paste
from bot.settings import Settings
from executor.protocol import Job, JobResult
from executor.service.client import ExecutorClient
from knowledge.audit import run as auditing
from knowledge.audit.block_runner import RECIPE, BlockRunner
from knowledge.audit.journal import Journal
from knowledge.audit.model import Audit, BlockRun
from knowledge.audit.reading import Reader
from knowledge.audit.report import write
from knowledge.documents.verdict import Audited, Verdict, Verdicts
from knowledge.errors import DocumentError
from knowledge.repair.mistake import mistake
from knowledge.search.embedding import EmbeddingModel

# What a run's outcome hangs on besides the code.
_OF_THE_PLACE = ("torch", "python", "tier", "devices")
_LIMITS = ("wall_s", "memory_mib", "processes")


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
    folder = settings.state_folder / "audit"
    async with open_executor(settings.executor) as executor:
        here = await executor.capabilities()
        torch = str(here["torch"]).partition("+")[0]
        try:
            conditions = {"recipe": RECIPE, **{key: here[key] for key in _OF_THE_PLACE}}
            conditions |= {name: getattr(settings.executor, name) for name in _LIMITS}
            journal = Journal(folder / "runs.jsonl", conditions)
        except OSError as e:
            raise _unwritable(folder, e) from e
        snippets = AsAnAnswer(executor, has_gpu="cuda" in here["devices"])
        runner = BlockRunner(snippets, settings.executor.wall_s, journal.keep)

        def run(code: str, above: Sequence[tuple[str, BlockRun]]) -> Awaitable[BlockRun]:
            return runner.run(clean_paste(code.split("\n")).code, above)

        try:
            with _progress(console, sum(len(blocks) for _, blocks in documents)) as done:
                audited = await auditing.audit(
                    documents,
                    run,
                    Reader(EmbeddingModel()).read,
                    at_once=max(1, int(here["slots"])),
                    done=done,
                )
        finally:
            journal.close()
    result = Audit(torch=torch, documents=tuple(audited), skipped=tuple(skipped))
    _tell(result, journal.made, console)
    try:
        Verdicts(settings.state_folder).keep(
            {
                d.id: Audited(digest=d.digest, verdict=d.verdict, torch=result.torch)
                for d in result.documents
            }
        )
        written = write(result, out or folder)
    except OSError as e:
        raise _unwritable(out or folder, e) from e
    for path in written:
        console.print(f"→ {path}", markup=False, soft_wrap=True)
    return result


@dataclass(frozen=True)
class AsAnAnswer:
    """Completes and runs a block as an answer does with a snippet."""

    executor: ExecutorClient
    has_gpu: bool

    async def __call__(self, job: Job) -> tuple[JobResult, str]:
        """Run it, completed, and on a GPU or a simulated one where that says more.

        Returns:
            what happened, and why the code could not really be run here; empty if it could.
        """
        run, done = await completion.run(self.executor, job)
        if devices.wants_gpu(run, mistake(run), job.code):
            there = devices.there(done, has_gpu=self.has_gpu)
            gpu, _ = await completion.run(self.executor, there)
            if needs_gpu(run) or devices.device_error(mistake(gpu)):
                run = gpu
        return run, missing(run)


@contextmanager
def _progress(console: Console, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar over the blocks, with the remaining time."""
    columns = (
        TextColumn("blocks"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("blocks", total=total)
        yield lambda: bar.advance(task)


def _tell(result: Audit, made: int, console: Console) -> None:
    blocks = Counter(b.verdict for d in result.documents for b in d.blocks)
    documents = Counter(d.verdict for d in result.documents)
    console.print(
        f"{len(result.documents)} documents, {blocks.total()} blocks on torch {result.torch}; "
        f"{made} runs made now",
        soft_wrap=True,
    )
    for verdict in Verdict:
        console.print(
            f"  {verdict.value}: {blocks[verdict]} blocks, {documents[verdict]} documents"
        )


def _unwritable(folder: Path, error: OSError) -> StateError:
    return StateError(
        f"{folder}: the audit cannot be written ({error.strerror}); name another folder with "
        "--out, or point `state` in config.yaml to one of your own"
    )
