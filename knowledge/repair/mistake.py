"""The Mistake that a run shows: an error, caught or not, or findings that count as one."""

import re
from dataclasses import dataclass

from executor.protocol import Caught, ErrorSeen, Finding, JobResult


@dataclass(frozen=True)
class Mistake:
    """What the original run did wrong: an error (caught or not), or findings without one."""

    error: ErrorSeen | Caught | None
    findings: frozenset[tuple[str, str]]  # (kind, name)
    provoked: tuple[Caught, ...] = ()  # what it had caught by then: `try: wrong() except: print`

    @property
    def is_there(self) -> bool:
        """Whether there is anything to fix."""
        return self.error is not None or bool(self.findings)


NO_MISTAKE = Mistake(None, frozenset())


def mistake(result: JobResult) -> Mistake:
    """What a run shows to be wrong.

    The error that ended the run comes first, unless the snippet itself raised it while handling
    another one: that one is the mistake. Then the first one that the snippet caught itself, if
    PyTorch raised it (`try: import apex` is no mistake).
    """
    last = result.error
    error: ErrorSeen | Caught | None = last
    raised = [c for c in result.caught if c.origin == "torch"]
    if last is None:
        error = next(iter(raised), None)
    elif last.origin == "raise" and last.masks:
        error = next((c for c in raised if c.message == last.masks), last)
    # An error of the handler's own is another matter: there, the first one is still open.
    before = result.caught if isinstance(error, ErrorSeen) and not error.masks else ()
    return Mistake(
        error, frozenset((f.kind, f.name) for f in result.findings if f.mistake), tuple(before)
    )


def without_numbers(message: str) -> str:
    """The beginning of a message, to compare with another run's."""
    return re.sub(r"\d+", "#", message)[:120]


def findings_left(after: JobResult) -> tuple[Finding, ...]:
    """The findings of a run that are mistakes, the first of each kind: one may have many names."""
    first: dict[str, Finding] = {}
    for f in after.findings:
        if f.mistake:
            first.setdefault(f.kind, f)
    return tuple(first.values())


_ACTIVATION = re.compile(r"softmax|sigmoid|tanh|relu")


def without_what_is_shown(after: JobResult, before: JobResult, code: str) -> JobResult:
    """A fix's run without the findings of what the code says by a name or a label that it shows.

    "Loss with softmax", `class NetWithSoftmax`: who mends an error of such a program leaves the
    softmax where it is. What the first run found already is another matter: that is asked about.
    """
    known = mistake(before).findings
    kept = [f for f in after.findings if (f.kind, f.name) in known or not _is_shown(f, code)]
    return after.model_copy(update={"findings": tuple(kept)})


def _is_shown(finding: Finding, code: str) -> bool:
    word = _ACTIVATION.search(finding.kind)
    if word is None:
        return False
    named = rf"^\s*(?:class|def)\s+\w*{word[0]}|\bprint\([^#\n]*[\"'][^\"'\n]*{word[0]}"
    return re.search(named, code, re.IGNORECASE | re.MULTILINE) is not None


def leaves_less(after: JobResult, than: JobResult) -> bool:
    """Whether a run shows a part of the findings that another one shows, and nothing else."""
    return mistake(after).error is None and mistake(after).findings < mistake(than).findings


def only(result: JobResult, wrong: Mistake) -> JobResult:
    """A run's result without the findings that are of another mistake than this one."""
    kept = (f for f in result.findings if (f.kind, f.name) in wrong.findings)
    return result.model_copy(update={"findings": tuple(kept)})
