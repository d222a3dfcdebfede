"""executor/inside/rebuild: the reasons of a search in vain, and the programs that it reads."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path

import pytest
import torch

from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.reasons import Met, out_of_reach, why_not
from executor.inside.rebuild.search import Search, gets_further
from executor.inside.rebuild.source import header_of, sources
from executor.inside.rebuild.trial import Outcome, Program, run
from executor.inside.rebuild.values import Tensor
from executor.protocol import PostedError, PostedFrame, RebuildOrder
from tests.executor.inside.rebuild.test_judge import posted

GONE = "Integer division of tensors using div or / is no longer supported"
PRODUCT = "mat1 and mat2 shapes cannot be multiplied (3x8 and 5x2)"


@pytest.mark.parametrize(
    ("message", "line", "met", "reason"),
    [
        (PRODUCT, "", Met("RuntimeError: another one"), "code_not_posted"),
        (PRODUCT, "out = net(x)", Met("RuntimeError: another one"), "not_found"),
        (PRODUCT, "", Met(), "code_not_posted"),
        (PRODUCT, "", Met("RuntimeError: another one", otherwise=True), "other_error"),
        (PRODUCT, "", Met("RuntimeError: another one", runs=True), "runs_today"),
        (PRODUCT, "", Met("ModuleNotFoundError: No module named 'cv9'"), "needs_a_library"),
        (PRODUCT, "", Met("RuntimeError: another one", stubbed=True), "needs_a_library"),
        (GONE, "", Met("RuntimeError: another one"), "message_gone"),
        ("what nobody has ever read", "", Met("RuntimeError: x"), "unknown_message"),
    ],
)
def test_every_search_in_vain_has_a_reason(message, line, met, reason):
    """One row for each kind."""
    assert why_not(posted(message, line), met) == reason


DOUBLE = "Found dtype Double but expected Float"
IN_PLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [3, 4]] is at version 2; expected version 1 instead."
)


@pytest.mark.parametrize(
    ("message", "line", "tensor", "ok", "runs"),
    [
        (DOUBLE, "", Tensor((8,), "float64"), True, True),
        (DOUBLE, "", Tensor((8,)), True, False),
        (DOUBLE, "", Tensor((8,), "float64"), False, False),
        ("gather(): Expected dtype int64 for index", "", Tensor((8,), "int64"), True, False),
        ("sizes [3, 4] and so on", "out = net(x)", Tensor((3, 4)), True, True),
        ("sizes [3, 4] and so on", "out = net(x)", Tensor((4, 3)), True, False),
        ("sizes [3, 4] and so on", "", Tensor((3, 4)), True, False),
        (IN_PLACE, "out = net(x)", Tensor((3, 4)), True, False),
        ("nothing is named", "out = net(x)", Tensor((8,)), True, False),
    ],
)
def test_it_runs_today_only_with_what_the_message_names(message, line, tensor, ok, runs):
    """A run with any other value says nothing of theirs."""
    met = Met()
    seen = Outcome(ok=ok, type="" if ok else "E", read=frozenset({"x"}))
    met.note(Candidate().with_value("x", tensor, "use"), seen, posted(message, line))
    assert met.runs is runs


NOTHING = Candidate()
NO_FILE = ("FileNotFoundError", "[Errno 2] No such file or directory: 'a.csv'")


@pytest.mark.parametrize(
    ("code", "seen", "runs", "otherwise"),
    [
        ("net(1)", Outcome(ok=True), True, False),
        ("def f(): pass", Outcome(ok=True), False, False),  # it only defines
        ("net(x)", Outcome(ok=True, read=frozenset({"x"})), False, False),
        ("net(1)", Outcome(type="ValueError", message="no"), False, True),
        ("net(x)", Outcome(type="ValueError", message="no", read=frozenset({"x"})), False, False),
        ("net(1)", Outcome(*(False, *NO_FILE)), False, False),  # of this machine
        ("net(1)", Outcome(type="Timeout"), False, False),
    ],
)
def test_what_the_code_alone_does_is_a_reason_too(code, seen, runs, otherwise):
    """Where nothing was added, it is what the person's code does with this torch."""
    met = Met()
    met.note(NOTHING, seen, posted(PRODUCT, code=code))
    assert (met.runs, met.otherwise) == (runs, otherwise)


@pytest.mark.parametrize(
    ("code", "lacks"), [("y = mystery(x)", False), ("y = other(x)", True), ("mystery = 1", False)]
)
def test_a_name_that_was_not_defined_gets_no_value(code, lacks):
    """It is the posted error; where it is nowhere read, it was in other code."""
    seen = posted("name 'mystery' is not defined", code=code, type="NameError")
    assert seen.undefined == "mystery"
    assert (out_of_reach(seen) == "code_not_posted") is lacks


