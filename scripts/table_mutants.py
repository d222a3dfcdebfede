#!/usr/bin/env python3
"""Take one entry out of a module's tables and patterns at a time, and see whether its tests fail.

mutmut changes what functions do; what stands outside of them (a table of rules, the alternatives
of a pattern, a list of names) it leaves alone. The modules are those of `[tool.mutmut]` in
pyproject.toml, each with the test file that mirrors it. Prints what nobody misses.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("bot", "knowledge", "executor", "tests")


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Every way to take one thing out: what it is, and the source without it."""
    for statement in ast.parse(source).body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        # The pieces of an f-string are halves of a pattern; what is in brackets is a type.
        whole = [
            n for n in ast.walk(statement.value) if isinstance(n, ast.JoinedStr | ast.Subscript)
        ]
        pieces = {id(piece) for n in whole for piece in ast.walk(n)}
        for node in ast.walk(statement.value):
            if id(node) in pieces:
                continue
            # Two of a kind are a pair (a pattern and what it becomes), more are a table.
            if isinstance(node, ast.Tuple | ast.List | ast.Set) and len(node.elts) > 2:
                for element in node.elts:
                    what = ast.unparse(element)
                    rest = [e for e in node.elts if e is not element]
                    less = type(node)(elts=rest, ctx=ast.Load())  # type: ignore[call-arg]
                    yield f"{_name(statement)}: {what}", _replaced(source, node, ast.unparse(less))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                for what, less_text in _less(node.value):
                    yield f"{_name(statement)}: {what}", _replaced(source, node, repr(less_text))


def _name(statement: ast.Assign | ast.AnnAssign) -> str:
    target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
    return ast.unparse(target)


def _replaced(source: str, node: ast.expr, text: str) -> str:
    lines = source.splitlines(True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = lines[first].encode()[: node.col_offset].decode()
    after = lines[last].encode()[node.end_col_offset :].decode()
    return "".join([*lines[:first], before + text + after, *lines[last + 1 :]])


def _less(text: str) -> Iterator[tuple[str, str]]:
    """A pattern without one of its alternatives, a list of words without one of them."""
    if "|" in text:
        for start, end in _alternatives(text):
            bar_before = text[start - 1 : start] == "|"
            yield text[start:end], text[: start - bar_before] + text[end + (not bar_before) :]
    elif len(words := text.split()) > 9 and all(word.isidentifier() for word in words):
        for word in words:
            yield word, " ".join(w for w in words if w != word)


def _alternatives(pattern: str) -> Iterator[tuple[int, int]]:
    """Where each alternative begins and ends, in groups too."""
    open_at: list[list[int]] = [[0]]  # for each group, where its alternatives begin
    at, in_class = 0, False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
            at += pattern[at + 1 : at + 2] in ("]", "^")
        elif character == "(":
            head = 3 if pattern[at + 1 : at + 2] == "?" else 1
            head += pattern[at + 1 : at + 3] == "?<"
            open_at.append([at + head])
        elif character == "|":
            open_at[-1].append(at + 1)
        elif character == ")":
            yield from _spans(open_at.pop(), at)
        at += 1
    yield from _spans(open_at.pop(), at)


def _spans(starts: list[int], end: int) -> Iterator[tuple[int, int]]:
    if len(starts) > 1:
        yield from zip(starts, [start - 1 for start in starts[1:]] + [end], strict=True)


def main() -> int:
    """Try all of them; the exit code says whether each was missed by a test."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    modules = [Path(name) for name in settings["tool"]["mutmut"]["only_mutate"]]
    wanted = [m for m in modules if not sys.argv[1:] or m.stem in sys.argv[1:]]
    survived = 0
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for folder in FOLDERS:
            shutil.copytree(ROOT / folder, copy / folder)
        shutil.copy(ROOT / "pyproject.toml", copy)
        for module in wanted:
            source = (ROOT / module).read_text(encoding="utf-8")
            test = Path("tests", *module.parts[:-1], f"test_{module.stem}.py")
            tried = alive = 0
            for what, changed in mutants(source):
                (copy / module).write_text(changed, encoding="utf-8")
                pytest = [sys.executable, "-B", "-m", "pytest", "-xq", "--noconftest"]
                run = subprocess.run([*pytest, test], cwd=copy, capture_output=True)
                tried += 1
                if run.returncode == 0:
                    alive += 1
                    print(f"{module}: nobody misses {what}", flush=True)
            (copy / module).write_text(source, encoding="utf-8")
            print(f"{module}: {tried - alive} of {tried} entries are missed", flush=True)
            survived += alive
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
