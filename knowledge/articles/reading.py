"""Read articles from their folders, and say by file and line what is wrong in one."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from knowledge import signature as signatures
from knowledge.articles.article import Article, ExpectedError, is_prose, paragraphs_of, pieces_of
from knowledge.articles.conditions import Condition
from knowledge.articles.says import Way, read_way
from knowledge.articles.slugs import ARTICLES, check_slug, slug_of
from knowledge.documents.document import FrontMatterError, split_front_matter
from knowledge.errors import ArticleError

HEADINGS = ("What you see", "Why", "Fix", "If that was not it")
_KEYS = (
    *("title", "torch", "sources", "needs", "answers", "also_asked_as", "says", "signatures"),
    "why_if",
    "fix_if",
)
_NEEDS = ("cuda", "simulated-cuda", "cpu-build")
_ANSWERS = ("signatures", "how-to")

BLANK = "…"  # what `new_article` leaves for the author to write
_MARKER = re.compile(r"#\s*error:\s*(?P<type>[A-Za-z_][\w.]*)(?::\s*(?P<message>.*\S))?\s*$")
_ANY_MARKER = re.compile(r"#\s*error\s*:")


def load_articles(root: Path = ARTICLES) -> list[Article]:
    """Read every article in a folder, sorted by slug.

    Raises:
        ArticleError: the folder is not there, a folder in it is no article, or two are the same.
    """
    if not root.is_dir():
        raise ArticleError(f"{root}: there is no such folder of articles; check the path")
    folders = (f for f in root.iterdir() if f.is_dir() and not f.name.startswith((".", "_")))
    articles = sorted((load_article(folder) for folder in folders), key=lambda a: a.slug)
    for one, other in pairwise(articles):
        if one.slug == other.slug:
            raise ArticleError(f"{one.folder}: is the same article as {other.folder}; remove one")
    return articles


def load_article(folder: Path) -> Article:
    """Read one article and check everything that can be checked without running it.

    Raises:
        ArticleError: names file and line, what is wrong there and what to write instead.
    """
    check_slug(folder.name, folder)
    explanation = folder / "explanation.md"
    fields, sections = _read_explanation(explanation, _read(explanation))
    broken, fixed = _read(folder / "broken.py"), _read(folder / "fixed.py")
    expected = _expected_error(folder / "broken.py", broken)
    _check_programs(folder, broken, fixed, expected)
    return Article(
        slug=slug_of(folder.name),
        folder=folder,
        broken=broken,
        fixed=fixed,
        expected_error=expected,
        **fields,
        **sections,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ArticleError(
            f"{path}:1: the file is missing; an article needs explanation.md, broken.py, fixed.py"
        ) from error
    except UnicodeDecodeError as error:
        raise ArticleError(f"{path}:1: not UTF-8; save the file as UTF-8") from error
    except OSError as error:
        raise ArticleError(f"{path}:1: cannot be read: {error.strerror}") from error


def _read_explanation(path: Path, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        fields, body, first_line = split_front_matter(text)
    except FrontMatterError as error:
        raise ArticleError(
            f"{path}:{error.line}: {error}; mend the front matter between the `---` lines"
        ) from error
    front = _FrontMatter(path, text, fields)
    read, sections = _read_fields(front), _read_sections(path, body, first_line)
    why = paragraphs_of(sections["why"])
    told = {n: is_prose(paragraph) for n, paragraph in enumerate(why, 1)}
    conditions = {
        "why_if": _read_conditions(front, "why_if", "Why", told),
        "fix_if": _read_conditions(
            front,
            "fix_if",
            "Fix",
            dict.fromkeys(range(1, len(pieces_of(sections["fix"])) + 1), True),
        ),
    }
    return {**read, **conditions, "says": _read_ways(front)}, sections


def _read_ways(front: _FrontMatter) -> tuple[Way, ...]:
    try:
        return tuple(map(read_way, front.list_of_text("says")))
    except ValueError as error:
        raise front.error("says", str(error)) from None


def _read_fields(front: _FrontMatter) -> dict[str, Any]:
    for key in front.fields:
        if key not in _KEYS:
            raise front.error(key, f"`{key}` is no field of an article; use {', '.join(_KEYS)}")
    title, torch = front.text("title"), front.text("torch")
    needs = front.text("needs") if "needs" in front.fields else None
    if needs is not None and needs not in _NEEDS:
        raise front.error("needs", f"`needs` can only be {' or '.join(_NEEDS)}, not `{needs}`")
    answers = front.text("answers") if "answers" in front.fields else None
    if answers is not None and answers not in _ANSWERS:
        raise front.error(
            "answers", f"`answers` can only be {' or '.join(_ANSWERS)}, not `{answers}`"
        )
    sources = front.list_of_text("sources")
    if not sources:
        raise front.error("sources", "no source; list at least one address")
    for source in sources:
        if not source.startswith(("https://", "http://")):
            raise front.error("sources", f"`{source}` is no address; begin it with https://")
    other_errors = front.list_of_text("signatures")
    if answers == "signatures" and not other_errors:
        raise front.error("answers", "`answers: signatures` needs a list of `signatures`")
    for other in other_errors:
        if len(other.split()) < signatures.MIN_QUOTED_WORDS:
            raise front.error("signatures", f"`{other}` is too short to be told from others")
    return {
        "title": title,
        "torch": torch,
        "sources": sources,
        "needs": needs,
        "answers_signatures": answers == "signatures",
        "is_recipe": answers == "how-to",
        "also_asked_as": front.list_of_text("also_asked_as"),
        "other_errors": other_errors,
    }


def _read_conditions(
    front: _FrontMatter, key: str, heading: str, told: Mapping[int, bool]
) -> tuple[Condition, ...]:
    """The conditions under a key; `told` has the section's parts, and whether each can be told."""
    given = front.fields.get(key, {})
    if not isinstance(given, dict):
        raise front.error(key, f"write `{key}:` with one `2: {{family: …}}` a line")
    conditions = []
    for number, wanted in given.items():
        if not number.isdigit() or int(number) not in told:
            raise front.error(key, f"`{heading}` has no paragraph {number}; count from 1")
        if not told[int(number)]:
            raise front.error(key, f"paragraph {number} of `{heading}` is no prose, and never told")
        if not isinstance(wanted, dict) or not wanted:
            raise front.error(key, f"say what has to hold for {number}: `{{family: …}}`")
        for fact, pattern in wanted.items():
            try:
                re.compile(pattern)
            except (re.error, TypeError):
                raise front.error(key, f"`{fact}: {pattern}` is no pattern") from None
        conditions.append(Condition(int(number), tuple(wanted.items())))
    return tuple(conditions)


