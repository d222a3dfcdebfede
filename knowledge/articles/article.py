"""Read articles: folders that explain one mistake and carry the programs that prove it."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from executor.errors import SeenError, families_of, family_of
from knowledge import signature as signatures
from knowledge.articles.conditions import Condition, Facts
from knowledge.articles.says import Way, asks, read_way
from knowledge.articles.slugs import ARTICLES, check_slug, folder_of, slug_of
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

_BLANK = "…"  # what `new_article` leaves for the author to write
_MARKER = re.compile(r"#\s*error:\s*(?P<type>[A-Za-z_][\w.]*)(?::\s*(?P<message>.*\S))?\s*$")
_ANY_MARKER = re.compile(r"#\s*error\s*:")


@dataclass(frozen=True)
class ExpectedError:
    """The error that broken.py promises: the start of the message; `...` skips anything."""

    type: str
    message: str
    line: int

    @property
    def signature(self) -> str:
        return signatures.signature(self.type, self.message)

    def matches(self, type: str, message: str) -> bool:
        """Whether this is the promised error, whatever its numbers."""
        return signatures.matches(self.signature, signatures.signature(type, message))


@dataclass(frozen=True)
class Article:
    """One mistake: its explanation, a program that makes it, and the fixed program."""

    slug: str
    folder: Path
    title: str
    torch: str  # the version it was last proved on
    sources: tuple[str, ...]  # addresses
    needs: str | None  # "cuda", "simulated-cuda", "cpu-build" (a PyTorch without CUDA), or nothing
    # It answers its `signatures` alone: no run here can raise them (a second GPU, a full one, an
    # old torch), so its programs show the mistake by an assert or by another error.
    answers_signatures: bool
    is_recipe: bool  # it says how something is done, for which there is no single function
    also_asked_as: tuple[str, ...]
    other_errors: tuple[str, ...]  # "Type: message" of further errors that this article answers
    what_you_see: str
    why: str
    fix: str
    if_that_was_not_it: str
    broken: str
    fixed: str
    expected_error: ExpectedError | None  # None: a silent mistake, both programs end in one assert
    why_if: tuple[Condition, ...] = ()  # which paragraphs of `why` hold for which errors
    fix_if: tuple[Condition, ...] = ()  # which pieces of `fix` are of use for which errors
    says: tuple[Way, ...] = ()  # what a post says that asks just this

    def is_asked(self, text: str) -> bool:
        """Whether a post's words, and not their nearness, tell that this article answers it."""
        return asks(text, self.says)

    def reason(self, facts: Facts | None = None) -> str:
        """The paragraphs of `why` that hold for an error, in prose; empty if none does.

        The first one holds for every error that the article answers, and no other for any, unless
        `why_if` says when.

        Args:
            facts: what is known of the error; None if there is none, and then all that may hold
                is told.
        """
        conditions = {c.paragraph: c for c in self.why_if}
        told = []
        for number, paragraph in enumerate(paragraphs_of(self.why), 1):
            condition = conditions.get(number)
            always = number == 1 if condition is None else facts is None
            holds = always or (condition is not None and condition.holds(facts or {}))
            if holds and is_prose(paragraph):
                told.append(paragraph)
        return " ".join(told)

    def remedy(self, facts: Facts | None = None) -> str:
        """The pieces of `fix` that may help against an error, as Markdown; empty if none does.

        Every piece may, unless `fix_if` says when, and what is known of the error excludes it.

        Args:
            facts: what is known of the error; None if there is none, and then all is told.
        """
        conditions = {c.paragraph: c for c in self.fix_if}
        told = [
            piece
            for number, piece in enumerate(pieces_of(self.fix), 1)
            if number not in conditions or facts is None or conditions[number].may_hold(facts)
        ]
        return "\n\n".join(told)

    @property
    def errors(self) -> tuple[str, ...]:
        """Every error this article answers, as "Type: message", broken.py's own first."""
        own = None if self.answers_signatures else self.expected_error
        return (*((f"{own.type}: {own.message}",) if own else ()), *self.other_errors)

    @property
    def signature(self) -> str | None:
        """The signature of broken.py's error; None for a silent mistake."""
        return self.expected_error.signature if self.expected_error else None

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signature of each of `errors`, once."""
        return tuple(dict.fromkeys(signatures.signature(None, error) for error in self.errors))

    @property
    def is_silent(self) -> bool:
        """Whether its mistake raises nothing: both programs end in one assert."""
        return self.expected_error is None and not self.answers_signatures

    @cached_property
    def families(self) -> frozenset[str]:
        """The error families (`executor.errors`) of the errors it answers, as far as known."""
        seen = (family_of(*_type_and_message(error)) for error in self.errors)
        return frozenset(family.id for family in seen if family is not None)

    def promises(self, type: str, message: str) -> bool:
        """Whether an error is one that it answers: of the same family, or with its signature."""
        seen = families_of(type, message)
        if any(s.id in self.families for s in seen):
            return True
        # Two families can share a signature: of an old wording it leaves out device and dtype.
        wanted = signatures.signature(type, message)
        return any(
            signatures.matches(signatures.signature(None, own), wanted)
            for own in self.errors
            if not seen or family_of(*_type_and_message(own)) is None
        )

    def shares_subject(self, type: str, message: str, *, loosely: bool = False) -> bool:
        """Whether one of its errors is about the same thing, where the family alone does not tell.

        `'list' object is not callable` and `'Tensor' object is not callable` are of one family.

        Args:
            type: the exception's class.
            message: its text.
            loosely: compare only what has to agree even where a run has shown the rest.
        """
        # The narrowest family may have no subject: `'ellipsis' object is not callable` is of code
        # that was left out, and its article is none about another thing that is not callable.
        found = families_of(type, message)
        seen = next((s for s in found if s.subject and s.id in {found[0].id, *self.families}), None)
        if seen is None:
            return True
        n = 1 if loosely else len(seen.subject)
        own = (family_of(*_type_and_message(error)) for error in self.errors)
        return any(
            o is not None and o.id == seen.id and o.subject[:n] == seen.subject[:n] for o in own
        )

    def says_of(self, type: str, message: str) -> str:
        """The lines about an error that the article only quotes; empty if there are none.

        The rest of the article explains and fixes another mistake.
        """
        wanted = signatures.signature(type, message)
        # A silent mistake raises nothing: an error that its article names is another one.
        if not self.is_silent and any(signatures.matches(own, wanted) for own in self.signatures):
            return ""
        lines = [*self.what_you_see.splitlines(), *self.if_that_was_not_it.splitlines()]
        return " ".join(
            line.lstrip("- ")
            for line in lines
            if any(signatures.matches(quoted, wanted) for quoted in _quoted(line))
        )

    def other_cause(self, type: str, message: str) -> str:
        """What the article says of an error that it quotes under "If that was not it".

        The error is then of another cause than the one that the article is about, even where both
        are found by it: a wrong number of dimensions beside a wrong size. Empty if it quotes none.
        """
        own = self.expected_error
        if self.answers_signatures or (own is not None and own.matches(type, message)):
            return ""
        main = family_of(own.type, own.message) if own is not None else None
        return " ".join(
            " ".join(paragraph.removeprefix("- ").split())
            for paragraph in self.if_that_was_not_it.split("\n\n")
            if any(_is_quoted(said, type, message, main) for said in _messages(paragraph))
        )

    def has_only_the_opposite(self, type: str, message: str) -> bool:
        """Whether the article is about another cause than the error's, and tells its opposite.

        Of `expected 4D input (got 3D input)` it says something, of `expected 3D input (got 4D
        input)` nothing, and its reason is of neither.
        """
        seen = family_of(type, message)
        own = self.expected_error
        main = family_of(own.type, own.message) if own is not None else None
        if self.answers_signatures or seen is None or main is None or seen.id == main.id:
            return False
        if self.other_cause(type, message):
            return False
        quoted = (family_of(type, said) for said in _messages(self.if_that_was_not_it))
        return any(found is not None and found.id == seen.id for found in quoted)

    def aside_on(self, words: str) -> str:
        """The paragraphs of "If that was not it" that mention something; may be empty."""
        paragraphs = self.if_that_was_not_it.split("\n\n")
        return " ".join(" ".join(p.split()) for p in paragraphs if words in p)

    @property
    def codemod(self) -> Path | None:
        """The program that repairs snippets, if the folder has one."""
        path = self.folder / "codemod.py"
        return path if path.is_file() else None


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a section, each on one line; lists and tables are paragraphs too."""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def pieces_of(text: str) -> list[str]:
    """The pieces of a section: each a paragraph of prose with the code and lists that follow it."""
    pieces: list[list[str]] = []
    fenced = False
    for paragraph in text.split("\n\n"):
        goes_on = fenced or paragraph.startswith(("```", "- ", "|", "1. "))
        if not pieces or not goes_on:
            pieces.append([])
        pieces[-1].append(paragraph)
        fenced ^= sum(line.startswith("```") for line in paragraph.splitlines()) % 2 == 1
    return ["\n\n".join(piece) for piece in pieces]


