"""Results of runs that never took place, for tests of what is decided from a run."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from executor.protocol import (
    Caught,
    Environment,
    ErrorSeen,
    File,
    Finding,
    Job,
    JobResult,
    Outcome,
    Probe,
    WarningSeen,
)
from knowledge.repair.codemod import PROPOSE, Proposal, Proposed, read_proposals
from knowledge.repair.proposing import PROPOSE_EDITS, PROPOSE_EITHER
from knowledge.repair.telling import PROPOSE_TELLING, Telling

SEEN = Environment(torch="2.13.0")  # the probes' report could be read


def ran(**facts: Any) -> JobResult:
    """A run that reached its end."""
    return JobResult(**{"outcome": Outcome.OK, "env": SEEN} | facts)


def error(message: str, type: str = "RuntimeError", **facts: Any) -> ErrorSeen:
    """The exception that ended a run."""
    return ErrorSeen(**{"type": type, "message": message, "line": 1} | facts)


def failed(message: str, type: str = "RuntimeError", **facts: Any) -> JobResult:
    """A run that ended with an exception; `line`, `code` … are the error's."""
    of_the_error = ("line", "code", "origin", "masks", "traceback", "demonstrated")
    own = {key: facts.pop(key) for key in of_the_error if key in facts}
    return ran(**{"outcome": Outcome.ERROR, "error": error(message, type, **own)} | facts)


def caught(message: str, type: str = "RuntimeError", **facts: Any) -> Caught:
    """An exception of PyTorch's that the snippet caught itself."""
    return Caught(**{"type": type, "message": message, "line": 1, "origin": "torch"} | facts)


def found(kind: str, name: str = "w", *, program_wide: bool = False) -> Finding:
    """A mistake that a probe saw."""
    return noted(kind, name).model_copy(update={"mistake": True, "program_wide": program_wide})


def noted(kind: str, name: str = "w") -> Finding:
    """A note of a probe's: a fact, and no mistake."""
    return Finding(kind=kind, line=1, name=name, message=f"{kind}: {name}")


def warned(message: str, category: str = "UserWarning") -> WarningSeen:
    """A warning that the run gave."""
    return WarningSeen(category=category, message=message)


class RecordedExecutor:
    """Answers jobs from a table instead of running them; a job that is not in it is a KeyError.

    Only a look at a run's influence, or at its statements, that is not in the table shows nothing.

    RecordedExecutor({"print(1)": ran(stdout="1")})
    RecordedExecutor({("net(x)", "stand_ins"): failed("…")})  # the job with this option or probe

    Args:
        runs: what a job does, by its code alone or with its options and probes.
        proposals: what the codemods propose for a code, or the run in which they failed.
        edits: what the operators propose for a code, or the run in which they failed.
        tellings: how a code tells of the error that it shows on purpose.
    """

    def __init__(
        self,
        runs: Mapping[Any, JobResult],
        proposals: Mapping[str, Sequence[Proposal] | JobResult] | None = None,
        edits: Mapping[str, Sequence[Proposal] | JobResult] | None = None,
        tellings: Mapping[str, Telling] | None = None,
    ) -> None:
        self._runs = runs
        self._tellings = tellings or {}
        self._proposals = proposals or {}
        self._edits = edits or {}
        self.asked_for_edits: list[str] = []  # the codes
        self.asked_for_proposals: list[str] = []
        self.looked_again: list[str] = []  # only for its influence
        self.asked: list[Job] = []  # without the jobs that asked for proposals

    @property
    def tried(self) -> list[str]:
        """The codes that were run, in their order; one that is run again, unseen, counts once."""
        looked = {job.code for job in self.asked if Probe.INFLUENCE in job.probes[1:]}
        again = [job for job in self.asked if job.code in looked and len(job.probes) == 1]
        return [job.code for job in self.asked if job not in again]

    async def run(self, job: Job) -> JobResult:
        """The recorded result."""
        if job.code == PROPOSE:
            return self._propose(job)
        if job.code == PROPOSE_EDITS:
            return self._propose_edits(job)
        if job.code == PROPOSE_EITHER:
            proposed = self._propose(job)
            if any(all(c.passed for c in p.checks) for p in read_proposals(proposed).proposals):
                return proposed
            edits = self._propose_edits(job)
            return ran(files=(*proposed.files, *edits.files))
        if job.code == PROPOSE_TELLING:
            return self._tell(job)
        if job.probes == (Probe.INFLUENCE,):
            self.looked_again.append(job.code)
            if (job.code, "influence") not in self._runs:
                return ran()
        again = any(known.code == job.code for known in self.asked)
        known_so = (job.code, "statements") in self._runs
        if again and job.probes == (Probe.STATEMENTS,) and not known_so:
            return ran()
        self.asked.append(job)
        if Probe.INFLUENCE in job.probes[1:]:  # a run that is looked at besides
            seen = self._runs.get((job.code, "influence"))
            if seen is not None:
                return seen
            job = job.model_copy(update={"probes": job.probes[:-1]})
        options = [name for name in ("stand_ins", "other_choices") if getattr(job, name)]
        options += [job.simulate] if job.simulate is not None else []
        options += [f"{job.gpus} GPUs"] if job.gpus > 1 else []
        key = (job.code, *options, *job.probes)
        return self._runs[key if key in self._runs else job.code]

    def _propose(self, job: Job) -> JobResult:
        order = json.loads(base64.b64decode(job.files[0].base64))
        self.asked_for_proposals.append(order["code"])
        proposed = self._proposals.get(order["code"], ())
        if isinstance(proposed, JobResult):
            return proposed
        rows = tuple(p for p in proposed if p.codemod in order["codemods"])
        text = base64.b64encode(Proposed(proposals=rows).model_dump_json().encode()).decode()
        return ran(files=(File(name="proposals.json", base64=text),))

    def _tell(self, job: Job) -> JobResult:
        telling = self._tellings.get(json.loads(base64.b64decode(job.files[0].base64))["code"])
        if telling is None:
            return ran()
        text = base64.b64encode(telling.model_dump_json().encode()).decode()
        return ran(files=(File(name="telling.json", base64=text),))

    def _propose_edits(self, job: Job) -> JobResult:
        order = json.loads(base64.b64decode(job.files[-1].base64))
        code = order["job"]["code"]
        self.asked_for_edits.append(code)
        proposed = self._edits.get(code, ())
        if isinstance(proposed, JobResult):
            return proposed
        rows = tuple(p for p in proposed if p.codemod in order["operators"])
        text = base64.b64encode(Proposed(proposals=rows).model_dump_json().encode()).decode()
        return ran(files=(File(name="edits.json", base64=text),))
