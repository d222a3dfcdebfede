"""Run an example as one types it into Python, and show what that printed; runs in the jail."""

from __future__ import annotations

import ast
import base64
import builtins
import contextlib
import importlib
import io
import sys
from pathlib import Path
from typing import Any

from executor.protocol import File, Job, JobResult, Model, Outcome, Probe

_PLAY = "from knowledge.reference.session import play\nplay()\n"
_EXAMPLE = "example.json"
_WALL_S = 5.0
_MOST_LINES = 18  # of a session: the rest is left out after a whole statement
_MOST_LINES_OF_ONE = 12  # printed by one statement
_USUAL = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "optim": "from torch import optim",
    "np": "import numpy as np",
    "math": "import math",
}


class Example(Model):
    """Code that shows how a function is used, and the function's name."""

    name: str
    code: str


# -- in the bot ------------------------------------------------------------------------------


def example_job(example: Example) -> Job:
    """The job that runs an example."""
    text = base64.b64encode(example.model_dump_json().encode()).decode()
    return Job(
        code=_PLAY,
        files=(File(name=_EXAMPLE, base64=text),),
        wall_s=_WALL_S,
        probes=(Probe.NONE,),
    )


def read_session(result: JobResult) -> str:
    """What the example printed, with the code as typed.

    Empty if it did not run to its end, printed nothing, or addresses that mean nothing.
    """
    if result.outcome is not Outcome.OK or result.dropped_bytes:
        return ""
    session = result.stdout.rstrip()
    shows = any(not _is_typed(line) for line in session.splitlines())
    return session if shows and " at 0x" not in session else ""


# -- in the jail -----------------------------------------------------------------------------


def play(folder: Path = Path()) -> None:
    """Read `example.json`, run it, and print it as a session."""
    example = Example.model_validate_json((folder / _EXAMPLE).read_bytes())
    print("\n".join(session(example)))


def session(example: Example) -> list[str]:
    """The lines of a session: each statement as typed, then what it printed.

    A long one ends after a whole statement, and no further one is run.
    """
    tree = ast.parse(example.code)
    needed = ast.parse("\n".join(imports(tree, example.name))).body
    code = example.code.splitlines()
    names: dict[str, Any] = {"__name__": "__main__"}
    hook, sys.displayhook = sys.displayhook, _display
    lines: list[str] = []
    try:
        for statement in [*needed, *tree.body]:
            source = [ast.unparse(statement)]
            if statement not in needed:  # with the comment at its end
                source = code[statement.lineno - 1 : statement.end_lineno]
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(ast.Interactive([statement]), "<example>", "single"), names)
            said = printed.getvalue().splitlines()
            if len(said) > _MOST_LINES_OF_ONE:
                said = [*said[:_MOST_LINES_OF_ONE], "…"]
            if lines and len(lines) + len(source) + len(said) > _MOST_LINES:
                break
            lines += [f"{'...' if n else '>>>'} {line}" for n, line in enumerate(source)]
            lines += said
        lines += _shape_of_last(tree, names) if all(_is_typed(line) for line in lines) else []
    finally:
        sys.displayhook = hook
    return lines


def _is_typed(line: str) -> bool:
    return line.startswith((">>>", "..."))


def _shape_of_last(tree: ast.Module, names: dict[str, Any]) -> list[str]:
    """One statement more, for an example that prints nothing: the shape of its last tensor."""
    match tree.body[-1:]:
        case [ast.Assign(targets=[ast.Name(id=name)])] if isinstance(
            shape := getattr(names.get(name), "shape", None), tuple
        ):
            return [f">>> {name}.shape", repr(shape)]
    return []


def imports(tree: ast.Module, name: str) -> list[str]:
    """The imports for the names that an example uses and does not define.

    Args:
        tree: the example.
        name: the function that it shows: what stands beside it in its module may be used too.
    """
    bound = set(dir(builtins))
    used: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                used[node.id] = None
            else:
                bound.add(node.id)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    missing = [one for one in used if one not in bound]
    lines = [_USUAL[one] for one in missing if one in _USUAL]
    home = _home(name)
    of_home = [one for one in missing if one not in _USUAL and hasattr(sys.modules[home], one)]
    if of_home:
        lines.append(f"from {home} import {', '.join(sorted(of_home))}")
    return lines


def _home(name: str) -> str:
    """The module of a function: that of a method is its class's."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:end])
        try:
            importlib.import_module(module)
        except ImportError:
            continue
        return module
    return "torch"


def _display(value: object) -> None:
    if value is not None:
        print(repr(value))
