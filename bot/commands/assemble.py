"""Put a Medic together from the settings: executor, index, articles, codemods."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import knowledge
from bot.diagnosis.pipeline import Medic
from bot.diagnosis.proof import Proofs
from bot.errors import SettingsError, StateError
from bot.settings import MIB, ExecutorSettings, Settings
from executor.exceptions import ExecutorError
from executor.service.client import ExecutorClient
from knowledge.articles.article import Article, load_articles
from knowledge.articles.slugs import ARTICLES
from knowledge.audit.kept import load_verdicts
from knowledge.audit.model import Verdict
from knowledge.documents.document import Document, load_document
from knowledge.errors import DocumentError, IndexDamagedError, IndexMissingError, StaleIndexError
from knowledge.repair.codemod import Codemod, load_codemods
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import BuildReport, Entry, Index, Known, build_index, open_index
from knowledge.search.ingest import Shelf
from knowledge.search.search import Search, SearchResult

Say = Callable[[str], None]


class Library:
    """Articles, documents, codemods, and the index over them."""

    def __init__(
        self, settings: Settings, say: Say = lambda _: None, *, keeps_model: bool = True
    ) -> None:
        """Read everything that is configured.

        Args:
            settings: what is configured.
            say: called with a line for each file that is left out.
            keeps_model: keep the converted model in the state folder.

        Raises:
            KnowledgeError: an article, or a path in the settings, is wrong.
            StateError: the state folder cannot be made.
        """
        self._settings = settings
        self._say = say
        roots = [ARTICLES, *map(_expanded, settings.knowledge.articles)]
        self.articles: list[Article] = [a for root in roots for a in load_articles(root)]
        self.codemods: list[Codemod] = [c for root in roots for c in load_codemods(root)]
        paths = [_expanded(p) for p in settings.knowledge.documents]
        for path in paths:
            if not path.exists():
                raise DocumentError(f"{path}: there is no such file or folder of documents; "
                                    "check knowledge.documents")  # fmt: skip
        self.model = EmbeddingModel(
            settings.knowledge.model,
            offline=settings.knowledge.offline,
            cache=settings.state_folder / "model" if keeps_model else None,
            say=say,
        )
        self.folder = settings.state_folder / "index"
        self._shelf = Shelf(paths, self.folder, self._skipped)
        self.proofs = Proofs(settings.state_folder / "proofs.json")

    def _skipped(self, error: DocumentError) -> None:
        self._say(f"left out: {error}")

    def build(self, progress: Callable[[str, int, int], None] | None = None) -> BuildReport:
        """Bring the index up to date: read the files that changed, embed what is new in them.

        Args:
            progress: called with the step, how many are done, and of how many.

        Raises:
            StateError: its folder cannot be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            documents = self._shelf.take_in(self._old(), _stage(progress, "reading"))
            sources: list[Article | Entry] = [*self.articles, *documents]
            report = build_index(self.folder, sources, self.model, _stage(progress, "embedding"))
            self._shelf.keep()
            return report
        except OSError as e:
            raise StateError(
                f"{self.folder}: the index cannot be written ({e.strerror}); point `state` in "
                "config.yaml to a folder of your own"
            ) from e

    def open(self) -> Index:
        """Open the index; where the settings allow it, bring it up to date first.

        Raises:
            KnowledgeError: it is missing, damaged or stale, and may not be built now.
        """
        try:
            return self.open_as_it_is()
        except (IndexMissingError, StaleIndexError, IndexDamagedError):
            if not self._settings.knowledge.auto_index:
                raise
        self._say(f"bringing the search index up to date ({self.folder})")
        self.build()
        return open_index(self.folder, model=self.model)

    def open_as_it_is(self) -> Index:
        """Open the index without building anything.

        Raises:
            KnowledgeError: it is missing, damaged or stale.
        """
        documents: Sequence[Known | Entry] | None = self._shelf.known()
        if documents is None:
            # A file looks different; its content may still be what is indexed.
            documents = self._shelf.take_in(self._old())
        index = open_index(self.folder, [*self.articles, *documents], self.model)
        self._shelf.keep()
        return index

    def search(self) -> Search:
        """Open a Search over articles and documents, with the documents' audit verdicts.

        Raises:
            KnowledgeError: the index may not be built now, or the model cannot be loaded.
        """
        index = self.open()
        self.model.load()
        return Search(index, self.model, verdicts=self._verdicts(index))

    def _verdicts(self, index: Index) -> Mapping[str, Verdict]:
        def now(id: str) -> Document | None:
            source = index.sources.get(id)
            if source is None or source.kind != "document":
                return None
            try:
                return load_document(Path(source.path))
            except DocumentError:
                return None

        return load_verdicts(self._settings.state_folder, now)

    def _old(self) -> Index | None:
        """The present index; None if there is none that can be read."""
        try:
            return open_index(self.folder)
        except (IndexMissingError, IndexDamagedError):
            return None


