"""Decide whether an error is about something of the machine: a path, a program, a variable.

A path that was not posted is not here, nor is what a program starts beside itself, what its
environment holds or what it is started with. Whoever raises the error, and in whatever words, it is
then not the code's.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from executor.inside.placeholders.blame import expression_at
from executor.inside.placeholders.evidence import chain, conditions, frames, value_of
from executor.protocol import ErrorSeen, NotHere

# A path in a message, or the whole of an argument.
_PART = r"[^\s'\"`<>|*?,;()\[\]{}/]+"
_IN_WORDS = re.compile(rf"(?<![\w./:\\])(?:~|\.{{1,2}})?(?:/{_PART}){{2,}}/?")
_SUFFIXES = (
    "avi bin bmp cfg ckpt csv data db flac gif gz h5 hdf5 ini ipynb jpeg jpg json jsonl log mat "
    "mov mp3 mp4 npy npz obj onnx parquet pickle pkl ply png pt pth py safetensors so sqlite tar "
    "tif tiff toml tsv ttf txt wav webp xls xlsx xml yaml yml zip"
)
_PATH = re.compile(
    rf"(?:~|\.{{1,2}})?/\S.*|[A-Za-z]:[/\\].+|[\w .~/\\-]+\.(?:{_SUFFIXES.replace(' ', '|')})"
)
_ASKS = re.compile(
    r"\b(?:exists|lexists|isfile|isdir|is_file|is_dir|access|which|getenv|environ)\b"
)
_LONGEST = 400
_MADE_BY_THE_RUN = re.compile(r"(?:^|/)tmp[a-z0-9_]{8}(?:/|$)")  # as tempfile names what it makes
# Errors over the kind of a value, whatever stands at the path that it holds.
_OF_KINDS = (TypeError, AttributeError, NameError, KeyError, IndexError, SyntaxError)


def not_here(
    tree: ast.Module,
    error: BaseException,
    seen: ErrorSeen,
    scope: Mapping[str, object],
    moved: Callable[[str], str],
) -> NotHere | None:
    """What of the machine the error is about; None if that is nothing.

    Args:
        tree: the snippet's syntax tree.
        error: the exception, with its traceback.
        seen: the same error as the report describes it.
        scope: the failing frame's variables.
        moved: a path → where it lies here.
    """
    for e in chain(error):
        if found := _program(e):
            return found
        if found := _of_the_system(e, moved):
            return found
    if found := _variable(error) or _unset(tree, expression_at(tree, seen), scope):
        return found
    texts = _texts(tree)
    words = "" if isinstance(error, _OF_KINDS) else seen.message[:2000]
    for path in _IN_WORDS.findall(words):
        path = path.rstrip(".:")
        # PyTorch's own messages name its source files.
        if any(text in path or path in text for text in texts) and not _is_there(path, moved):
            return NotHere(kind="path", name=path)
    expression = expression_at(tree, seen)
    if expression is None:
        return None
    if isinstance(error, IndexError):
        return _argument(expression, scope)
    if seen.origin == "raise" or seen.type in ("SystemExit", "AssertionError"):
        for test in (expression, *conditions(tree, seen.line)):
            for path in _asked_for(test, scope):
                if not _is_there(path, moved):
                    return NotHere(kind="path", name=path)
        return None
    if isinstance(error, _OF_KINDS):
        return None
    for path in _arguments(expression, scope):
        if _PATH.fullmatch(path) and not _is_there(path, moved):
            return NotHere(kind="path", name=path)
    return None


def _program(error: BaseException) -> NotHere | None:
    """The program that was to be started, if that failed or it failed."""
    command: object = ""
    if isinstance(error, (subprocess.CalledProcessError, subprocess.TimeoutExpired)):
        command = error.cmd
    elif isinstance(error, FileNotFoundError):
        starting = [f for f in frames(error) if f.f_code.co_name == "_execute_child"]
        command = starting[-1].f_locals.get("args", "") if starting else ""
    if not command:
        return None
    parts = command if isinstance(command, (list, tuple)) else [command]
    words = " ".join(map(_text, parts))
    return NotHere(kind="program", name=words[:_LONGEST])


def _of_the_system(error: BaseException, moved: Callable[[str], str]) -> NotHere | None:
    if not isinstance(error, OSError):
        return None
    for given in (error.filename, error.filename2):
        if isinstance(given, (str, bytes, os.PathLike)) and _text(given):
            path = _text(given)
            if not _is_there(path, moved) or moved(path) != path:
                return NotHere(kind="path", name=path)
    return None


def _variable(error: BaseException) -> NotHere | None:
    """The environment's variable that was asked for, and is not set here."""
    if not isinstance(error, KeyError) or not error.args:
        return None
    last = frames(error)[-1:]
    of_environment = any(f.f_locals.get("self") is os.environ for f in last)
    return NotHere(kind="variable", name=str(error.args[0])) if of_environment else None


