"""A large snippet is read in a time that grows as it does, whatever it consists of."""

from __future__ import annotations

import ast
import gc
import time
from collections.abc import Callable

import pytest

from executor.inside import definitions
from executor.inside.placeholders import imports
from executor.inside.placeholders.names import undefined_names
from executor.inside.placeholders.run_placeholders import RunPlaceholders
from executor.inside.probes import inplace
from executor.inside.probes.caught import CaughtProbe
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training import TrainingProbe
from executor.inside.probes.training.intent import Intent
from executor.protocol import Job, Outcome
from tests.executor.conftest import House
from tests.rows import some

# Pieces of code, each repeated with another number.
PIECES = {
    "functions": "def f{i}(a, b=1):\n    return a + g{i}(b)\n",
    "classes": "class C{i}(nn.Module):\n    def forward(self, x):\n        self.y{i} = x\n"
    "        return x + self.w{i}.detach()\n",
    "a chain of variables": "x{i} = x{j} + y{i}\n",
    "handlers": "try:\n    a{i} = b{i}\nexcept NameError:\n    pass\n",
    "loops": "for i{i} in range(3):\n    if i{i}:\n        z{i} = [k for k in y{i} if k]\n",
    "training": "opt{i}.zero_grad()\nloss{i} = f(w{i} @ x{i})\nloss{i}.backward()\nopt{i}.step()\n",
}
TIMES = 4


def code(name: str, size: int) -> str:
    """So much code of one kind."""
    piece = PIECES[name]
    n = size // len(piece)
    return "".join(piece.format(i=i, j=i - 1 if i else "") for i in range(n))


def _undefined(text: str) -> object:
    undefined_names.cache_clear()
    return undefined_names(text, "snippet.py")


def _placeholders(text: str) -> object:
    names = set(undefined_names(text, "snippet.py"))
    return RunPlaceholders(Job(code=text, stand_ins=True), ast.parse(text), "snippet.py").supply(
        names
    )


def _instrumented(text: str) -> object:
    return CaughtProbe(SnippetSource(text, "s"), lambda: 0).instrument(ast.parse(text))


# What a run reads of its code, before it begins and where a finding asks for it.
READERS: dict[str, Callable[[str], object]] = {
    "names": _undefined,
    "imports": lambda text: imports.supply(text, "snippet.py"),
    "placeholders": _placeholders,
    "suspects": lambda text: inplace.suspects(ast.parse(text)),
    "training": lambda text: TrainingProbe(SnippetSource(text, "s"), ast.parse(text)),
    "intent": lambda text: Intent(ast.parse(text)).cuts({"nothing"}),
    "definitions": lambda text: definitions.are_all(ast.parse(text)),
    "handlers": _instrumented,
}


def _seconds(read: Callable[[str], object], text: str) -> float:
    """The processor time, the best of three: another process may have had the caches."""
    times = []
    gc.freeze()  # what all tests before have left alive is looked through no more
    gc.disable()  # its passes fall where they fall
    for _ in range(3):
        gc.collect()
        began = time.process_time()
        read(text)
        times.append(time.process_time() - began)
    gc.enable()
    gc.unfreeze()
    return min(times)


@pytest.mark.parametrize("kib", [4, pytest.param(16, marks=pytest.mark.daily)])
@pytest.mark.parametrize("name", some(PIECES, 3))
def test_reading_takes_as_long_as_the_code_is(name: str, kib: int) -> None:
    """Four times as much takes less than nine times as long; the square would take sixteen."""
    small, large = code(name, kib * 1024), code(name, TIMES * kib * 1024)

    def ratio(read: Callable[[str], object]) -> float:
        return _seconds(read, large) / _seconds(read, small)

    ratios = {reader: ratio(read) for reader, read in READERS.items()}
    # A busy machine may spoil one measure; what takes too long does so each time.
    again = {reader: ratio(READERS[reader]) for reader, once in ratios.items() if once >= 9}

    assert max(again.values(), default=0.0) < 9, (ratios, again)


def test_a_large_snippet_and_a_long_message_run(any_house: House) -> None:
    """The error at the end of a large snippet is found, and a long message is told."""
    text = code("functions", 200 * 1024) + 'raise RuntimeError("A" * 100_000)\n'
    result = any_house.run(text, wall_s=30)

    assert result.outcome is Outcome.ERROR and result.error is not None
    assert (result.error.type, result.error.line) == ("RuntimeError", text.count("\n"))
