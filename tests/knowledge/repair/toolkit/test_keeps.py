"""knowledge/repair/toolkit/keeps.py: what a fix has to keep, also in other words."""

from __future__ import annotations

import pytest

from executor.protocol import ErrorSeen, JobResult, Outcome
from knowledge.repair.codemod import Proposal
from knowledge.repair.toolkit.keeps import asked, computed, still_called, written

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


def _fix(code: str) -> Proposal:
    return Proposal(codemod="a", title="", code=code)


@pytest.mark.parametrize(
    ("failed", "code", "passed"),
    [
        ("f(x)", "y = f(x).clone()", True),
        ("f(x)", "y = f(x)", False),  # what has to stand there does not
        ("f(x)", "y = f(x).detach().clone()", False),  # what must not come in does
        ("f(x.detach())", "y = f(x.detach()).clone()", True),  # it was there before
    ],
)
def test_a_pattern_stands_in_the_code_and_another_does_not_come_in(
    failed: str, code: str, passed: bool
) -> None:
    keep = written("copy", "it is", "it is not", has=r"\.clone\(", lacks=r"\.detach\(")
    found = keep(ERROR.model_copy(update={"code": failed}), RUN, RUN, _fix(code))

    assert (found.passed, found.detail) == (passed, "it is" if passed else "it is not")


@pytest.mark.parametrize(
    ("code", "passed"),
    [
        ("torch.bmm(a,\n          b)", True),
        ("a = a[None]\ntorch.bmm(a, b)", True),
        ("torch.bmm(a[None], b)", False),
    ],
)
def test_what_failed_is_still_asked_for_word_for_word(code: str, passed: bool) -> None:
    assert asked(ERROR, RUN, RUN, _fix(code)).passed is passed


@pytest.mark.parametrize(
    ("failed", "code", "passed"),
    [
        ("net(x)", "y = net(x, mask)", True),
        ("y = net(x)", "y = net(x, mask)", True),
        ("net(x)", "y = other.net(x)", False),
        ("net(x)", "y = subnet(x)", False),
        ("Net.forward(x)", "y = Net()(x)", True),  # an object of it is made first
        ("x + 1", "y = x", True),  # nothing was called
    ],
)
def test_what_failed_is_still_called(failed: str, code: str, passed: bool) -> None:
    error = ERROR.model_copy(update={"code": failed})

    assert still_called(error, RUN, RUN, _fix(code)).passed is passed
