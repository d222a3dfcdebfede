"""Cut articles and documents into passages for the search: prose, never code."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from knowledge.articles.article import Article
from knowledge.documents.document import Document
from knowledge.documents.markdown import split_markdown

MAX_WORDS = 200  # about 260 tokens; all-MiniLM-L6-v2 reads 256 and ignores the rest
# A document rambles: of its passages a short one that is about the question comes nearer to it than
# a long one that is about more, and what it opens with is what the whole is about (docs/search.md).
MAX_WORDS_OF_DOCUMENT = 100
_OPENING_SENTENCES = 3

Kind = Literal["title", "also_asked_as", "what_you_see", "why", "fix", "opening", "paragraph"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Passage:
    """A piece of explanation; `ordinal` is its position in its source, from 0."""

    id: str
    source: str
    kind: Kind
    text: str
    ordinal: int


def passages(source: Article | Document) -> list[Passage]:
    """Cut one article or document: its title, each way it is asked, then packed paragraphs."""
    if isinstance(source, Article):
        name, pieces = source.slug, _article_pieces(source)
    else:
        name, pieces = source.id, _document_pieces(source)
    return [
        Passage(id=f"{name}#{ordinal}", source=name, kind=kind, text=text, ordinal=ordinal)
        for ordinal, (kind, text) in enumerate(pieces)
    ]


def digest(source: Article | Document, pieces: Iterable[Passage]) -> str:
    """Hash a source's indexed text; an article's code may change without a new index."""
    content = hashlib.sha256()
    more = source.errors if isinstance(source, Article) else (block.code for block in source.code)
    for part in (source.title, *more, *(f"{piece.kind}\0{piece.text}" for piece in pieces)):
        content.update(part.encode("utf-8", "surrogatepass") + b"\0\0")
    return content.hexdigest()


def _article_pieces(article: Article) -> Iterator[tuple[Kind, str]]:
    yield "title", article.title
    for asked in article.also_asked_as:
        yield "also_asked_as", asked
    sections: tuple[tuple[Kind, str], ...] = (
        ("what_you_see", article.what_you_see),
        ("why", article.why),
        ("fix", article.fix),
    )  # not *If that was not it*: its words belong to other mistakes and would attract them
    for kind, section in sections:
        prose, _ = split_markdown(section)
        for text in pack(paragraph.text for paragraph in prose):
            yield kind, text


def _document_pieces(document: Document) -> Iterator[tuple[Kind, str]]:
    if document.title:
        yield "title", document.title
    first = next(pack(document.prose), "")
    opening = " ".join(_SENTENCE_END.split(first)[:_OPENING_SENTENCES])
    packed = list(pack(document.prose, MAX_WORDS_OF_DOCUMENT))
    if opening and opening != packed[0]:
        yield "opening", opening
    for text in packed:
        yield "paragraph", text


def pack(paragraphs: Iterable[str], max_words: int = MAX_WORDS) -> Iterator[str]:
    """Join short paragraphs and cut long ones, at sentences where possible, to `max_words`."""
    packed: list[str] = []
    words = 0
    for piece in _cut(paragraphs, max_words):
        size = len(piece.split())
        if packed and words + size > max_words:
            yield "\n".join(packed)
            packed, words = [], 0
        packed.append(piece)
        words += size
    if packed:
        yield "\n".join(packed)


def _cut(paragraphs: Iterable[str], max_words: int) -> Iterator[str]:
    for paragraph in paragraphs:
        if len(paragraph.split()) <= max_words:
            if paragraph.strip():
                yield paragraph.strip()
            continue
        for sentence in _SENTENCE_END.split(paragraph):
            words = sentence.split()
            for start in range(0, len(words), max_words):
                yield " ".join(words[start : start + max_words])