def is_prose(paragraph: str) -> bool:
    """Whether a paragraph can be told alone: no list, table or code, nor a sentence before one."""
    return not paragraph.startswith(("- ", "|", "```", "1. ")) and paragraph[-1:] != ":"


def _type_and_message(error: str) -> tuple[str, str]:
    type, separator, message = error.partition(": ")
    return (type, message) if separator else ("", error)


def _messages(text: str) -> list[str]:
    """The messages between backticks."""
    return [span for span in text.split("`")[1::2] if len(span.split()) >= 3]


def _is_quoted(said: str, type: str, message: str, main: SeenError | None) -> bool:
    """Whether a message is the error, or has its words where that is of another family than main.

    A layer's name and numbers may be others: of `conv1d` is said what is said of `conv2d`.
    """
    names = re.findall(r"['\"](\w+)['\"]", said)
    if not all(name in message for name in names):
        return False  # `'Linear' object is not …` says nothing of a `'list' object`
    if {_rises(said), _rises(message)} == {True, False}:
        return False  # `expected 4D input (got 3D input)`, and not the other way round
    wanted = signatures.signature(type, message)
    if signatures.matches(signatures.signature(None, said.rstrip(". ")), wanted):
        return True
    seen = family_of(type, message)
    is_other = seen is not None and (main is None or seen.id != main.id)
    return is_other and re.sub(r"\d", "", message).startswith(re.sub(r"\d", "", said))


