"""knowledge/repair/stops.py: a run that gets past the mistake and stops by no fault of the code."""

from __future__ import annotations

import pytest

from executor.protocol import Cut, JobResult, Limit, Outcome
from knowledge.repair import verify
from knowledge.repair.stops import stop_of
from tests.built import failed, ran
from tests.conftest import Ask

OLD = "a = f(x)\nb = open('w.pt')\n"
NEW = "a = f(x.float())\nb = open('w.pt')\n"
BEFORE = failed("dtypes differ", line=1, code="f(x)")
STOPPED = failed("No such file", type="FileNotFoundError", line=2, code="open('w.pt')")
TIMEOUT = ran(outcome=Outcome.TIMEOUT, limit=Limit(name="cpu_s", value=10), seconds=10.0)
CUT = ran(cut=Cut(steps=9, seconds=8), seconds=8.0)


def why(run: JobResult) -> str:
    """As the bot says it."""
    if run.outcome is Outcome.TIMEOUT:
        return "it was stopped after 10 s; make it smaller"
    if run.outcome is Outcome.OUT_OF_MEMORY:
        return "it wanted more memory"
    is_file = run.error is not None and run.error.type == "FileNotFoundError"
    return "it reads `w.pt` (line 2), which is not here; attach it" if is_file else ""


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (STOPPED, "at line 2: it reads `w.pt`, which is not here"),
        (TIMEOUT, "after 10 s"),
        (
            TIMEOUT.model_copy(update={"outcome": Outcome.OUT_OF_MEMORY}),
            "because it wanted more memory",
        ),
        (TIMEOUT.model_copy(update={"seconds": 0.5}), ""),  # perhaps before it came there
        (BEFORE, ""),  # the mistake is still there
        (failed("another mistake", line=2, code="open('w.pt')"), ""),  # the code's own
        (STOPPED.model_copy(update={"stdout": "", "outcome": Outcome.KILLED}), ""),
        (ran(), ""),  # it reached its end
        (CUT, "after 9 training steps, where its time was up"),
        (CUT.model_copy(update={"seconds": 0.5}), ""),
    ],
)
def test_only_what_is_not_the_codes_stops_a_fix_in_part(after: JobResult, reason: str):
    """One row for each way to stop."""
    assert stop_of(BEFORE, after, OLD, NEW, why) == reason


def test_a_finding_is_never_shown_in_part():
    """A mistake that raised nothing may come after the place where the run stopped."""
    assert stop_of(ran(), STOPPED, OLD, NEW, why) == ""


def test_a_change_that_is_not_needed_is_seen_where_both_runs_stop():
    """With the place undone it stops at the same file: the mistake is not back."""
    wrong = verify.mistake(BEFORE)

    assert verify.undone([BEFORE], wrong, stopped=STOPPED).passed
    assert not verify.undone([STOPPED], wrong, stopped=STOPPED).passed


CAST_THEN_FILE = """\
import torch
rows = torch.arange(12).reshape(4, 3)
A = torch.eye(3) * 2
solved = torch.linalg.solve(A, rows.T)
print(solved.shape)
weights = torch.load("weights.pt")
"""


async def test_a_fix_before_a_missing_file_is_partly_shown_and_never_verified(ask: Ask):
    """The answer says so in these words; the status stays `reproduced`."""
    answer = await ask(f"what is wrong here?\n```python\n{CAST_THEN_FILE}```")
    (fix,) = answer.alternatives

    assert answer.status == "reproduced" and answer.fix is None
    assert (fix.shown, fix.verified) == ("partly", False)
    assert "rows.T.float()" in fix.code
    assert "Partly shown: `rows.T` is to be float32 here" in answer.headline
    assert (
        "the error is gone, and the checks that could be made hold; the run then stops at line "
        "6: it reads `weights.pt`, which is not here." in answer.headline
    )
    assert answer.alternatives[0].result is not None
