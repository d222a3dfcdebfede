"""knowledge/repair/toolkit/losses.py: what of a loss has many elements."""

from __future__ import annotations

import libcst as cst
import pytest

from executor.protocol import ErrorSeen, Frame, JobResult, Outcome, Variable
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.losses import reduction_left_out, with_many

RUN = JobResult(
    outcome=Outcome.ERROR,
    error=ErrorSeen(type="RuntimeError", message="no", line=1, code="x"),
    frames=(
        Frame(
            line=1,
            function="<module>",
            locals={
                "rate": Variable(type="float"),
                "one": Variable(type="Tensor", shape=()),
                "many": Variable(type="Tensor", shape=(3,)),
            },
        ),
    ),
)


def given(code: str) -> tuple[Failed, cst.BaseExpression]:
    """A program, and what its last line gives `x`."""
    program = Failed(code + "\n", RUN)
    return program, max(program.all(cst.Assign), key=program.line).value


@pytest.mark.parametrize(
    ("value", "term"),
    [
        ("(a - b) ** 2 + 0.1 * w.norm()", "(a - b) ** 2"),
        ("0.1 + (a - b)", "(a - b)"),
        ("many + one", "many"),
        ("many - rate * one", "many"),
        ("many + torch.sum(w) + 1", "many"),
        ("many + w.sum(1)", "many + w.sum(1)"),  # of a dimension: it may have many too
        ("many + torch.sum(w, 1)", "many + torch.sum(w, 1)"),
        ("many + w.abs()", "many + w.abs()"),
        ("many + unknown", "many + unknown"),
        ("many * 2", "many * 2"),
        ("many", "many"),
    ],
)
def test_a_number_beside_a_term_is_not_to_count_for_each_element(value: str, term: str) -> None:
    program, made = given(f"x = {value}")

    assert program.module.code_for_node(with_many(program, made)) == term


@pytest.mark.parametrize(
    ("code", "left_out"),
    [
        ('x = F.mse_loss(a, b, reduction="none")', True),
        ('x = nn.MSELoss(reduction="none")(a, b)', True),
        ('criterion = nn.L1Loss(reduction="none")\nx = criterion(a, b)', True),
        ('self.loss = nn.L1Loss(reduction="none")\nx = self.loss(a, b)', True),
        ('x = F.mse_loss(a, b, reduction="sum")', False),
        ("x = F.mse_loss(a, b)", False),
        ('x = F.mse_loss(a, b, reduction="none") * 2', False),
        ('x = combine(a, b, reduction="none")', False),  # none of torch's
        ('other = nn.L1Loss(reduction="none")\nx = criterion(a, b)', False),
    ],
)
def test_a_loss_for_each_element_is_asked_for(code: str, left_out: bool) -> None:
    assert reduction_left_out(*given(code)) is left_out
