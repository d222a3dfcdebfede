"""Tell an article's slug, its public name, from its folder's name and the other way round.

The slug is words joined by hyphens, as in an address: `view-not-contiguous`. The folder's name has
underscores, so that its codemod can be imported: `knowledge.articles.view_not_contiguous.codemod`.
A folder of a team's own may have either.
"""

from __future__ import annotations

import re
from pathlib import Path

from knowledge.errors import ArticleError

ARTICLES = Path(__file__).parent

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_SLUG_CHARS = 80


def slug_of(name: str) -> str:
    """The slug that a folder's name, or a person, writes with underscores or hyphens."""
    return name.replace("_", "-")


def folder_of(slug: str, root: Path = ARTICLES) -> Path:
    """The folder of an article, whether it is there or not; a slug may be in either form.

    An existing folder with hyphens is found; a new one gets underscores.
    """
    hyphens = root / slug_of(slug)
    return hyphens if hyphens.is_dir() else root / slug.replace("-", "_")


def check_slug(name: str, place: Path) -> None:
    """Refuse a name that could not be an address: lower case, digits, single hyphens.

    Raises:
        ArticleError: says how to write it.
    """
    slug = slug_of(name)
    if not _SLUG.fullmatch(slug) or len(slug) > _MAX_SLUG_CHARS:
        raise ArticleError(
            f"{place}: `{name}` is no name for an article; use lower-case words joined by hyphens "
            f"(underscores in the folder's name), {_MAX_SLUG_CHARS} characters at most, as in "
            "`non-leaf-tensor-in-optimizer`"
        )