def _unset(
    tree: ast.Module, expression: ast.AST | None, scope: Mapping[str, object]
) -> NotHere | None:
    """A variable of the environment whose value, None here, the failing expression is given."""
    given = {n.id for n in ast.walk(expression or tree) if isinstance(n, ast.Name)}
    nothing = {name for name in given if name in scope and scope[name] is None}
    for node in ast.walk(tree) if nothing and expression is not None else ():
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(attr=asks), args=[ast.Constant(value=variable)]),
            ) if name in nothing and (
                asks == "getenv" or ast.unparse(node.value).startswith(("os.environ.", "environ."))
            ):
                return NotHere(kind="variable", name=str(variable))
    return None


def _argument(expression: ast.AST, scope: Mapping[str, object]) -> NotHere | None:
    """The argument that the snippet is to be started with, and is not."""
    if not isinstance(expression, ast.Subscript):
        return None
    _, asked = value_of(expression.value, scope)
    return NotHere(kind="argument", name=ast.unparse(expression)) if asked is sys.argv else None


def _is_there(path: str, moved: Callable[[str], str]) -> bool:
    if _MADE_BY_THE_RUN.search(path):  # it may be gone by now, with its `with`
        return True
    try:
        return os.path.lexists(Path(moved(path)).expanduser())
    except (OSError, ValueError, RuntimeError):  # the last: nobody's home is known
        return False


def _texts(tree: ast.Module) -> set[str]:
    """The texts of the code that may be a path, or a part of one."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 2
    }


def _asked_for(test: ast.AST, scope: Mapping[str, object]) -> Iterator[str]:
    """The paths whether which are there a condition asks."""
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and _ASKS.search(ast.unparse(node.func)):
            yield from _arguments(node, scope)
            if isinstance(node.func, ast.Attribute):
                known, value = value_of(node.func.value, scope)
                if known and isinstance(value, os.PathLike):
                    yield _text(value)


def _arguments(expression: ast.AST, scope: Mapping[str, object]) -> Iterator[str]:
    """The texts and paths that a call is given, as far as no code has to run for that."""
    if isinstance(expression, ast.stmt):
        for part in ast.iter_child_nodes(expression):
            if isinstance(part, ast.expr):
                yield from _arguments(part, scope)
        return
    if not isinstance(expression, ast.Call):
        return
    for given in (*expression.args, *(k.value for k in expression.keywords)):
        value: Any = given.value if isinstance(given, ast.Constant) else None
        if isinstance(given, (ast.Name, ast.Attribute)):
            _, value = value_of(given, scope)
        if isinstance(value, (str, bytes, os.PathLike)) and 1 < len(_text(value)) < _LONGEST:
            yield _text(value)


def _text(path: object) -> str:
    try:
        if isinstance(path, os.PathLike):
            path = os.fspath(path)
        return os.fsdecode(path) if isinstance(path, (str, bytes)) else str(path)
    except Exception:
        return ""
