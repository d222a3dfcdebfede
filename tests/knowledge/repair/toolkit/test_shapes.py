"""knowledge/repair/toolkit/shapes.py: where a size is written, and what a change must not do."""

from __future__ import annotations

import libcst as cst
import pytest

from executor.protocol import (
    ErrorSeen,
    Fingerprint,
    JobResult,
    Layer,
    Outcome,
    Values,
)
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.shapes import (
    loads_its_own_layers,
    resized,
    same_layers,
    sizes,
    still_computed,
    swapped,
    worth,
)
from knowledge.repair.toolkit.sites import calls
from tests.built import ran


def layer(
    name: str, line: int | None, text: str = "Linear(in_features=4, out_features=2)"
) -> Layer:
    return Layer(name=name, type="Linear", repr=text, line=line, input=(3, 9), dtype="float32")


@pytest.mark.parametrize(
    ("size", "number"),
    [
        ("12", 12),
        ("hidden", 8),
        ("2 * hidden + 1", 17),
        ("wide", 6),  # one of two names that were given values together
        ("hidden // 4", 2),
        ("twice", 2),  # the last value that it is given
        ("hidden / 2", None),  # no whole number
        ("n_features", None),  # nothing says it
    ],
)
def test_a_size_is_worth_what_its_names_say(size: str, number: int | None) -> None:
    code = "hidden = 8\nwide, deep = 6, 3\ntwice = 1\ntwice = 2\n"
    program = Program(f"{code}layer = nn.Linear({size}, 2)\n")
    (call,) = calls(program, r"Linear$")

    assert worth(program, call.args[0]) == number


def test_sizes_are_read_from_any_message() -> None:
    assert sizes("torch.Size([2, 3])") == (2, 3)
    assert sizes("[-1, 800]") == (-1, 800)


@pytest.mark.parametrize(
    ("code", "into_its_own"),
    [
        ("net = resnet18(weights='DEFAULT')\nnet.fc = nn.Linear(4, 2)\n", False),
        ("bert = BertModel.from_pretrained('b')\nout = nn.Linear(4, 2)\n", False),
        ("class Own(PreTrainedModel): ...\nnet = Own.from_pretrained('b')\n", True),
        ("net = resnet18(pretrained=True)\nnet.load_state_dict(torch.load('w.pt'))\n", True),
        ("net = Net.load_from_checkpoint('w.ckpt')\n", True),
        ("torch.save(net.state_dict(), 'w.pt')\nnet.load_state_dict(torch.load('w.pt'))\n", False),
    ],
)
def test_a_model_of_a_library_brings_its_own_weights(code: str, into_its_own: bool) -> None:
    """They say nothing of the size of a layer that the program makes."""
    assert loads_its_own_layers(Program(code)) is into_its_own


WRITTEN = {
    "as a number": ("fc = nn.Linear(4, 2)\n", None, "nn.Linear(9, 2)"),
    "as a product": ("fc = nn.Linear(3 * 5 * 5, 2)\n", 27, "nn.Linear(3 * 3 * 3, 2)"),
    "as a name": ("width = 4\nfc = nn.Linear(width, 2)\n", None, "width = 9\n"),
    "by keyword": ("fc = nn.Linear(out_features=2, in_features=4)\n", None, "in_features=9)"),
    "a name of several": (
        "width = 4\nfc = nn.Linear(width, 2)\nnorm = nn.LayerNorm(width)\n",
        None,
        "nn.Linear(9, 2)",
    ),
    "twice a name": ("h = 9\nfc = nn.Linear(h * 2, 2)\n", None, "nn.Linear(h, 2)"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_size_is_changed_where_it_is_written(name: str) -> None:
    """At its source, in the terms it is written in."""
    code, size, wanted = WRITTEN[name]
    found = next(resized(Program(code), layer("fc", None), 0, "in_features", size or 9))

    assert wanted in found.module.code


FREE = {
    "weights from a file": "fc = nn.Linear(4, 2)\nfc.load_state_dict(torch.load('w.pt'))\n",
    "several layers": "fc = [nn.Linear(4, 2) for _ in range(3)]\n",
    "two of that name": "fc = nn.Linear(4, 2)\nfc = nn.Linear(4, 2)\n",
    "a class that is made twice": """\
class Block(nn.Module):
    def __init__(self, width):
        self.fc = nn.Linear(width, 2)
a, b = Block(4), Block(8)
""",
}


@pytest.mark.parametrize("name", FREE)
def test_a_size_that_is_not_free_stays(name: str) -> None:
    """Nothing is offered where another place depends on the same number."""
    where = layer("self.fc", 3) if "class" in FREE[name] else layer("fc", None)

    assert not list(resized(Program(FREE[name]), where, 0, "in_features", 9))


def test_a_transposition_is_undone_rather_than_repeated() -> None:
    program = Program("y = x.transpose(1, 2)\n")
    call = next(calls(program, "transpose"))

    assert program.text(swapped(program, call, 2, 1)) == "x"
    assert program.text(swapped(program, cst.Name("x"), 1, 2)) == "x.transpose(1, 2)"


ERROR = ErrorSeen(
    type="RuntimeError",
    message="",
    line=1,
    code="fc(x)",
    traceback='  File "snippet.py", line 1, in <module>\n    y = fc(x).item()  # one\n',
)


@pytest.mark.parametrize(
    ("code", "passes"),
    [
        ("y = fc(x.flatten(1)).item()\n", True),
        ("y = fc(\n    x.T,\n).item()\n", True),
        ("y = fc(x.reshape(3, 4)).item()\n", False),
        ("y = fc(x[:3]).item()\n", False),
        ("y = fc(x.detach()).item()\n", False),
        ("y = 0\n", False),
        ("fc = make(x)\ny = fc(x[:3])\n", False),
    ],
)
def test_what_failed_must_still_be_computed(code: str, passes: bool) -> None:
    """The same call of the same operands, whole and with their gradient."""
    assert still_computed(ERROR, code).passed is passes


def _model(*shapes: tuple[int, ...]) -> JobResult:
    facts = {
        f"net.{n}": Fingerprint(shape=shape, dtype="float32", norm=1.0, projections=())
        for n, shape in enumerate(shapes)
    }
    return ran(values=Values(tensors=facts))


@pytest.mark.parametrize(
    ("after", "passed", "tried"),
    [
        (_model((2, 9), (2,)), True, True),  # one size of one layer
        (_model((2, 9)), False, True),
        (_model((3, 9), (2,)), False, True),  # another layer altogether
        (_model((2, 4), (2,), (2, 2)), True, True),  # one more
        (ran(outcome=Outcome.TIMEOUT), True, False),  # killed: nobody knows
    ],
)
def test_the_layers_are_those_of_before(after: JobResult, passed: bool, tried: bool) -> None:
    """At most one size of a layer changed; of a run without a report nothing is said."""
    check = same_layers(_model((2, 4), (2,)), after)
    assert (check.passed, check.tried) == (passed, tried)
