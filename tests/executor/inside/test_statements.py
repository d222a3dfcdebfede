"""executor/inside/probes/statements.py: which statements ran, what each printed and made."""

from __future__ import annotations

import pytest

from executor.protocol import Probe, StatementSeen
from tests.executor.conftest import House

CODE = """\
import torch
def f(x):
    print("in f")
    y = x.T
    if x.dim() == 9:
        print("nine")
    return y
try:
    z = f(torch.ones(2, 3))
    print(z.shape,
          sum(n for n in (1, 2)))
    z = torch.ones(2) + torch.ones(3)
except (TypeError, torch.cuda.OutOfMemoryError):
    z = None
def g():
    "Nobody calls it."
    return 1
"""


def seen(house: House, code: str) -> tuple[dict[int, StatementSeen], str]:
    run = house.run(code, probes=(Probe.STATEMENTS,))
    return {s.first: s for s in run.statements}, run.stdout


def test_what_ran_printed_and_made(house: House) -> None:
    """Each statement says how often it ran, its own output and the shapes of its tensors."""
    there, out = seen(house, CODE)

    assert {line for line, s in there.items() if s.times == 0} == {6, 14, 15, 17}
    wrote = {n: "".join(out[a:b] for a, b in s.printed) for n, s in there.items() if s.printed}
    assert wrote == {3: "in f\n", 10: "torch.Size([3, 2]) 3\n"}
    assert {n: s.shapes for n, s in there.items() if s.shapes} == {
        4: {"y": ((3, 2),)},
        9: {"z": ((3, 2),)},  # line 12 raised: it made none
    }
    assert there[8].handles == ("TypeError", "OutOfMemoryError")
    assert (there[8].kind, there[8].last) == ("try", 14)
    assert there[6].inside == ("functiondef", "if")
    assert there[14].inside == ("try", "excepthandler")
    assert (there[10].first, there[10].last, there[10].began) == (10, 11, 5)


@pytest.mark.parametrize(
    ("code", "times", "shapes"),
    [
        ("import torch\nfor n in (1, 2, 1):\n    x = torch.ones(n)\n", 3, {"x": ((1,), (2,))}),
        ("import torch\nfor n in ():\n    x = torch.ones(n)\n", 0, {}),
        ("import torch\nif True:\n    x = y = torch.ones(\n        4)\n", 1,
         {"x": ((4,),), "y": ((4,),)}),
        ("import torch\nclass A:\n    x = torch.ones(4)\n", 1, {"x": ((4,),)}),
    ],
)  # fmt: skip
def test_times_and_shapes(
    house: House, code: str, times: int, shapes: dict[str, tuple[tuple[int, ...], ...]]
) -> None:
    """A statement in a loop counts each round, one over several lines counts once."""
    there, _ = seen(house, code)

    assert (there[3].times, there[3].shapes) == (times, shapes)


def test_a_program_that_compiles_is_not_traced(house: House) -> None:
    """A trace function would change what torch.compile compiles."""
    there, _ = seen(house, "import torch\nprint(torch.compile(lambda: 1) and 1)\n")

    assert there == {}


SPOILT = """\
import torch
class Odd(torch.Tensor):
    @property
    def shape(self):
        raise KeyError("no shape")
x = torch.ones(2).as_subclass(Odd)
print("goes on")
"""


def test_half_a_record_is_none(house: House) -> None:
    """What the snippet does to the trace is no error of its own, and nothing is said to be left."""
    there, out = seen(house, SPOILT)

    assert (there, out) == ({}, "goes on\n")


def test_nobody_asked(house: House) -> None:
    """Without the probe there is nothing of it in the result."""
    run = house.run("x = 1\n")

    assert run.statements == ()
