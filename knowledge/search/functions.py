"""Find the function that does what a question asks for, or abstain if none does."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from knowledge.reference.asked import ASKED
from knowledge.reference.asked_plainly import PLAINLY
from knowledge.reference.elsewhere import ELSEWHERE, OPPOSITE
from knowledge.reference.model import Documented, Reference
from knowledge.search.bm25 import Words, tokenize
from knowledge.search.index import (
    BuildReport,
    Embeds,
    Entry,
    Index,
    IndexedSource,
    build_index,
    open_index,
)
from knowledge.search.off_field import OFF_FIELD, is_foreign, names_ours
from knowledge.search.passages import Passage
from knowledge.search.plain_words import in_words_of_documentation, spelt_right, with_letters

THRESHOLD = 0.5

# Fitted and printed by benchmarks/how_to.py, as benchmarks/fit_search.py fits those of search.py.
_MEANING, _WORDS, _ASKED_WORDS, _NAME, _NAMED, _ABOUT = 18.1, 10.2, 23.0, -0.1, 2.9, 8.8
_SURE_ORDER, _SURE_ELSEWHERE, _SURE_FIELD = 0.71, -9.37, 3.79
_SURE_FOREIGN, _SURE_LENGTH, _SURE_BIAS = -4.08, 3.14, -15.4
_FIELD = 5  # functions whose mean nearness tells whether the question is of the field at all
_LONG = 8  # words; a longer question is no surer
_PARTS = 8  # sentences of a long question that are looked at
_PART_HANDICAP = 0.2  # a sentence alone says less than the whole, on the logistic scale
_MIN_WORDS = 3  # of a sentence that may be the question
_MOST_CHARS = 1_500

_WORDS_OF_TEXT = 60  # of a function's prose that are embedded beside its first sentence
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[a-z]{4,}")
_TAKES = re.compile(r"\w+(?=\s*[:=,)])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# What may be a name: in backticks, dotted, with an underscore, called, or in capitals somewhere.
_NAME_LIKE = re.compile(
    r"`([^`\n]{1,80})`"
    r"|((?:[A-Za-z_]\w{0,60})?(?:\.[A-Za-z_]\w{0,60})+|\b[A-Za-z]+_\w{1,60}"
    r"|\b[A-Z]+[a-z]+[A-Z]\w{0,60}|\b[A-Z]{2,}\w{0,60}|\b[A-Za-z]\w{2,60}(?=\())"
)
# A name that nothing marks as one stands where only what is asked about can stand.
_ASKED_OF = re.compile(
    r"\bwhat (?:does|do) (?:the )?(\w+)(?: function| method| operation)?(?: \w+ly)? (?:do|mean)\b"
    r"|\bhow (?:does|do) (?:the )?(\w+)(?: function| method)?(?: \w+ly)? work\b"
    r"|\b(?:purpose|meaning|point) of (?:the )?(\w+)(?= function| method|\W*$)"
    r"|\bwhen (?:to|should i|do i|do you|would i) (?:use|call) (\w+)"
    r"|\bdifferences? between (?:the )?(\w+)(?:,? and| vs\.?| versus) (?:the )?(\w+)"
    r"|\b(\w+) (?:vs\.?|versus) (\w+)",
    re.IGNORECASE,
)
_A_PARAMETER = 3  # functions that take a parameter of this name: then it is no function's name
# What another library has: `np.concatenate`, `tf.nn.softmax`; or a name that only it has.
_OTHER_LIBRARY = re.compile(
    r"\b(?:np|numpy|tf|tensorflow|keras|jnp|jax)\b\.?((?:\w{1,40}\.){0,3}\w{1,40})?", re.IGNORECASE
)
_ITS_NAME = re.compile(r"\b(?:\w*[a-z0-9]_[a-z]\w*|[A-Z][a-z]\w*)\b")
_SHORT = {"nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim", "np": "numpy"}
# Before a name: not that function is wanted.
_NOT_IT = re.compile(
    r"\b(?:opposite|inverse|reverse|counterpart|contrary) (?:of|to) `?$"
    r"|\b(?:undo|instead of|without) `?$",
    re.IGNORECASE,
)
_OPPOSITE_OF = re.compile(
    r"\b(?:opposite|inverse|reverse|counterpart|contrary) (?:of|to) (?:the )?`?((?:\w+\.){0,4}\w+)"
    r"|\bundo (?:a |the )?`?((?:\w+\.){0,4}\w+)",
    re.IGNORECASE,
)
_OWNERS = {  # what people call an object, and the class whose method it is
    "optimizer": "Optimizer",
    "opt": "Optimizer",
    "scheduler": "LRScheduler",
    "model": "Module",
    "net": "Module",
    "module": "Module",
    "scaler": "GradScaler",
    "loader": "DataLoader",
}
_ABOUT_IT = re.compile(
    r"\b(?:what|how) (?:does|do|is|are)\b(?! (?:i|we|you|one)\b)|\bdifferences?\b|\bversus\b|\bvs\b"
    r"|\bhow (?:do|can|should) i use\b|\bmeans?\b|\bmeaning\b|\bwhen (?:do|should|to)\b|\bexplain",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class FunctionHit:
    """A function that may do what is asked for."""

    function: Documented
    strength: float  # what the order is by
    named: bool  # the question names it


@dataclass(frozen=True)
class FunctionsFound:
    """The functions, best first; `abstained` if none is good enough to answer with."""

    hits: tuple[FunctionHit, ...] = ()
    confidence: float = 0.0  # in [0, 1], in the first
    threshold: float = THRESHOLD

    @property
    def abstained(self) -> bool:
        return self.confidence < self.threshold


@dataclass(frozen=True)
class FunctionsMeasured:
    """One text's scores at each function, in arrays of shape (n_functions,)."""

    meaning: np.ndarray  # cosine of the nearest passage
    words: np.ndarray  # the share of the text that the docstring's words cover
    asked: np.ndarray  # the same of the ways that people ask for it
    name: np.ndarray  # the share of the name's parts that the text has
    named: np.ndarray  # 1 if the text names it, less if several are called so
    about: np.ndarray  # the same, if it asks what something is or does; or what it is called here
    elsewhere: float  # nearness to subjects that are not ours
    foreign: bool  # names another tool
    length: int  # words

    def features(self) -> np.ndarray:
        """What the order is fitted to, shape (n_functions, 6)."""
        columns = (self.meaning, self.words, self.asked, self.name, self.named, self.about)
        return np.stack(columns, axis=1)

    def around(self) -> list[float]:
        """What the confidence is fitted to, beside the first function's strength."""
        field = float(np.sort(self.meaning)[-_FIELD:].mean())
        length = math.log1p(min(self.length, _LONG))
        return [self.elsewhere, field, float(self.foreign), length]


