"""What can go wrong in knowledge/.

KnowledgeError
├── ArticleError               a folder is no article, or does not prove what it says
├── DocumentError              a Markdown file cannot be read as a question with its answer
├── EmbeddingModelError        the model is not there, or is not the one its name promises
├── DimensionMismatchError     vectors from two different embedding models
├── IndexMissingError          nothing was built yet
├── IndexDamagedError          what was built can no longer be read
└── StaleIndexError            an article, a document or the model changed after the index was built
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_REBUILD = "run `torchmedic index`"
_NAMED = 5  # changed sources named in a message, before "and n more"


class KnowledgeError(Exception):
    """Any of the below: the place, the finding and the next step, in one line."""


class ArticleError(KnowledgeError):
    """A folder is no article, or does not prove what it says."""


class DocumentError(KnowledgeError):
    """A Markdown file cannot be read as a question with its answer."""


class EmbeddingModelError(KnowledgeError):
    """The model is not there, or is not the one its name promises."""


class DimensionMismatchError(KnowledgeError):
    """Vectors from two different embedding models."""

    def __init__(self, *, expected: int, got: int) -> None:
        super().__init__(
            f"the index holds vectors of {expected} numbers, these have {got}: they come from "
            f"another embedding model; name the index's model in config.yaml, or {_REBUILD}"
        )
        self.expected = expected
        self.got = got


class IndexMissingError(KnowledgeError):
    """Nothing was built yet."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder}: there is no search index here yet; {_REBUILD}")
        self.folder = folder


class IndexDamagedError(KnowledgeError):
    """What was built can no longer be read."""

    def __init__(self, path: Path, finding: str) -> None:
        super().__init__(f"{path}: {finding}; {_REBUILD}, it writes the index anew")
        self.path = path


class StaleIndexError(KnowledgeError):
    """An article, a document or the model changed after the index was built."""

    def __init__(self, folder: Path, changes: Sequence[str]) -> None:
        named = ", ".join(changes[:_NAMED])
        more = f" and {len(changes) - _NAMED} more" if len(changes) > _NAMED else ""
        super().__init__(f"{folder}: since this index was built: {named}{more}; {_REBUILD}")
        self.folder = folder
        self.changes = tuple(changes)
