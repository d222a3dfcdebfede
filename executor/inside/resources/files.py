"""Write a file of the kind that its name and its use say: image, table, text, array, sound."""

from __future__ import annotations

import functools
import io
import json
import os
import re
import wave
from collections.abc import Callable
from typing import Any

import numpy as np

from executor.inside.resources.paths import Promise
from executor.inside.resources.pictures import mask, pictures
from executor.inside.resources.uses import Uses

IMAGES = {"jpg": "JPEG", "jpeg": "JPEG", "png": "PNG", "bmp": "BMP", "tif": "TIFF", "tiff": "TIFF",
          "webp": "WEBP", "gif": "GIF", "ppm": "PPM"}  # fmt: skip
TEXTS = (".txt", ".names")  # nobody knows how their lines are laid out
_VARIANTS = 6  # different images of one class
_MASK = re.compile(r"mask|label|seg|_gt|gt_|annot|trimap", re.IGNORECASE)
_TRIMAP = re.compile(r"trimap", re.IGNORECASE)  # foreground, background, border: 1, 2, 3
_CLASS = re.compile(r"class_?(\d+)")
_ROWS = 120
_FEATURES = 8
SENTENCES = (
    "The model reads the first batch and computes a loss.",
    "A gradient tells each weight how to change.",
    "After a few steps the loss is smaller than before.",
    "The second batch holds other samples of the same kind.",
    "Every layer keeps what it needs for the way back.",
    "At the end of an epoch the data are shuffled again.",
)


class Files:
    """Makes the files of one run."""

    def __init__(self, uses: Uses, *, other: bool) -> None:
        """Prepare for one snippet.

        Args:
            uses: what its text says of files.
            other: choose other sizes, where the text leaves them open.
        """
        self.uses = uses
        self.image_size = (256, 256) if other else (288, 320)  # height, width
        self.rows = _ROWS - 24 if other else _ROWS
        self.features = uses.first_features() or (_FEATURES + 3 if other else _FEATURES)

    def write(self, path: str, at: str, promise: Promise | None) -> str:
        """Write the file.

        Args:
            path: as the snippet gives it.
            at: where to write it.
            promise: what is known of its folder.

        Returns:
            what: the file in words; empty if nobody can say what it holds.
        """
        suffix = os.path.splitext(path)[1][1:].lower()
        if suffix in IMAGES:
            return self.image(path, at, suffix, promise)
        writer: Callable[[str, str], str] | None = {
            "csv": self._table, "tsv": self._table, "data": self._table,
            "json": self._json, "txt": self._text, "names": self._text,
            "npy": self._array, "npz": self._arrays, "wav": self._sound, "xml": self._boxes,
        }.get(suffix)  # fmt: skip
        return writer(path, at) if writer is not None else ""

    def image(self, path: str, at: str, suffix: str, promise: Promise | None) -> str:
        """Write an image, or the mask of one where the name says so."""
        height, width = promise.size if promise is not None else self.image_size
        channels = promise.channels if promise is not None else 3
        number = _number(path)
        below = path if promise is not None else os.path.join(*path.split(os.sep)[-2:])
        if _MASK.search(below):
            classes = promise.classes if promise is not None else self.uses.classes()
            first = 1 if _TRIMAP.search(below) else 0
            content = _encoded_mask(suffix, (height, width), 3 if first else classes, first)
            what = f"a synthetic mask of {width}x{height} pixels stands in"
        else:
            label = _CLASS.search(path)
            of = int(label[1]) if label else number
            content = _encoded(suffix, (height, width), channels, of, number % _VARIANTS)
            what = f"a synthetic image of {width}x{height} pixels stands in"
        _save(at, content)
        return what

    def _table(self, path: str, at: str) -> str:
        names, highest = self.uses.columns()
        columns = list(names)
        wanted = max(highest, len(columns) if columns else self.features + 1)
        columns += [f"feature_{n}" for n in range(wanted - len(columns))]
        if names and "drop" in self.uses.code and len(columns) <= self.features:
            columns[0:0] = [f"feature_{n}" for n in range(self.features + 1 - len(columns))]
        elif not names:
            columns[-1] = "target"
        random = np.random.default_rng(0)
        paths_first = not names and bool(
            re.search(r"Image\.open|imread|read_image", self.uses.code)
        )
        made = [
            _paths_column(self.rows) if n == 0 and paths_first
            else _column(name, self.rows, random, self.uses.classes())
            for n, name in enumerate(columns)
        ]  # fmt: skip
        separator = "\t" if path.endswith("tsv") or r'sep="\t"' in self.uses.code else ","
        head = [] if "header=None" in self.uses.code else [separator.join(columns)]
        rows = [separator.join(map(str, row)) for row in zip(*made, strict=True)]
        _save(at, "\n".join([*head, *rows, ""]).encode())
        listed = ", ".join(columns[:6]) + (" …" if len(columns) > 6 else "")
        return f"a table of {self.rows} made-up rows stands in, its columns by their use ({listed})"

    def _json(self, path: str, at: str) -> str:
        keys = self.uses.keys_of(self.uses_line)
        if {"images", "annotations"} & set(keys) or re.search(r"coco|instances|annotation", path):
            content: Any = _coco(self.image_size)
        elif keys:
            content = {key: _value(key) for key in keys}
        elif "class" in path or "label" in path:
            content = {str(n): [f"n{n:08d}", f"class_{n}"] for n in range(1000)}
        else:
            content = [{"text": text, "label": n % 2} for n, text in enumerate(SENTENCES * 4)]
        _save(at, json.dumps(content).encode())
        return "made-up content of its form stands in"

    uses_line: int | None = None  # the snippet's line that asks for the file

    def _text(self, path: str, at: str) -> str:
        if re.search(r"class|label|names|synset|categories", path):
            lines = [f"class_{n}" for n in range(1000)]
        else:
            lines = [" ".join(SENTENCES[n % 6 :] + SENTENCES[: n % 6]) for n in range(40)]
        _save(at, "\n".join([*lines, ""]).encode())
        return f"{len(lines)} made-up lines stand in"

    def _array(self, path: str, at: str) -> str:
        made = _array(path, self.rows, self.features, self.uses.classes())
        with open(at, "wb") as f:
            np.save(f, made)
        return f"a made-up array of shape {list(made.shape)} stands in"

    def _arrays(self, path: str, at: str) -> str:
        keys = self.uses.keys_of(self.uses_line) or ("arr_0",)
        made = {k: _array(k, self.rows, self.features, self.uses.classes()) for k in keys}
        with open(at, "wb") as f:
            np.savez(f, allow_pickle=False, **made)
        return f"made-up arrays stand in ({', '.join(keys)})"

    def _sound(self, path: str, at: str) -> str:
        time = np.arange(16_000) / 16_000
        content = io.BytesIO()
        with wave.open(content, "wb") as f:
            f.setnchannels(1)
            f.setsampwidth(2)
            f.setframerate(16_000)
            f.writeframes((np.sin(2764 * time) * 9000).astype("<i2").tobytes())
        _save(at, content.getvalue())
        return "one second of a tone at 16 kHz stands in"

    def _boxes(self, path: str, at: str) -> str:
        height, width = self.image_size
        name = os.path.splitext(os.path.basename(path))[0]
        _save(at, (
            f"<annotation><folder>images</folder><filename>{name}.jpg</filename>"
            f"<size><width>{width}</width><height>{height}</height><depth>3</depth></size>"
            "<segmented>0</segmented><object><name>person</name><pose>Left</pose>"
            "<truncated>0</truncated><difficult>0</difficult><bndbox><xmin>20</xmin>"
            "<ymin>30</ymin><xmax>120</xmax><ymax>140</ymax></bndbox></object></annotation>"
        ).encode())  # fmt: skip
        return "a made-up annotation with one box stands in"


