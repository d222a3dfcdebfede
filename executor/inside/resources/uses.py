"""What the snippet's text says of the files that it reads: columns, keys, suffixes, handlers."""

from __future__ import annotations

import ast
import glob
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

_SUFFIX = re.compile(r"\.(\w{2,5})$")
_HANDLES = frozenset({"FileNotFoundError", "OSError", "IOError", "Exception", "BaseException",
                      "EnvironmentError"})  # fmt: skip
_IMAGES = ("jpg", "jpeg", "png", "bmp", "tif", "tiff", "webp", "gif", "ppm")
_READS_IMAGES = re.compile(r"Image\.open|imread|read_image|decode_image|ImageFolder")
_LISTED = (*_IMAGES, "npy", "pt", "pth", "csv", "json", "txt", "wav", "xml", "pkl")


class Uses:
    """One snippet's text."""

    def __init__(self, tree: ast.Module, code: str) -> None:
        self.tree = tree
        self.code = code

    def names(self, path: str) -> bool:
        """Whether the text holds the path, or a part of it that says what it is."""
        parts = [p for p in PurePosixPath(path.replace("\\", "/")).parts if p not in ("/", "..")]
        if any(part.startswith(".") and part != "." for part in parts):
            return False  # a library's own folder
        return any(len(part) > 1 and part in self.code for part in parts)

    def handles(self, line: int | None) -> bool:
        """Whether the snippet itself catches that a file is missing at this line."""
        if line is None:
            return False
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Try) and _spans(node.body, line):
                return any(_catches(handler) for handler in node.handlers)
        return False

    def listed_suffix(self) -> str:
        """The suffix of the files in a folder that the text looks through."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found = _SUFFIX.search(node.value)
                if found and found[1].lower() in _LISTED and self._is_pattern(node.value):
                    return found[1].lower()
        return "jpg" if _READS_IMAGES.search(self.code) else "txt"

    def lists_within_a_list(self) -> bool:
        """Whether what a folder holds is looked through as folders again."""
        listed = {
            name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign) and _lists(node.value)
            for target in node.targets
            for name in _root(target)
        }
        loops: list[tuple[ast.AST, Sequence[ast.AST]]] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.For):
                loops.append((node.iter, node.body))
            elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
                inner = [node.elt, *(part for g in node.generators[1:] for part in (g.iter,))]
                loops.append((node.generators[0].iter, inner))
        return any(
            (_lists(over) or any(_root(n) & listed for n in ast.walk(over)))
            and any(_lists(part) for part in body)
            for over, body in loops
        )

    def _is_pattern(self, text: str) -> bool:
        return "*" in text or (text.startswith(".") and "/" not in text)

    def columns(self) -> tuple[tuple[str, ...], int]:
        """The columns of a table that the text reads by name, and the highest position it reads."""
        found: dict[str, None] = {}
        frames = self._tables()
        highest = 0
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Subscript) and _root(node.value) & frames:
                highest = max(highest, *_positions(node), 0)
                if not _is_positional(node.value):
                    found |= dict.fromkeys(_texts(node.slice))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if _root(node.func.value) & frames and node.func.attr in _BY_COLUMN:
                    arguments = (*node.args[:1], *(k.value for k in node.keywords
                                                   if k.arg in _COLUMN_KEYWORDS))  # fmt: skip
                    for argument in arguments:
                        found |= dict.fromkeys(_texts(argument))
                if node.func.attr == "read_csv":
                    for keyword in node.keywords:
                        if keyword.arg in ("usecols", "index_col", "parse_dates"):
                            found |= dict.fromkeys(_texts(keyword.value))
            elif (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in frames
                and not _is_method(node.attr)
            ):
                found[node.attr] = None
        return tuple(found), highest

    def _tables(self) -> set[str]:
        """The names that may hold a table that was read, or a row of it."""
        names = {"df", "data", "row", "frame", "dataframe", "annotations", "table", "train_df",
                 "test_df", "val_df", "data_frame"}  # fmt: skip
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and _reads_table(node.value):
                names |= {name for target in node.targets for name in _root(target)}
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Assign)
                and _root(node.value) & names
                and (not isinstance(node.value, ast.Call) or _keeps_table(node.value))
            ):
                names |= {name for target in node.targets for name in _root(target)}
        return names - {"self", "torch", "np", "pd"}

    def keys_of(self, line: int | None) -> tuple[str, ...]:
        """The texts by which the value that a line reads is subscripted: of a JSON file, say."""
        targets: set[str] = set()
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Assign)
                and line is not None
                and node.lineno <= line <= (node.end_lineno or node.lineno) + 3
            ):
                targets |= {name for target in node.targets for name in _root(target)}
        found: dict[str, None] = {}
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Subscript)
                and _root(node.value) & targets
                and not isinstance(node.value, ast.Subscript)
            ):
                found |= dict.fromkeys(_texts(node.slice))
        return tuple(found)

    def items(self) -> tuple[str, ...]:
        """The texts by which anything but a dictionary of settings is subscripted."""
        found: dict[str, None] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                found |= dict.fromkeys(_texts(node.slice))
        return tuple(found)

    def first_features(self) -> int | None:
        """The features that the first Linear layer takes, where the text has the number."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and _last(node.func) in ("Linear", "LazyLinear"):
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant) and type(first.value) is int:
                    return first.value
                return None
        return None

    def classes(self) -> int:
        """The number of classes that the text names; 2 where it names none."""
        counts = [
            node.value.value
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and type(node.value.value) is int
            and any(re.search(r"n(um)?_?(of_)?(class|label)", n.lower())
                    for t in node.targets for n in _root(t))
        ]  # fmt: skip
        return min(counts[0], 20) if counts and counts[0] > 1 else 2


