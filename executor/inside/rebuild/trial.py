"""One trial: the snippet with a candidate's values, in a process of its own."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import select
import shutil
import signal
import sys
import time
import types
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import torch

from executor.inside.probes.exceptions import class_name, message_of
from executor.inside.rebuild import glue
from executor.inside.rebuild.candidate import Candidate
from executor.protocol import SNIPPET

_LONGEST_S = 3.0  # of computing; by the clock too, unless it computes and others keep it waiting
_ON_A_BUSY_MACHINE = 3  # times as long
_LOOK_S = 0.25
_MOST_BYTES = 200_000
_MESSAGE = 4000
_LARGE = 1_000_000  # elements


@dataclass(frozen=True)
class Program:
    """The snippet of all trials."""

    code: str
    tree: ast.Module
    supplied: Mapping[str, Any]  # well-known imports
    make: Callable[[str], str | None]  # an expression for a name that no candidate foresaw


@dataclass(frozen=True)
class Outcome:
    """What a trial showed."""

    ok: bool = False
    type: str = ""
    message: str = ""
    line: int | None = None  # the innermost line of the snippet
    lines: tuple[int, ...] = ()  # of all its frames, outermost first
    added: bool = False  # the innermost frame outside of libraries is what was added
    reached: bool = False  # it got as far as the calls that were added below the code
    functions: tuple[str, ...] = ()  # of the library's frames below
    read: frozenset[str] = frozenset()  # names that were given a value
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of the failing frame
    ran: frozenset[int] = frozenset()  # lines of the snippet that it came to


def run(program: Program, candidate: Candidate, longest_s: float = _LONGEST_S) -> Outcome:
    """Run it; a trial that takes too long, or dies, shows nothing."""
    before = set(Path().iterdir())
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_here(program, candidate, writing)
    os.close(writing)
    words = _read(reading, child, longest_s)
    os.close(reading)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    _remove(set(Path().iterdir()) - before)  # else the next trial would find what this one wrote
    try:
        told = json.loads(words)
    except ValueError:
        return Outcome(type="Timeout")
    return Outcome(
        **{
            **told,
            "lines": tuple(told["lines"]),
            "functions": tuple(told["functions"]),
            "read": frozenset(told["read"]),
            "ran": frozenset(told["ran"]),
            "shapes": {name: tuple(shape) for name, shape in told["shapes"].items()},
        }
    )


def _remove(paths: set[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()


def _read(pipe: int, child: int, longest_s: float) -> bytes:
    parts: list[bytes] = []
    began, computed = time.monotonic(), 0.0
    while True:
        if not select.select([pipe], [], [], _LOOK_S)[0]:
            before, computed = computed, _computed_s(child)
            waited = time.monotonic() - began
            if computed > longest_s or waited > _ON_A_BUSY_MACHINE * longest_s:
                break
            if waited > longest_s and computed == before:  # it waits, and not for a processor
                break
            continue
        part = os.read(pipe, 65536)
        if not part:
            return b"".join(parts)
        parts.append(part)
        if sum(map(len, parts)) > _MOST_BYTES:
            break
    return b""


def _computed_s(process: int) -> float:
    """The processor time of another process, by the kernel's clock of it; 0 where it has none."""
    try:
        return time.clock_gettime(~process << 3 | 2)  # as clock_getcpuclockid(3) makes its number
    except OSError:
        return 0.0


def _run_here(program: Program, candidate: Candidate, pipe: int) -> NoReturn:
    """Run it in this process, a fork, and tell the parent."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        sys.stdout = sys.stderr = io.TextIOWrapper(io.FileIO(1, "w", closefd=False))
        warnings.simplefilter("ignore")
        told = _execute(program, candidate)
        os.write(pipe, json.dumps(told).encode())
    finally:
        os._exit(0)


def _execute(program: Program, candidate: Candidate) -> dict[str, Any]:
    # A fork has none of its parent's threads, and would wait for them in the first large operation.
    torch.set_num_threads(1)
    torch.manual_seed(0)
    filename = str(Path.cwd() / SNIPPET)
    module = types.ModuleType("__main__")
    module.__file__ = filename
    sys.modules["__main__"] = module
    vars(module).update(program.supplied)
    read: set[str] = set()
    ran: set[int] = set()

    def make(name: str) -> str | None:
        given = candidate.get(name)
        expression = given.value.expression if given is not None else program.make(name)
        if expression is not None:
            read.add(name)
        return expression

    glue.install(module, make, candidate.modules)
    error: BaseException | None = None
    reached = False
    _leave_large_weights()
    try:
        if candidate.simulate:
            _simulate(program.code, filename)
        if candidate.resources:
            _supply_resources(program, filename)
        tree = glue.with_header(program.tree, candidate.header)
        glue.run_statements(candidate.first, module)
        sys.settrace(_tracer(filename, ran))
        exec(compile(tree, filename, "exec", dont_inherit=True), vars(module))
        reached = True
        glue.run_statements(candidate.after, module)
    except BaseException as e:
        error = e
    sys.settrace(None)
    return {"reached": reached, "ran": sorted(ran)} | _told(error, filename, read)


def _tracer(filename: str, ran: set[int]) -> Callable[..., Any]:
    """Notes the snippet's lines; of other files not even the frames are looked into."""

    def lines(frame: types.FrameType, event: str, arg: object) -> Any:
        ran.add(frame.f_lineno)
        return lines

    def frames(frame: types.FrameType, event: str, arg: object) -> Any:
        return lines if frame.f_code.co_filename == filename else None

    return frames


def _leave_large_weights() -> None:
    """Do not fill large weights with random numbers: that takes longer than all the rest."""
    from torch.nn import init

    def lazily(fill: Any) -> Any:
        def filled(tensor: Any, *args: Any, **named: Any) -> Any:
            return tensor if tensor.numel() > _LARGE else fill(tensor, *args, **named)

        return filled

    for name in ("kaiming_uniform_", "uniform_", "normal_", "xavier_uniform_", "kaiming_normal_"):
        setattr(init, name, lazily(getattr(init, name)))


def _supply_resources(program: Program, filename: str) -> None:
    from executor.inside.resources.run_resources import RunResources

    folders = (Path.cwd(),)
    RunResources(program.tree, program.code, filename, folders, other=False).install()


def _simulate(code: str, filename: str) -> None:
    from executor.inside.probes.source import SnippetSource
    from executor.inside.simulated.cuda import SimulatedCuda

    SimulatedCuda(SnippetSource(code, filename), 0).start()


def _told(error: BaseException | None, filename: str, read: set[str]) -> dict[str, Any]:
    told: dict[str, Any] = {"ok": error is None, "read": sorted(read)}
    told |= {"lines": [], "functions": [], "shapes": {}}
    if error is None:
        return told
    tb = error.__traceback__
    own = None
    while tb is not None:
        place = tb.tb_frame.f_code.co_filename
        if place in (filename, glue.ADDED):
            told["functions"], told["added"] = [], place == glue.ADDED
            if place == filename:
                own = tb
                told["lines"].append(tb.tb_lineno)
        else:
            told["functions"].append(tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
    if own is not None:
        told["line"] = own.tb_lineno
        told["shapes"] = {
            name: list(value.shape)
            for name, value in own.tb_frame.f_locals.items()
            if type(value).__name__ in ("Tensor", "Parameter")
        }
    return told | {"type": class_name(error), "message": message_of(error)[:_MESSAGE]}