class FunctionSearch:
    """Search the functions of one reference."""

    def __init__(self, reference: Reference, index: Index, model: Embeds) -> None:
        """`index`: what `build_functions` made of this reference with this model."""
        by_name = {function.name: function for function in reference.functions}
        names = [piece.source for piece in index.passages]
        self.functions = [by_name[name] for name in dict.fromkeys(names)]
        self._model = model
        numbers = {function.name: n for n, function in enumerate(self.functions)}
        self._numbers = {
            alias: n for n, function in enumerate(self.functions) for alias in function.aliases
        } | numbers
        self._leaves: dict[str, list[int]] = {}
        for name, number in self._numbers.items():
            same = self._leaves.setdefault(_leaf(name), [])
            if number not in same:
                same.append(number)
        taken = Counter(word for f in self.functions for word in set(_TAKES.findall(f.signature)))
        self._parameters = {word for word, times in taken.items() if times >= _A_PARAMETER}
        source_of = np.array([numbers[name] for name in names], dtype=np.int64)
        self._vectors = index.vectors(range(len(names)))  # (n_passages, dim)
        self._starts = np.searchsorted(source_of, np.arange(len(self.functions)))
        asked = np.array([piece.kind == "also_asked_as" for piece in index.passages], dtype=bool)

        def words(rows: np.ndarray) -> Words:
            texts = [index.passages[row].text for row in rows.tolist()]
            return Words(texts, source_of[rows], len(self.functions))

        self._spelt = {
            word for piece in index.passages for word in _WORD.findall(piece.text.lower())
        }
        self._words = words(np.flatnonzero(~asked))
        self._asked = words(np.flatnonzero(asked))
        parts = [list(dict.fromkeys(tokenize(_apart(f.name)))) for f in self.functions]
        self._parts = {part: n for n, part in enumerate(sorted({p for ps in parts for p in ps}))}
        has = np.zeros((len(parts), len(self._parts)), dtype=np.float32)
        for number, of_name in enumerate(parts):
            has[number, [self._parts[part] for part in of_name]] = 1
        weighed = has * np.log(1 + len(parts) / np.maximum(has.sum(axis=0), 1))
        self._part_weights = weighed / np.maximum(weighed.sum(axis=1, keepdims=True), 1e-9)

    def search(self, text: str, k: int = 4) -> FunctionsFound:
        """Rank the functions that may do what a question asks for.

        Args:
            text: the question's prose, without its code.
            k: functions wanted.
        """
        parts = _parts(with_letters(text))
        if not parts or not self.functions:
            return FunctionsFound()
        best = FunctionsFound()
        for number, measured in enumerate(self.measure(parts)):
            order = measured.features() @ WEIGHTS  # (n_functions,)
            first = np.argsort(-order, kind="stable")[:k]
            sure = sureness(float(order[first[0]]), measured.around())
            confidence = 1 / (1 + math.exp(-sure + (_PART_HANDICAP if number else 0.0)))
            if confidence > best.confidence:
                hits = tuple(
                    FunctionHit(self.functions[n], float(order[n]), bool(measured.named[n]))
                    for n in first.tolist()
                )
                best = FunctionsFound(hits, confidence)
        return best

    def number(self, name: str) -> int | None:
        """The place in `functions` of what has this name, or had it as a twin."""
        return self._numbers.get(name)

    def measure(self, texts: Sequence[str]) -> list[FunctionsMeasured]:
        """Measure all functions for each text, as it stands and in the documentation's words."""
        right = [spelt_right(text, self._spelt) for text in texts]
        said = [in_words_of_documentation(text) for text in right]
        queries = self._model.encode([*texts, *said])  # (2 * len(texts), dim)
        cosines = self._vectors @ queries.T  # (n_passages, 2 * len(texts))
        each = np.maximum.reduceat(cosines, self._starts, axis=0)
        meaning = np.maximum(each[:, : len(texts)], each[:, len(texts) :])
        elsewhere = np.sort(self._off_field @ queries[: len(texts)].T, axis=0)[-1]  # (len(texts),)

        def covered(words: Words, n: int) -> np.ndarray:
            both = (words.coverage(right[n]), words.coverage(said[n]))
            share: np.ndarray = np.stack(both).max(axis=0)
            return share

        return [
            FunctionsMeasured(
                meaning=meaning[:, n],
                words=covered(self._words, n),
                asked=covered(self._asked, n),
                name=np.maximum(self._name_share(right[n]), self._name_share(said[n])),
                named=self._named(text),
                about=self._about(text),
                elsewhere=float(elsewhere[n]),
                foreign=is_foreign(text),
                length=len(tokenize(text)),
            )
            for n, text in enumerate(texts)
        ]

    def _name_share(self, text: str) -> np.ndarray:
        """How much of each function's name the text has, rare parts counting more."""
        said = set(tokenize(text))
        share: np.ndarray = self._part_weights[
            :, [number for part, number in self._parts.items() if _has(said, part)]
        ].sum(axis=1)
        return share

    def _named(self, text: str) -> np.ndarray:
        """Which functions the text names."""
        found = np.zeros(len(self.functions))
        for match in _NAME_LIKE.finditer(text):
            if _NOT_IT.search(text[: match.start()]):
                continue
            name = (match[1] or match[2]).partition("(")[0].strip().rstrip(".")
            numbers = self._called(name)
            found[numbers] = np.maximum(found[numbers], 1 / math.sqrt(len(numbers) or 1))
        return found

    def _about(self, text: str) -> np.ndarray:
        """Which functions the text asks about, by their names here or elsewhere."""
        about = self._named(text) * (_ABOUT_IT.search(text) is not None)
        for asked in _ASKED_OF.finditer(text):
            for word in filter(None, asked.groups()):
                numbers = [] if word in self._parameters else self._leaves.get(word, [])
                about[numbers] = np.maximum(about[numbers], 1 / math.sqrt(len(numbers) or 1))
        about[self._same_elsewhere(text)] = 1.0
        undone = [_leaf(of or undo) for of, undo in _OPPOSITE_OF.findall(text)]
        about[[self._numbers[OPPOSITE[name]] for name in undone if name in OPPOSITE]] = 1.0
        return about

    def _same_elsewhere(self, text: str) -> list[int]:
        """The functions that do what one of another library does which the text names.

        Only of a question that is about PyTorch too: else it is about that library alone.
        """
        dotted = [said for said in _OTHER_LIBRARY.findall(text) if said]
        if not names_ours(text) or _OTHER_LIBRARY.search(text) is None:
            return []
        called = [_leaf(name) for name in dotted] + _ITS_NAME.findall(text)
        names = [ELSEWHERE.get(name) or f"torch.{name}" for name in called]
        return [n for name in names if (n := self._numbers.get(name)) is not None]

    def _called(self, name: str) -> list[int]:
        """The functions of a name as people write it: `nn.LSTM`, `.contiguous`, `scatter_add`."""
        root, dot, rest = name.partition(".")
        full = f"{_SHORT[root]}.{rest}" if root in _SHORT and dot else name
        if full in self._numbers:
            return [self._numbers[full]]
        of_library = full.partition(".")[0] in ("torch", "numpy", "tf", "pd", "plt", "jax")
        if of_library and full.partition(".")[0] != "torch":
            return []
        leaf = _leaf(full)
        same = self._leaves.get(leaf, [])
        if (owner := _OWNERS.get(root.lower())) and dot:
            of_owner = [n for n in same if f".{owner}." in self.functions[n].name]
            return of_owner or same
        return same

    @cached_property
    def _off_field(self) -> np.ndarray:
        return self._model.encode(OFF_FIELD)  # (len(OFF_FIELD), dim)