def _save(at: str, content: bytes) -> None:
    with open(at, "wb") as f:
        f.write(content)


@functools.lru_cache(64)
def _encoded(suffix: str, size: tuple[int, int], channels: int, label: int, variant: int) -> bytes:
    from PIL import Image

    made = pictures([label], size, channels, seed=variant)[0]
    content = io.BytesIO()
    Image.fromarray(made if channels == 3 else made[..., 0]).save(content, IMAGES[suffix])
    return content.getvalue()


@functools.lru_cache(8)
def _encoded_mask(suffix: str, size: tuple[int, int], classes: int, first: int) -> bytes:
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(mask(size, classes) + np.uint8(first)).save(content, IMAGES[suffix])
    return content.getvalue()


def _number(path: str) -> int:
    digits = re.findall(r"\d+", os.path.basename(path))
    return int(digits[-1][-6:]) if digits else len(os.path.basename(path))


def _paths_column(rows: int) -> list[Any]:
    return [f"image_{n}.jpg" for n in range(rows)]


def _column(name: str, rows: int, random: np.random.Generator, classes: int) -> list[Any]:
    """A column's values: by its name numbers, labels, texts, dates or the names of images."""
    word = name.lower()
    if re.search(r"image|img|file|path", word):
        return _paths_column(rows)
    if re.search(r"text|review|sentence|comment|tweet|content|title|question|answer|body", word):
        return [SENTENCES[n % len(SENTENCES)] for n in range(rows)]
    if re.search(r"date|time", word):
        days = np.datetime64("2020-01-01") + np.arange(rows)
        return [str(day) for day in days]
    if re.search(r"label|class|target|category|sentiment|species|survived|outcome", word):
        return list(random.integers(0, classes, rows).tolist())
    if re.search(r"(^|_)id$|index", word):
        return list(range(rows))
    return list(np.round(random.normal(size=rows), 4).tolist())


def _array(path: str, rows: int, features: int, classes: int) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(len(path))
    if re.search(r"label|target|(^|[_/])y[_.\d]|(^|[_/])y$", path.lower()):
        return random.integers(0, classes, rows)
    return random.normal(size=(rows, features)).astype(np.float32)


def _value(key: str) -> Any:
    word = key.lower()
    if re.search(r"lr|rate|dropout|decay|eps", word):
        return 0.01
    if re.search(r"name|path|file|text|title|type", word):
        return f"{key}_1"
    if word.endswith("s") and not re.search(r"epochs|classes|steps|layers|heads", word):
        return [SENTENCES[n % len(SENTENCES)] for n in range(12)]
    return 2


def _coco(size: tuple[int, int]) -> dict[str, Any]:
    height, width = size
    images = [{"id": n, "file_name": f"{n:012d}.jpg", "height": height, "width": width}
              for n in range(1, 9)]  # fmt: skip
    boxes = [
        {"id": n, "image_id": n, "category_id": 1 + n % 2, "bbox": [20, 30, 100, 110],
         "area": 11_000, "iscrowd": 0,
         "segmentation": [[20, 30, 120, 30, 120, 140, 20, 140]]}
        for n in range(1, 9)
    ]  # fmt: skip
    categories = [{"id": n, "name": f"class_{n}", "supercategory": "thing"} for n in (1, 2)]
    return {"info": {}, "licenses": [], "images": images, "annotations": boxes,
            "categories": categories}  # fmt: skip
