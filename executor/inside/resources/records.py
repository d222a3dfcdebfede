"""`datasets.load_dataset`: the splits and features of well-known data sets, with made-up rows."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from executor.inside.resources.files import SENTENCES
from executor.inside.resources.pictures import pictures
from executor.inside.resources.supplied import Supplied
from executor.inside.resources.uses import Uses

_ROWS = 1000  # of each split: people take range(1000) of one, and map functions over all of it


@dataclass(frozen=True)
class Records:
    """A data set: its splits, and each column as "text", "index", "image 28 1" or its labels."""

    splits: tuple[str, ...]
    columns: Mapping[str, str | tuple[str, ...]]


_TRAIN_TEST = ("train", "test")
_THREE = ("train", "validation", "test")
_STARS = ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")
_EMOTIONS = ("sadness", "joy", "love", "anger", "fear", "surprise")
_CIFAR = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")

_SPLITS = frozenset((*_THREE, "valid", "dev", "unsupervised"))
_IMAGE = re.compile(r"^(image|img|pixels|picture)", re.IGNORECASE)
_LABEL = re.compile(r"label|class|target|category|intent", re.IGNORECASE)
_TEXT = re.compile(
    r"text|sentence|premise|hypothesis|question|answer|context|review|title|content|document"
    r"|summary|article|highlights|prompt|dialogue|body|instruction|output|response|input$"
)

RECORDS: dict[str, Records] = {
    "imdb": Records((*_TRAIN_TEST, "unsupervised"), {"text": "text", "label": ("neg", "pos")}),
    "rotten_tomatoes": Records(_THREE, {"text": "text", "label": ("neg", "pos")}),
    "ag_news": Records(
        _TRAIN_TEST, {"text": "text", "label": ("World", "Sports", "Business", "Sci/Tech")}
    ),
    "yelp_review_full": Records(_TRAIN_TEST, {"label": _STARS, "text": "text"}),
    "yelp_polarity": Records(_TRAIN_TEST, {"text": "text", "label": ("1", "2")}),
    "emotion": Records(_THREE, {"text": "text", "label": _EMOTIONS}),
    "glue/sst2": Records(
        _THREE, {"sentence": "text", "label": ("negative", "positive"), "idx": "index"}
    ),
    "glue/cola": Records(
        _THREE, {"sentence": "text", "label": ("unacceptable", "acceptable"), "idx": "index"}
    ),
    "glue/mrpc": Records(
        _THREE,
        {"sentence1": "text", "sentence2": "text", "label": ("not_equivalent", "equivalent"),
         "idx": "index"},
    ),
    "wikitext": Records(_THREE, {"text": "text"}),
    "mnist": Records(_TRAIN_TEST, {"image": "image 28 1", "label": tuple("0123456789")}),
    "fashion_mnist": Records(_TRAIN_TEST, {"image": "image 28 1", "label": tuple("0123456789")}),
    "cifar10": Records(_TRAIN_TEST, {"img": "image 32 3", "label": _CIFAR}),
}  # fmt: skip


def install(uses: Uses, supplied: Supplied) -> None:
    """Let `load_dataset` give made-up rows where the data set is not here."""
    import datasets

    original = datasets.load_dataset

    @functools.wraps(original)
    def load_dataset(*args: Any, **named: Any) -> Any:
        path = str(args[0] if args else named.get("path", ""))
        part = args[1] if len(args) > 1 else named.get("name")
        split = named.get("split")
        known = _known(path, part)
        records = known or _by_use(uses)
        if records is None or named.get("data_files") or uses.handles(supplied.line()):
            return original(*args, **named)
        name = f"{path}/{part}" if part else path
        columns = "its columns" if known else "columns by their use"
        what = f"{_ROWS} made-up rows of each split, with {columns}, stand in"
        supplied.add(name, "data", what, exact=False, types_known=known is not None)
        made = {one: _rows(records) for one in records.splits}
        if split is None:
            return datasets.DatasetDict(made)
        first = str(split).partition("[")[0].partition("+")[0]
        return made[first] if first in made else original(*args, **named)

    datasets.load_dataset = load_dataset


def _known(path: str, part: Any) -> Records | None:
    own = path.rpartition("/")[2]
    for name in (f"{own}/{part}", own):
        if name in RECORDS:
            return RECORDS[name]
    return None


def _by_use(uses: Uses) -> Records | None:
    """A data set whose columns are those that the text reads by name; None where it reads none."""
    names = [name for name in uses.items() if name not in _SPLITS]
    columns: dict[str, str | tuple[str, ...]] = {}
    for name in names:
        if _IMAGE.search(name):
            columns[name] = "image 64 3"
        elif _LABEL.search(name):
            columns[name] = tuple(str(n) for n in range(uses.classes()))
        elif _TEXT.search(name):
            columns[name] = "text"
    return Records(_THREE, columns) if columns else None


def _rows(records: Records) -> Any:
    from datasets import ClassLabel, Dataset, Features, Image, Value
    from PIL import Image as Pictures

    features: dict[str, Any] = {}
    columns: dict[str, list[Any]] = {}
    classes = next((len(c) for c in records.columns.values() if isinstance(c, tuple)), 2)
    for name, kind in records.columns.items():
        if isinstance(kind, tuple):
            features[name] = ClassLabel(names=list(kind))
            columns[name] = [n % len(kind) for n in range(_ROWS)]
        elif kind == "text":
            features[name] = Value("string")
            columns[name] = [SENTENCES[n % len(SENTENCES)] for n in range(_ROWS)]
        elif kind == "index":
            features[name] = Value("int32")
            columns[name] = list(range(_ROWS))
        else:
            side, channels = (int(n) for n in kind.split()[1:])
            features[name] = Image()
            made = pictures([n % classes for n in range(_ROWS)], (side, side), channels)
            columns[name] = [
                Pictures.fromarray(one if channels == 3 else one[..., 0]) for one in made
            ]
    return Dataset.from_dict(columns, features=Features(features))
