"""knowledge/repair/toolkit/meant_sizes.py: what speaks for the size that a layer was made for."""

from __future__ import annotations

import libcst as cst
import pytest

from executor.protocol import Frame, JobResult, Layer, Outcome, Variable
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.meant_sizes import cut_into_rows, is_for_another_layer, says_its_size
from knowledge.repair.toolkit.shapes import LayerCall, Resized

CLASS = """\
class Net(nn.Module):
    def __init__(self, size):
        self.fc = nn.Linear(size, 2)
"""


@pytest.mark.parametrize(
    ("code", "name", "line", "is_for"),
    [
        ("fc = nn.Linear(old.in_features, 2)\n", "fc", 1, True),
        (f"{CLASS}net = Net(old.in_features)\n", "self.fc", 3, True),
        (f"{CLASS}net = Net(512)\n", "self.fc", 3, False),
        ("fc = nn.Linear(512, 2)\nother = f(old.in_features)\n", "fc", 1, False),
        (f"{CLASS}net = Net(512)\nother = f(old.in_features)\n", "self.fc", 3, False),
        (CLASS.replace("size,", "512,") + "net = Net(old.in_features)\n", "self.fc", 3, False),
        ("size = 512\nfc = nn.Linear(size, 2)\n", "fc", 2, False),
        ("fc = make(512)\n", "fc", 1, False),
        ("fc = nn.Linear()\n", "fc", 1, False),
    ],
)
def test_a_layer_may_be_made_for_what_goes_into_another(
    code: str, name: str, line: int, is_for: bool
) -> None:
    layer = Layer(name=name, type="Linear", repr="", line=line, input=None, dtype=None)

    assert is_for_another_layer(Program(code), layer) is is_for


@pytest.mark.parametrize(
    ("line", "now", "says"),
    [
        ("fc = nn.Linear(width, 2)", "fc = nn.Linear(128, 2)", True),
        ("fc = nn.Linear(width, 2)", "fc = nn.Linear(hidden, 2)", False),
        ("fc = nn.Linear(64, 2)", "fc = nn.Linear(128, 2)", False),
        ("fc = nn.Linear(64, 2)  # 8x8 after the pool", "fc = nn.Linear(128, 2)", True),
        ("# after the pool 8 by 8\nfc = nn.Linear(64, 2)", "#\nfc = nn.Linear(128, 2)", True),
        ("fc = nn.Linear(64, 2)  # after the pool", "fc = nn.Linear(128, 2)", False),
        ("fc = nn.Linear(64, 2)  # 2 classes", "fc = nn.Linear(128, 2)", False),
    ],
)
def test_a_name_or_a_sum_speaks_for_the_size_that_stands_there(
    line: str, now: str, says: bool
) -> None:
    new = Resized(cst.parse_module(f"{now}\n"), 1 + line.count("\n"))

    assert says_its_size(Program(f"{line}\n"), new) is says


@pytest.mark.parametrize(
    ("code", "cut"),
    [
        ("x = table.view(-1, 8)\nfc(x)\n", True),
        ("fc(table.reshape(-1, 8))\n", True),
        ("x = x.view(-1, 8)\nfc(x)\n", True),  # what it was is gone
        ("x = rows.view(-1, 8)\nfc(x)\n", False),  # they were rows of that width
        ("x = table.view(4, 8)\nfc(x)\n", False),
        ("x = table.view(-1, 2, 8)\nfc(x)\n", False),
        ("x = table.permute(-1, 0)\nfc(x)\n", False),
        ("fc(table)\n", False),
        ("def forward(x):\n    x = x.view(-1, 8)\n    return fc(x)\n", False),
        ("def run(x):\n    x = x.view(-1, 8)\n    return fc(x)\n", True),
    ],
)
def test_rows_that_were_cut_anew_tell_of_no_size(code: str, cut: bool) -> None:
    rows = Variable(type="Tensor", shape=(3, 8))
    table = Variable(type="Tensor", shape=(3, 16))
    frame = Frame(line=1, function="<module>", locals={"rows": rows, "table": table})
    program = Program(code)
    (call,) = [c for c in program.all(cst.Call) if program.text(c.func) == "fc"]
    result = JobResult(outcome=Outcome.ERROR, frames=(frame,))

    assert cut_into_rows(program, result, LayerCall(call, ()), 8) is cut