def _rises(message: str) -> bool | None:
    """Whether the second of a message's two numbers is the larger one; None if it has not two."""
    numbers = [int(n) for n in re.findall(r"\d+", message)]
    return numbers[0] < numbers[1] if len(numbers) == 2 else None


def _quoted(line: str) -> list[str]:
    """The signatures of the messages between backticks; a sentence may go on behind them."""
    spans = (span for span in line.split("`")[1::2] if len(span.split()) >= 3)
    return [signatures.signature(None, span.rstrip(". ")) for span in spans]


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
        if not value.strip() or value.strip() == _BLANK:
            raise self.error(key, f"`{key}` is still empty; write it")
        return " ".join(value.split())

    def list_of_text(self, key: str) -> tuple[str, ...]:
        value = self.fields.get(key) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"`{key}` must be a list with one `- …` a line")
        items = tuple(" ".join(item.split()) for item in value)
        if not all(items) or _BLANK in items:
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
        if not text or text == _BLANK:
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
    asked = [json.dumps(way, ensure_ascii=False) for way in also_asked_as] or [_BLANK]
    ways = "\n".join(f"  - {way}" for way in asked)
    front = f"title: {_BLANK}\ntorch: {_BLANK}\nsources:\n  - {_BLANK}\nalso_asked_as:\n{ways}"
    body = "\n".join(f"## {heading}\n\n{_BLANK}\n" for heading in HEADINGS)
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
