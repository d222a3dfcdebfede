"""knowledge/repair/toolkit/keeps.py: what a fix has to keep, also in other words."""

from __future__ import annotations

import pytest

from executor.protocol import ErrorSeen, JobResult, Outcome
from knowledge.repair.codemod import Proposal
from knowledge.repair.toolkit.keeps import computed

ERROR = ErrorSeen(type="RuntimeError", message="no", line=1, code="torch.bmm(a, b)")
RUN = JobResult(outcome=Outcome.ERROR, error=ERROR)


@pytest.mark.parametrize(
    ("code", "passed"),
    [
        ("c = torch.bmm(a, b)", True),
        ("c = torch.matmul(a, b)", True),
        ("c = torch.bmm(a, b.t())", True),
        ("c = torch.mm(a, b)", False),
        ("c = torch.matmul(b, a)", False),
        ("c = torch.matmul(a, b).detach()", False),
    ],
)
def test_what_failed_is_still_computed_as_it_was_or_by_what_may_stand_there(
    code: str, passed: bool
) -> None:
    keep = computed(instead=(("bmm", "matmul"),))
    found = keep(ERROR, RUN, RUN, Proposal(codemod="a", title="", code=code))

    assert found.passed is passed, found.detail


def test_without_another_word_only_the_own_one_counts() -> None:
    proposal = Proposal(codemod="a", title="", code="c = torch.matmul(a, b)")

    assert not computed()(ERROR, RUN, RUN, proposal).passed
    assert computed(instead=(("bmm", "matmul"),))(None, RUN, RUN, proposal).passed