@pytest.mark.parametrize(
    ("code", "others", "line", "numbers"),
    [
        ("x = 1", ("\ny = f(x)",), "", [0, 1]),  # nothing is quoted: each may be it
        ("x = 1", ("\ny = f(x)",), "y = f(x)", [1]),  # the error came from that line
        ("y = f(x)", ("x = 1",), "y = f(x)", [0]),
        ("if x", ("x = 1",), "", [1]),  # the other alone is Python
        ("if x", ("if y",), "", []),
    ],
)
def test_the_programs_that_hold_the_quoted_line_are_tried(code, others, line, numbers):
    """Where one does; what is no Python is none."""
    frames = (PostedFrame(file="a.py", code=line),) if line else ()
    error = PostedError(type="RuntimeError", message="m", frames=frames)
    order = RebuildOrder(code=code, others=others, error=error)
    assert [source.program for source in sources(order)] == numbers


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("CUDA out of memory. Tried to allocate 2.00 GiB", "needs_a_gpu"),
        ("CUDA error: device-side assert triggered", "needs_a_gpu"),
        (PRODUCT, ""),
    ],
)
def test_nothing_is_tried_for_what_no_code_raises_here(message, reason):
    """A reason is all that can be given."""
    assert out_of_reach(posted(message)) == reason


AGAIN = "Trying to backward through the graph a second time"


@pytest.mark.parametrize(
    ("code", "once"),
    [
        ("loss.backward()\nw -= w.grad", True),
        ("loss.backward()\nloss.backward()", False),
        ("for x in xs:\n    net(x, h).backward()", False),
        ("def step():\n    loss.backward()", False),
    ],
)
def test_code_that_goes_back_once_is_not_searched(code, once):
    """A cell was run again, or a loop around it is missing."""
    order = RebuildOrder(code=code, error=PostedError(type="RuntimeError", message=AGAIN))
    assert (out_of_reach(Posted(order, ast.parse(code))) == "code_not_posted") is once


@pytest.mark.parametrize(
    ("code", "error", "trials"),
    [
        # It ends before any value is read: one trial shows what all would.
        ("1 / 0\ny = net(x)", "IndexError: index out of range in self", 1),
        ("def f(x):\n    return x.nothing\n1 / 0", "IndexError: index out of range in self", 1),
    ],
)
def test_what_cannot_change_is_tried_once(code: str, error: str, trials: int):
    """Neither other values nor other calls below would be reached."""
    kind, _, message = error.partition(": ")
    order = RebuildOrder(code=code, error=PostedError(type=kind, message=message))
    found = Search(order).run()
    assert (found.glue, found.trials) == (None, trials)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("it prints torch.Size([3, 2])", [(3, 2)]),
        (" 0  1\\n[torch.cuda.LongTensor of size 3x2 (GPU 0)]", [(3, 2)]),
        ("of size 3x2", []),
    ],
)
def test_shapes_that_a_post_prints_are_known(text: str, printed: list[tuple[int, ...]]):
    """As today's torch prints them, and as old ones did."""
    order = RebuildOrder(
        code="a == b", text=text, error=PostedError(type="RuntimeError", message="m")
    )
    assert Posted(order, ast.parse("a == b")).printed == printed


def test_a_trial_finds_no_file_of_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Each writes what it needs itself."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given").write_text("stays")
    code = "import os\nos.makedirs('new/deep')\nopen('w.pt', 'w').close()\n"
    program = Program(code, ast.parse(code), {}, lambda name: None)
    assert [run(program, Candidate()).ok for _ in range(2)] == [True, True]
    assert [path.name for path in tmp_path.iterdir()] == ["given"]


def test_a_trial_tells_which_lines_it_came_to():
    """Those of functions too, and none of a library."""
    code = "import torch\ndef f(x):\n    if x:\n        return 1\n    return 2\nf(0)\n1 / 0\n2\n"
    seen = run(Program(code, ast.parse(code), {}, lambda name: None), Candidate())
    assert seen.ran == {1, 2, 3, 5, 6, 7}