@dataclass(frozen=True)
class _FrontMatter:
    """The fields with their lines in the file, for error messages."""

    path: Path
    source: str
    fields: dict[str, Any]

    def text(self, key: str) -> str:
        value = self.fields.get(key)
        if not isinstance(value, str):
            raise self.error(key, f"write `{key}: …` with one line of text")
        if not value.strip() or value.strip() == BLANK:
            raise self.error(key, f"`{key}` is still empty; write it")
        return " ".join(value.split())

    def list_of_text(self, key: str) -> tuple[str, ...]:
        value = self.fields.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"`{key}` must be a list with one `- …` a line")
        items = tuple(" ".join(item.split()) for item in value)
        if not all(items) or BLANK in items:
            raise self.error(key, f"`{key}` has an empty entry; write it or remove it")
        return items

    def error(self, key: str, finding: str) -> ArticleError:
        lines = self.source.split("\n")
        line = next((n for n, text in enumerate(lines, 1) if text.startswith(f"{key}:")), 1)
        return ArticleError(f"{self.path}:{line}: {finding}")


def _read_sections(path: Path, body: str, first_line: int) -> dict[str, Any]:
    """Split the body at its four headings, in their order; a `#` inside a fence is no heading."""
    found: list[tuple[str, int, list[str]]] = []
    fenced = False
    for number, line in enumerate(body.split("\n"), first_line):
        fenced ^= line.lstrip().startswith("```")
        if line.startswith("## ") and not fenced:
            found.append((line[3:].strip(), number, []))
        elif found:
            found[-1][2].append(line)
        elif line.strip():
            raise ArticleError(f"{path}:{number}: text before the first heading; move it below one")

    names = [name for name, _, _ in found]
    for position, heading in enumerate(HEADINGS):
        if position >= len(names) or names[position] != heading:
            here = found[position][1] if position < len(names) else first_line + body.count("\n")
            raise ArticleError(f"{path}:{here}: expected the heading `## {heading}` here")
    if len(found) > len(HEADINGS):
        raise ArticleError(f"{path}:{found[len(HEADINGS)][1]}: one heading too many; remove it")

    sections = {}
    for heading, start, written in found:
        text = "\n".join(written).strip()
        if not text or text == BLANK:
            raise ArticleError(f"{path}:{start}: nothing is written under `## {heading}` yet")
        sections[heading.lower().replace(" ", "_")] = text
    return sections


def _expected_error(path: Path, code: str) -> ExpectedError | None:
    markers = [(line, text) for line, text in _comments(code) if _ANY_MARKER.match(text)]
    if not markers:
        return None
    if len(markers) > 1:
        raise ArticleError(f"{path}:{markers[1][0]}: a second `# error:`; only one line can fail")
    line, text = markers[0]
    marker = _MARKER.match(text)
    if marker is None:
        raise ArticleError(f"{path}:{line}: write `# error: Type: message`")
    return ExpectedError(type=marker["type"], message=marker["message"] or "", line=line)


def _comments(code: str) -> Iterator[tuple[int, str]]:
    """The comments of code that may hold a marker, by their lines."""
    if not _ANY_MARKER.search(code):
        return
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        # An article about a SyntaxError has a broken.py that is no Python.
        for number, line in enumerate(code.split("\n"), 1):
            if match := _ANY_MARKER.search(line):
                yield number, line[match.start() :]
        return
    yield from ((t.start[0], t.string) for t in tokens if t.type == tokenize.COMMENT)


def _check_programs(folder: Path, broken: str, fixed: str, expected: ExpectedError | None) -> None:
    for line, text in _comments(fixed):
        if _ANY_MARKER.match(text):
            raise ArticleError(f"{folder / 'fixed.py'}:{line}: fixed.py cannot promise an error")
    fixed_end = _last_statement(folder / "fixed.py", fixed)
    if expected is not None:
        return
    broken_end = _last_statement(folder / "broken.py", broken)
    if not isinstance(broken_end, ast.Assert):
        line = broken_end.lineno if broken_end else 1
        raise ArticleError(
            f"{folder / 'broken.py'}:{line}: no line ends in `# error: Type: message`, and the "
            "last statement is no assert; mark the line that fails, or assert what should happen"
        )
    if fixed_end is None or ast.dump(fixed_end) != ast.dump(broken_end):
        line = fixed_end.lineno if fixed_end else 1
        raise ArticleError(
            f"{folder / 'fixed.py'}:{line}: must end in the same assert as broken.py, line "
            f"{broken_end.lineno}"
        )


def _last_statement(path: Path, code: str) -> ast.stmt | None:
    try:
        statements = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ArticleError(f"{path}:{line}: no Python: {error}") from error
    return statements[-1] if statements else None
