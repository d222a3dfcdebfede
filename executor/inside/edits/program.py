"""Run a program in this process, a fork, as a run of its own would be, without the probes."""

from __future__ import annotations

import ast
import builtins
import io
import linecache
import os
import sys
import types
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from executor.inside.cut import StepLimit, TrainingCut
from executor.inside.placeholders import imports
from executor.inside.placeholders.names import undefined_names
from executor.inside.placeholders.run_placeholders import RunPlaceholders
from executor.inside.rebuild import glue as rebuild_glue
from executor.inside.scripts import Script
from executor.inside.seeds import seed
from executor.jail.import_time import ImportTime, shared_page
from executor.protocol import SNIPPET, Glue, Job

_PRINTED = 64 * 1024  # characters that are kept of what a program prints


class Printed(io.TextIOBase):
    """What a program prints, up to a limit."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._parts: list[str] = []
        self._kept = 0

    def writable(self) -> bool:
        """It is a stream to write to."""
        return True

    def write(self, text: str, /) -> int:
        """Keep the text while there is room."""
        if self._kept < _PRINTED:
            self._parts.append(text)
            self._kept += len(text)
        return len(text)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)[:_PRINTED]


@dataclass(frozen=True)
class Ended:
    """How a program ended, with everything still alive that it made."""

    names: Mapping[str, Any]  # its module's
    error: BaseException | None
    stdout: str
    filename: str


def run_here(job: Job, training_s: float | None = None) -> Ended:
    """Run it: seeded, completed and glued as its job says. An error is a part of the result.

    Args:
        job: the program's.
        training_s: of computing, after which a training is stopped between two steps as one that
            does not fail, where its job allows that; None: it is not.
    """
    filename = str(Path.cwd() / SNIPPET)
    code = job.code.removeprefix("\ufeff")
    module = types.ModuleType("__main__")
    module.__file__ = filename
    module.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    sys.argv = [SNIPPET]
    if sys.path[:1] != [str(Path.cwd())]:
        sys.path[0:0] = [str(Path.cwd())]
    printed = Printed()
    sys.stdout, sys.stderr = printed, Printed()
    warnings.simplefilter("ignore")
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    seed(job.seed)
    error: BaseException | None = None
    limit = StepLimit(training_s, ImportTime(shared_page())) if training_s and job.cut else None
    if limit is not None:
        limit.start()
    try:
        _execute(job, code, filename, module)
    except SystemExit as e:
        error = e if e.code not in (None, 0) else None
    except TrainingCut:
        error = None
    except BaseException as e:
        error = e
    finally:
        if limit is not None:
            limit.stop()
    return Ended(vars(module), error, printed.text, filename)


def _execute(job: Job, code: str, filename: str, module: types.ModuleType) -> None:
    glue: Glue | None = job.glue
    tree = ast.parse(code, filename)
    if glue is not None:
        tree = rebuild_glue.with_header(tree, glue.header)
    supplied, _ = imports.supply(code, filename)
    names = vars(module)
    names.update(supplied)
    unbound = undefined_names(code, filename) - supplied.keys()
    placeholders = RunPlaceholders(job, tree, SNIPPET)
    names.update(placeholders.supply(unbound))
    tree = placeholders.without_imports()
    if glue is not None:
        rebuild_glue.install(module, rebuild_glue.make_of(glue), glue.modules)
        rebuild_glue.run_statements(glue.first, module)
    if job.simulate:
        from executor.inside.probes.source import SnippetSource
        from executor.inside.simulated.cuda import SimulatedCuda

        SimulatedCuda(SnippetSource(code, filename), job.seed).start()
    placeholders.supply_resources(filename, Path.cwd())
    Script(job, filename).start(tree)
    exec(compile(tree, filename, "exec", dont_inherit=True), names)
    if glue is not None:
        rebuild_glue.run_statements(glue.after, module)


def silent() -> None:
    """Let nothing reach the job's own output, by whatever way."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
