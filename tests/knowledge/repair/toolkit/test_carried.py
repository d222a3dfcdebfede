"""knowledge/repair/toolkit/carried.py: what a loop carries on, and what outlives its steps."""

from __future__ import annotations

import libcst as cst
import pytest

from executor.protocol import ErrorSeen, Frame, JobResult, Outcome, Variable
from knowledge.repair.toolkit.carried import carried, has_graph
from knowledge.repair.toolkit.failed import Failed

RESULT = Variable(type="Tensor", dtype="float32", shape=(2,), grad_fn="TanhBackward0")
PAIR = Variable(type="tuple")
PLAIN = Variable(type="Tensor", dtype="float32", shape=(2,))


def rewrites(code: str, **seen: Variable) -> list[str]:
    """The programs that it makes of one whose last line of the loop is `loss.backward()`."""
    (line,) = [n for n, text in enumerate(code.splitlines(), 1) if "backward" in text]
    run = JobResult(
        outcome=Outcome.ERROR,
        error=ErrorSeen(type="RuntimeError", message="no", line=line, code="loss.backward()"),
        frames=(Frame(line=line, function="<module>", locals=seen),),
    )
    program = Failed(code, run)
    assert program.statement is not None and isinstance(program.node, cst.Call)
    loss = cst.ensure_type(program.node.func, cst.Attribute).value
    return [r.module.code for r in carried(program, program.statement, loss)]


STATE = """\
h = start
for x in data:
    out = net(x)
    h = cell(x, h)
    loss = h.sum()
    loss.backward()
"""


def test_a_state_is_cut_above_the_line_that_reads_it() -> None:
    assert rewrites(STATE, h=RESULT) == [
        STATE.replace("    h = cell", "    h = h.detach()\n    h = cell")
    ]


def test_of_a_pair_each_part_is_cut() -> None:
    (made,) = rewrites(STATE, h=PAIR)

    assert "    h = tuple(part.detach() for part in h)\n    h = cell" in made


def test_a_state_that_begins_as_nothing_is_cut_where_it_is_made() -> None:
    (made,) = rewrites(STATE.replace("start", "None"), h=RESULT)

    assert "    h = cell(x, h)\n    h = h.detach()\n" in made


@pytest.mark.parametrize("code", [
    STATE.replace("h = cell(x, h)", "h = cell(x, x)"),  # made anew in each step
    STATE.replace("h = cell(x, h)", "h, c = cell(x, h, c)"),  # two of them
    STATE.partition("for")[0] + "loss = h.sum()\nloss.backward()\n",  # no loop
])  # fmt: skip
def test_what_is_not_one_state_is_left_alone(code: str) -> None:
    assert rewrites(code, h=RESULT, c=RESULT) == []


def test_the_loop_may_be_a_while_and_the_state_may_come_from_elsewhere() -> None:
    code = STATE.replace("h = start\n", "").replace("for x in data", "while True")
    (made,) = rewrites(code, h=RESULT)

    assert "    h = h.detach()\n    h = cell(x, h)\n" in made


def test_a_state_that_begins_as_nothing_may_be_made_below_the_line_that_reads_it() -> None:
    code = STATE.replace("start", "None").replace("net(x)", "net(x, h)")
    (made,) = rewrites(code.replace("cell(x, h)", "cell(out)"), h=RESULT)

    assert "    h = cell(out)\n    h = h.detach()\n" in made


def test_a_state_that_is_only_written_into_is_read_all_the_same() -> None:
    code = STATE.replace("out = net(x)", "h[0] = x").replace("cell(x, h)", "cell(x)")
    (made,) = rewrites(code, h=RESULT)

    assert "    h = h.detach()\n    h[0] = x\n" in made


@pytest.mark.parametrize(
    "first",
    [
        "out = net.h(x)",  # an attribute of that name
        "for t in steps:\n        buf = new()\n        buf[t] = x",  # made anew, and written into
    ],
)
def test_what_a_step_makes_itself_is_not_carried(first: str) -> None:
    (made,) = rewrites(STATE.replace("out = net(x)", first), h=RESULT, buf=RESULT)

    assert f"    {first}\n    h = h.detach()\n    h = cell(x, h)\n" in made


def test_a_state_without_a_history_is_left_alone() -> None:
    assert rewrites(STATE, h=PLAIN) == []


ABOVE = """\
made = net(x)
for x in data:
    loss = (x - made).sum()
    loss.backward()
"""


def test_what_was_made_above_the_loop_is_a_value_or_made_anew() -> None:
    assert rewrites(ABOVE, made=RESULT) == [
        ABOVE.replace("net(x)", "net(x).detach()"),
        ABOVE.replace("made = net(x)\n", "").replace(":\n", ":\n    made = net(x)\n"),
    ]
    assert rewrites(ABOVE, made=PLAIN) == []
    assert rewrites(ABOVE.replace("net(x)\n", "net(x); other = 1\n"), made=RESULT) == []
    assert rewrites(ABOVE.replace("made = net(x)\n", ""), made=RESULT) == []
    inner = "for part in parts:\n" + "".join(f"    {s}\n" for s in ABOVE.splitlines())
    assert rewrites(inner, made=RESULT) == []  # it is made in a loop already
    assert (
        rewrites(
            ABOVE.replace("made = ", "made = other = ").replace("- made", "- made - other"),
            made=RESULT,
            other=RESULT,
        )
        == []
    )


@pytest.mark.parametrize(
    ("facts", "has"),
    [(RESULT, True), (PAIR, True), (PLAIN, False), (Variable(type="int"), False), (None, False)],
)
def test_a_tensor_with_a_history_has_a_graph(facts: Variable | None, has: bool) -> None:
    assert has_graph(facts) is has