WEIGHTS = np.array([_MEANING, _WORDS, _ASKED_WORDS, _NAME, _NAMED, _ABOUT])


def sureness(order: float, around: Sequence[float]) -> float:
    """The confidence in the first function, on the logistic scale."""
    elsewhere, field, foreign, length = around
    return (
        _SURE_ORDER * order
        + _SURE_ELSEWHERE * elsewhere
        + _SURE_FIELD * field
        + _SURE_FOREIGN * foreign
        + _SURE_LENGTH * length
        + _SURE_BIAS
    )


def build_functions(
    folder: Path,
    reference: Reference,
    model: Embeds,
    progress: Callable[[int, int], None] | None = None,
) -> BuildReport:
    """Write an index of a reference's functions; what an older one holds is not embedded again.

    Raises:
        EmbeddingModelError: the model cannot be loaded.
    """
    return build_index(folder, entries(reference), model, progress)


def open_functions(folder: Path, reference: Reference, model: Embeds) -> FunctionSearch:
    """Open the index of a reference's functions.

    Raises:
        KnowledgeError: it is missing, damaged, or of another reference or model.
    """
    return FunctionSearch(reference, open_index(folder, entries(reference), model), model)


def entries(reference: Reference, *asked: Mapping[str, Sequence[str]]) -> list[Entry]:
    """Each function as the index holds it: its name in words with its first sentence, its prose,
    and the ways that people ask for it."""
    names = {alias: f.name for f in reference.functions for alias in (*f.aliases, f.name)}
    of: dict[str, list[str]] = {}
    for name, texts in (pair for ways in asked or (ASKED, PLAINLY) for pair in ways.items()):
        if name in names:
            of.setdefault(names[name], []).extend(texts)
    return [_entry(function, of.get(function.name, ())) for function in reference.functions]


