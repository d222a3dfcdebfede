"""What a bot knows: articles, documents, codemods, and the index over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bot.diagnosis.proof import Proofs
from bot.errors import StateError
from bot.settings import Settings
from knowledge.articles.article import Article
from knowledge.articles.reading import load_articles
from knowledge.articles.slugs import ARTICLES
from knowledge.documents.verdict import Verdicts
from knowledge.errors import DocumentError, IndexDamagedError, IndexMissingError, StaleIndexError
from knowledge.repair.codemod import Codemod, load_codemods
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import BuildReport, Entry, Index, Known, build_index, open_index
from knowledge.search.ingest import Shelf
from knowledge.search.search import Search

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
                raise DocumentError(
                    f"{path}: there is no such file or folder of documents; "
                    "check knowledge.documents"
                )
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
        audited = Verdicts(self._settings.state_folder)
        told = {id: audited.verdict_of(source) for id, source in index.sources.items()}
        known = {id: verdict for id, verdict in told.items() if verdict is not None}
        return Search(index, self.model, verdicts=known)

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


def _expanded(path: str) -> Path:
    return Path(path).expanduser()
