"""knowledge/repair/checks/runs/fresh_warnings.py: what a fix may warn of that was not said."""

from __future__ import annotations

import pytest

from executor.protocol import Influence, WarningSeen
from knowledge.repair.checks.runs.fresh_warnings import check
from tests.built import failed, ran, warned
from tests.knowledge.repair.checks.runs.looked import BEFORE, op, tried

SIZE = warned(
    "Using a target size (torch.Size([4])) that is different to the input size "
    "(torch.Size([4, 1])). This will likely lead to incorrect results"
)
OTHER_SIZE = warned(SIZE.message.replace("4", "32"))
NOT_A_LEAF = warned("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.")
NO_INPUT = warned("None of the inputs have requires_grad=True. Gradients will be None")
SLOW = warned("enable_nested_tensor is True, but it is slow")


def on(line: int, category: str = "UserWarning", message: str = "something new") -> WarningSeen:
    return WarningSeen(category=category, message=message, line=line)


@pytest.mark.parametrize(
    ("after", "before", "passes"),
    [
        ([], [], True),
        ([SIZE], [], False),
        ([NOT_A_LEAF], [], True),  # what it shows is looked at by another check
        ([NO_INPUT], [], False),
        ([SLOW], [], True),  # where the run had not been
        ([SIZE], [SIZE], True),
        ([SIZE], [OTHER_SIZE], True),
        ([SIZE], [SLOW], False),
        ([SLOW, SIZE], [], False),
        ([on(2)], [], False),  # a line that was changed
        ([on(2, "RuntimeWarning")], [], False),
        ([on(2, "TracerWarning")], [], False),  # a trace keeps what is computed as a constant
        ([on(3, "TracerWarning")], [], True),
        ([on(2, "FutureWarning")], [], True),
        ([on(3)], [], True),
        ([on(2, message="CSR support is in beta state")], [], True),
        ([on(2, message="a Prototype feature")], [], True),
        ([on(2, message="experimental")], [], True),
        ([on(2, message="it is deprecated")], [], True),
        ([on(2, message="for performance reasons")], [], True),
        ([on(2, message="this is slower")], [], True),
        ([on(2, message="alphabetary")], [], False),
        ([on(2, message=SIZE.message + " deprecated")], [], False),
        ([on(2)], [on(3)], True),
        ([on(2)], [on(3, "RuntimeWarning")], False),
    ],
)
def test_a_new_warning_that_tells_of_a_mistake(after, before, passes):
    """After an error the run goes further; of mistakes it may not warn all the same."""
    made = tried(before=failed("it failed", line=2, warnings=tuple(before)),
                 ran_after=ran(warnings=tuple(after)))  # fmt: skip

    assert check(made).passed is passes


def test_without_an_error_another_check_looks():
    """There, nothing new is allowed at all."""
    assert check(tried(before=ran(), ran_after=ran(warnings=(SIZE,)))).passed
    assert not check(tried(before=BEFORE, ran_after=ran(warnings=(SIZE,)))).passed


@pytest.mark.parametrize(
    ("failing", "kind", "line", "passes"),
    [
        ("loss.backward()", "grad", 2, True),  # what follows was there before
        ("optimizer.step()", "grad", 2, True),
        ("loss.backward(retain_graph=True)", "grad", 2, True),
        ("loss.backward()", "layout", 2, False),  # the changed line makes another shape
        ("loss.backward()", "expanded", 2, False),
        ("loss.backward()", "outer", 2, False),
        ("loss.backward()", "layout", 3, True),
        ("model(x)", "grad", 2, False),  # its value is what is warned of
        ("loss.backward().step(x)", "grad", 2, True),
        ("x = backward(y)", "grad", 2, False),
    ],
)
def test_a_warning_of_lines_that_come_later(failing, kind, line, passes):
    """Where the failing line gives no value, and nothing of another shape is made, it is theirs."""
    before = failed("it failed", line=2, code=failing)
    made = tried(Influence(operations=(op(kind, line=line),)), before=before,
                 ran_after=ran(warnings=(SIZE.model_copy(update={"line": 3}),)))  # fmt: skip

    assert check(made).passed is passes


def test_what_was_not_looked_at_excuses_nothing():
    """Which shapes the changed lines made is not known."""
    before = failed("it failed", line=2, code="loss.backward()")
    late = ran(warnings=(SIZE.model_copy(update={"line": 3}),))

    assert not check(tried(before=before, ran_after=late)).passed


def test_a_line_that_is_only_indented_anew_makes_nothing():
    """The `view` was there before."""
    before = failed("it failed", line=3, code="loss.backward()")
    made = tried(Influence(operations=(op("layout", line=1),)), before=before,
                 original="with no_grad():\n    x.view(2)\n    loss.backward()\nthird()\n",
                 fixed="x.view(2)\nloss.backward()\nthird()\n",
                 ran_after=ran(warnings=(SIZE.model_copy(update={"line": 3}),)))  # fmt: skip

    assert check(made).passed


@pytest.mark.parametrize(
    ("fixed", "passes"),
    [
        ("second().detach()", False),
        ("float(second().item())", False),
        ("second(2)", True),
        ("second().view(2)", True),
    ],
)
def test_what_is_taken_out_of_the_graph_a_trace_keeps_as_a_constant(fixed, passes):
    """Whichever line it warns of."""
    made = tried(
        before=failed("it failed", line=2),
        ran_after=ran(warnings=(on(3, "TracerWarning"),)),
        fixed=f"first()\n{fixed}\nthird()\n",
    )
    assert check(made).passed is passes