@pytest.mark.parametrize(
    ("before", "now", "line", "further"),
    [
        ({1, 2}, {1, 2, 3}, 9, 1),
        ({1, 2, 3}, {1, 2}, 9, -1),
        ({1, 2}, {1, 3}, 9, 0),
        ({1, 2}, {1, 2}, 9, 0),
        (set(), {1, 2}, 9, 0),
        ({1, 2}, {1, 2, 3}, 2, 0),  # past the line that is to fail
    ],
)
def test_a_trial_gets_further_where_it_comes_to_new_lines(
    before: set[int], now: set[int], line: int, further: int
):
    """And leaves none out."""
    code = "x = 1\n" * 8 + "x = y\n"
    error = posted("m", "x = y" if line == 9 else "x = 1", code=code)
    assert (
        gets_further(Outcome(ran=frozenset(before)), Outcome(ran=frozenset(now)), error) == further
    )


SOLVED = {
    "a side twice as large, found between two others": (
        "import torch\ndef join(deep, skip):\n"
        "    deep = torch.nn.functional.interpolate(deep, scale_factor=2)\n"
        "    return torch.cat([skip, deep], dim=1)\n",
        "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 57 but got "
        "size 56 for tensor number 1 in the list.",
    ),
    "a model with as many outputs": (
        "import torch\nfor page in pages:\n"
        "    torch.nn.BCELoss()(critic(page), torch.ones(len(page)))\n",
        "ValueError: Using a target size (torch.Size([64])) that is different to the input size "
        "(torch.Size([64, 1])) is deprecated. Please ensure they have the same size.",
    ),
}


def test_a_trial_waits_for_no_thread_of_its_parent(request: pytest.FixtureRequest):
    """A fork has none of them: what computes with several threads would never come back."""
    request.addfinalizer(partial(torch.set_num_threads, torch.get_num_threads()))
    torch.set_num_threads(2)
    torch.rand(600, 600) @ torch.rand(600, 600)
    (torch.rand(2000, 2000) + 1).sum()
    code = "import torch\n(torch.rand(2000, 2000) + 1).sum()\n"
    program = Program(code, ast.parse(code), {}, lambda name: None)

    assert run(program, Candidate()).ok


@pytest.mark.parametrize("kind", SOLVED)
def test_the_numbers_of_the_message_are_solved_for(kind: str):
    """The search goes on where only the numbers are others."""
    code, error = SOLVED[kind]
    type, _, message = error.partition(": ")
    order = RebuildOrder(code=code, error=PostedError(type=type, message=message), budget_s=20)
    found = Search(order).run()
    assert found.glue is not None
    assert found.exact


def test_what_an_added_call_takes_follows_from_the_class():
    """Its first layer says how wide the input is, though nothing posted makes an instance."""
    code = (
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.low = torch.nn.Linear(37, 2)\n"
        "    def forward(self, x):\n        return self.low(x)\n"
    )
    order = RebuildOrder(code=code, error=PostedError(type="RuntimeError", message="m"))
    start = Search(order)._start(sources(order)[0], ("net = _new_Net", "net(x)"))
    shapes = {leaf.name: leaf.tensor.shape for leaf in start.leaves()}
    assert shapes["x"][-1] == 37


NO_GRAD = "'NoneType' object has no attribute 'data'"


@pytest.mark.parametrize(
    ("code", "lacks"),
    [
        ("for p in net.parameters():\n    p.grad.data.mul_(2)", True),
        ("loss.backward()\nfor p in net.parameters():\n    p.grad.data.mul_(2)", False),
        ("g = torch.autograd.grad(loss, w)\nw.grad.data.mul_(2)", False),
        ("net.weight.data.mul_(2)", False),
    ],
)
def test_a_gradient_that_nothing_posted_computes_shows_nothing(code, lacks):
    """It would be None in any such program, so the error would be nobody's."""
    order = RebuildOrder(code=code, error=PostedError(type="AttributeError", message=NO_GRAD))
    seen = Posted(order, ast.parse(code))

    assert seen.lacks_backward is lacks
    assert (out_of_reach(seen) == "code_not_posted") is lacks


@pytest.mark.parametrize(
    ("code", "header"),
    [
        ("def f(x): pass", ""),
        ("def __init__(self):\n    super(Net, self).__init__()\ndef forward(self, x): pass",
         "Net(__import__('torch').nn.Module)"),
        ("def forward(self, x): pass", "Posted(_stubs.Lazy, __import__('torch').nn.Module)"),
        ("def __getitem__(self, i): pass\ndef __init__(self): pass",
         "PostedDataset(__import__('torch').utils.data.Dataset)"),
    ],
)  # fmt: skip
def test_methods_without_a_class_say_which_it_was(code, header):
    """By `super(Net, self)` and by what they are called."""
    assert header_of(ast.parse(code)) == header
