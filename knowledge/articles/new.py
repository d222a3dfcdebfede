"""Write the skeleton of an article for its author to fill in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from knowledge.articles.reading import BLANK, HEADINGS
from knowledge.articles.slugs import check_slug, folder_of
from knowledge.errors import ArticleError


def new_article(
    root: Path, slug: str, also_asked_as: Sequence[str] = (), broken: str | None = None
) -> Path:
    """Write the skeleton of an article; loading it names what is still to be written.

    Args:
        root: the folder of articles.
        slug: the article's public name; its folder's has underscores.
        also_asked_as: questions that people asked about it.
        broken: a program with the mistake; None: an example of one.

    Returns:
        The new folder.

    Raises:
        ArticleError: the slug is no name, or the folder is already there.
    """
    folder = folder_of(slug, root)
    check_slug(slug, folder)
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise ArticleError(f"{folder}: is already there; choose another slug") from error
    except OSError as error:
        raise ArticleError(f"{folder}: cannot be made: {error.strerror}") from error
    (folder / "explanation.md").write_text(_explanation_skeleton(also_asked_as), encoding="utf-8")
    (folder / "broken.py").write_text(broken or _BROKEN_SKELETON, encoding="utf-8")
    (folder / "fixed.py").write_text(_FIXED_SKELETON, encoding="utf-8")
    return folder


def _explanation_skeleton(also_asked_as: Sequence[str]) -> str:
    # JSON's strings are YAML's, whatever people wrote.
    asked = [json.dumps(way, ensure_ascii=False) for way in also_asked_as] or [BLANK]
    ways = "\n".join(f"  - {way}" for way in asked)
    front = f"title: {BLANK}\ntorch: {BLANK}\nsources:\n  - {BLANK}\nalso_asked_as:\n{ways}"
    body = "\n".join(f"## {heading}\n\n{BLANK}\n" for heading in HEADINGS)
    return f"---\n{front}\n---\n\n{body}"


_BROKEN_SKELETON = """\
import torch

# The shortest program with the mistake. The line that fails says how it fails; a mistake that
# raises nothing has no such line, and both programs end in one assert instead.
torch.ones(2, 3) @ torch.ones(2, 3)  # error: RuntimeError: mat1 and mat2 shapes cannot be ...
"""

_FIXED_SKELETON = """\
import torch

torch.ones(2, 3) @ torch.ones(2, 3).T
"""