def _entry(function: Documented, asked: Sequence[str]) -> Entry:
    texts = [("paragraph", f"{_apart(function.name)}: {function.summary}")]
    prose = " ".join(" ".join(function.paragraphs).split()[:_WORDS_OF_TEXT])
    if len(prose) > len(function.summary) + 40:
        texts.append(("paragraph", prose))
    texts += [("also_asked_as", text) for text in asked]
    pieces = tuple(
        Passage(f"{function.name}#{n}", function.name, kind, text, n)  # type: ignore[arg-type]
        for n, (kind, text) in enumerate(texts)
    )
    content = sha256("\0".join(text for _, text in texts).encode()).hexdigest()
    source = IndexedSource(function.name, "document", function.name, "", (), content)
    return Entry(source, pieces)


# "What does it mean?" asks for no average.
_VERB = re.compile(
    r"(\bwhat (?:do|does|did|could|would|might)\b[^.?!]{0,80}?)(?<!the )(?<!a )(?<!\.)\bmean\b"
    r"(?=\s*(?:[?!.]|$|in\b|by\b|for\b|when\b|here\b|if\b))",
    re.IGNORECASE,
)


def _parts(text: str) -> list[str]:
    """The whole question, then each of its first sentences: one of them may be the question."""
    text = _VERB.sub(r"\1", text.strip()[:_MOST_CHARS])
    sentences = [s for s in _SENTENCE_END.split(text) if len(s.split()) >= _MIN_WORDS][:_PARTS]
    return [text, *sentences] if text and len(sentences) > 1 else [text] if text else []


def _apart(name: str) -> str:
    """A function's own name in words: "clip grad norm"."""
    return _CAMEL.sub(" ", _leaf(name)).replace("_", " ").strip()


def _leaf(name: str) -> str:
    return name.rpartition(".")[2]


def _has(said: set[str], part: str) -> bool:
    """Whether a text has a part of a name, or a longer word for it (`grad`, gradient)."""
    return part in said or (
        len(part) >= 4
        and any(len(w) >= 4 and (w.startswith(part) or part.startswith(w)) for w in said)
    )