def absent(tree: ast.Module) -> tuple[str, ...]:
    """The files that the text names and that are not here.

    Some functions say nothing when they find none: `cv2.imread` returns None, `glob` an empty list.
    """
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            suffix = _SUFFIX.search(node.value)
            names_file = suffix is not None and suffix[1].lower() in _LISTED
            whole = len(node.value) > len(suffix[0]) if suffix is not None else False
            if names_file and whole and "{" not in node.value and len(node.value) < 200:
                found[node.value] = None
    return tuple(path for path in found if not glob.glob(path))[:_MOST]


_MOST = 20  # absent files that are told
_BY_COLUMN = frozenset({"drop", "groupby", "sort_values", "set_index", "pop", "get", "fillna",
                        "dropna", "merge", "pivot", "iterrows"})  # fmt: skip
_COLUMN_KEYWORDS = frozenset({"columns", "by", "subset", "on"})
_OF_TABLES = frozenset(
    {"loc", "iloc", "iat", "values", "shape", "copy", "head", "describe", "info", *_BY_COLUMN}
)
_POSITIONAL = frozenset({"iloc", "iat", "values"})


def _lists(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Call) and _last(n.func) in ("listdir", "scandir", "glob", "iterdir")
        for n in ast.walk(node)
    )


def _is_method(name: str) -> bool:
    """Whether a table has it whatever its columns are called."""
    try:
        import pandas
    except ImportError:  # then nothing reads a table
        return name in _OF_TABLES
    return hasattr(pandas.DataFrame, name) or hasattr(pandas.Series, name)


def _is_positional(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _POSITIONAL


def _reads_table(node: ast.expr) -> bool:
    return any(
        isinstance(n, ast.Call) and _last(n.func) in ("read_csv", "read_table", "read_excel")
        for n in ast.walk(node)
    )


def _keeps_table(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in (
        "copy", "dropna", "fillna", "head", "reset_index", "sample", "sort_values", "to_frame",
    )  # fmt: skip


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _root(node: ast.AST) -> set[str]:
    """`df` of `df.loc[1]["a"]`, and `annotations` of `self.annotations.iloc[0]`."""
    found: set[str] = set()
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Starred)):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            node = node.value
    if isinstance(node, ast.Name):
        found.add(node.id)
    elif isinstance(node, ast.Tuple):
        found |= {name for part in node.elts for name in _root(part)}
    return found


def _texts(node: ast.AST) -> Iterator[str]:
    """`"a"`, the texts of `["a", "b"]`, and the second of `[:, "a"]`."""
    parts: Iterable[ast.AST] = node.elts if isinstance(node, (ast.List, ast.Tuple)) else (node,)
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, (ast.List, ast.Tuple)):
            yield from _texts(part)


def _positions(node: ast.Subscript) -> Iterator[int]:
    """The columns that `iloc[:, 3]`, `iloc[i, 1:5]` and `iloc[i, 0]` reach."""
    if not _is_positional(node.value) or not isinstance(node.slice, ast.Tuple):
        return
    for part in ast.walk(node.slice.elts[-1]):
        if isinstance(part, ast.Constant) and type(part.value) is int:
            yield part.value + 1


def _spans(body: list[ast.stmt], line: int) -> bool:
    return any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in body)


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(_last(kind) in _HANDLES for kind in kinds)