def _stage(
    progress: Callable[[str, int, int], None] | None, name: str
) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, total: progress(name, done, total)


def open_executor(settings: ExecutorSettings) -> ExecutorClient:
    """The executor that the settings name; an embedded one starts at its first job.

    Raises:
        SettingsError: the address is none.
    """
    url = settings.url
    if not url:
        return ExecutorClient.embedded(_embedded(settings))
    if url.startswith("unix:"):
        return ExecutorClient.on_socket(Path(url.removeprefix("unix:")).expanduser())
    if url.startswith(("http://", "https://")):
        token = os.environ.get("TORCHMEDIC_EXECUTOR_TOKEN", "")
        if not token:
            raise SettingsError(
                f"executor.url is {url}: set TORCHMEDIC_EXECUTOR_TOKEN to that executor's token"
            )
        return ExecutorClient.on_tcp(url, token)
    raise SettingsError(
        f"executor.url is {url!r}: write unix:/path/to/socket or http://host:port, or leave it "
        "empty to have one started"
    )


def _embedded(settings: ExecutorSettings) -> dict[str, object]:
    words: dict[str, object] = {
        "tier": settings.tier,
        "limits": {
            "memory_bytes": settings.memory_mib * MIB,
            "gpu_memory_bytes": settings.gpu_memory_mib * MIB,
            "processes": settings.processes,
        },
        # Codemods read strangers' code, so they run there: see knowledge/repair/codemod.py.
        "preload": [
            "libcst.metadata",
            "knowledge.repair.codemod",
            "knowledge.repair.toolkit.edits",
        ],
        "readable": list(knowledge.__path__),
    }
    if settings.slots:
        words["slots"] = settings.slots
    return words


@asynccontextmanager
async def open_medic(settings: Settings, say: Say = lambda _: None) -> AsyncIterator[Medic]:
    """A Medic ready to answer. Executor and embedding model start at the same time.

    Raises:
        BotError, KnowledgeError, ExecutorError: as the parts' own docstrings say.
    """
    executor = open_executor(settings.executor)
    threads = ThreadPoolExecutor(1, thread_name_prefix="library")
    try:
        library = Library(settings, say)
        warming = asyncio.create_task(_warm(executor, say))
        index: Future[Search] = threads.submit(library.search)

        def look(text: str, error: tuple[str, str] | None) -> SearchResult:
            return index.result().search(text, error)

        async def has_gpu() -> bool:
            return "cuda" in (await executor.capabilities())["devices"]

        yield Medic(
            executor=executor,
            look=look,
            articles={a.slug: a for a in library.articles},
            has_gpu=has_gpu,
            prove=lambda article: library.proofs.prove(executor, article, library.codemods),
            codemods=library.codemods,
            wall_s=settings.executor.wall_s,
        )
        warming.cancel()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        await executor.close()


async def _warm(executor: ExecutorClient, say: Say) -> None:
    """Start an embedded executor now, and warn if its jail is the weakest one.

    If it cannot start, the first job raises the error.
    """
    try:
        here = await executor.capabilities()
    except ExecutorError:
        return
    if here["tier"] == "process":
        why = "; ".join(f"{tier}: {reason}" for tier, reason in here["refused_tiers"].items())
        say(
            "this machine allows only the weakest jail (process: limits and a system-call filter), "
            f"so ask only about code that you would run yourself ({why})"
        )


def _expanded(path: str) -> Path:
    return Path(path).expanduser()
