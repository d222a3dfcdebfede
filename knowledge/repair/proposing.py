"""The job that asks operators for edits: the program fails once more, and its values are alive.

Like a codemod's rewrite an edit is made in the jail. The program runs in a fork there, and the
operators look at it in that fork; it sends back texts. Their checks of the code are made outside
of it, in a process that has run nothing of the person's.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from executor.protocol import File, Job, JobResult, Model, Probe
from knowledge.repair.codemod import Proposal, Proposed, Rewrite
from knowledge.repair.operator import Failure, Live, Operator, load_operators

_READ_BYTES = 64 * 1024  # of code
_MOST_OF_ONE = 12  # edits of one operator
_MOST = 60  # edits in all
_FAILS_S = 6.0  # by the clock: the program until its error, and the operators after it
_WALL_S = 20.0
_ORDER, _PROPOSED = "edit-order.json", "edits.json"
# All the code of such a job. The executor's part is handed over here: it is no import of ours.
PROPOSE_EDITS = (
    "from executor.inside.edits import looking\n"
    "from knowledge.repair.proposing import propose_edits\n"
    "propose_edits(looking.at_the_failure)\n"
)


class _Order(Model):
    """What goes into the jail: the operators, the program's job, and what its run showed."""

    operators: tuple[str, ...]
    job: Job
    result: JobResult
    asked: str = ""


class AtTheFailure(Protocol):
    """Runs a program in a fork until it fails, and calls something with its dead frames there."""

    def __call__(
        self, job: Job, look: Callable[[Live], bytes], longest_s: float, /
    ) -> bytes | None:
        """What `look` gives; None where the program did not fail, or took too long."""


def edits_job(operators: Sequence[Operator], job: Job, result: JobResult, asked: str = "") -> Job:
    """The job that asks operators for edits of a program that failed.

    Args:
        operators: those to ask.
        job: the program's.
        result: what its run showed.
        asked: the person's own words.
    """
    order = _Order(
        operators=tuple(o.slug for o in operators),
        job=job.model_copy(update={"files": (), "probes": ()}),
        result=result.model_copy(update={"files": (), "values": None, "influence": None}),
        asked=asked,
    )
    text = base64.b64encode(order.model_dump_json().encode()).decode()
    return Job(
        code=PROPOSE_EDITS,
        files=(*job.files, File(name=_ORDER, base64=text)),
        wall_s=_WALL_S,
        probes=(Probe.NONE,),
    )


def read_edits(result: JobResult) -> Proposed:
    """What `propose_edits` wrote; where it could not, the problem that its run had."""
    for file in result.files:
        if file.name == _PROPOSED:
            try:
                return Proposed.model_validate_json(base64.b64decode(file.base64))
            except ValidationError:
                break
    error = result.error
    why = f"{error.type}: {error.message}" if error else result.detail or result.outcome.value
    return Proposed(problems=(f"no operator could propose an edit: {why}",))


# -- in the jail -----------------------------------------------------------------------------


def propose_edits(at_the_failure: AtTheFailure, folder: Path = Path()) -> None:
    """Read the order, ask the operators where the program fails, check, and write. In the jail."""
    order = _Order.model_validate_json((folder / _ORDER).read_bytes())
    (folder / _ORDER).unlink()
    proposed = Proposed()
    if len(order.job.code.encode(errors="replace")) <= _READ_BYTES:
        told = at_the_failure(
            order.job, lambda live: _ask(order, live).model_dump_json().encode(), _FAILS_S
        )
        if told is not None:
            proposed = Proposed.model_validate_json(told)
            checked = tuple(_checked(order, p) for p in proposed.proposals)
            proposed = proposed.model_copy(update={"proposals": checked})
    (folder / _PROPOSED).write_text(proposed.model_dump_json())


def _ask(order: _Order, live: Live) -> Proposed:
    """What the operators propose. Runs in the fork in which the program failed."""
    from knowledge.repair.toolkit.edits import Program

    failure = Failure(Program(order.job.code), order.result, live, order.asked)
    wanted = [o for o in load_operators() if o.slug in order.operators]
    return edits_of(wanted, failure)


def edits_of(operators: Sequence[Operator], failure: Failure) -> Proposed:
    """The distinct edits of all operators, the cheapest first; one that raises is named."""
    code = failure.program.module.code
    found: dict[str, Proposal] = {}
    problems: list[str] = []
    for operator in operators:
        own = 0
        try:
            for rewrite in operator.module.edits(failure):
                proposal = _proposal(operator, rewrite)
                known = found.get(proposal.code)
                if proposal.code != code and (known is None or known.cost > proposal.cost):
                    found[proposal.code] = proposal
                own += 1
                if own >= _MOST_OF_ONE:
                    break
        except Exception as e:
            problems.append(operator.problem("edits", e))
    cheapest = sorted(found.values(), key=lambda p: p.cost)[:_MOST]
    return Proposed(proposals=tuple(cheapest), problems=tuple(problems))


def _proposal(operator: Operator, rewrite: Rewrite) -> Proposal:
    return Proposal(
        codemod=operator.slug,
        title=rewrite.title,
        intent=rewrite.intent,
        subjects=rewrite.subjects,
        said=rewrite.said,
        new_name=rewrite.new_name,
        as_one=rewrite.as_one,
        cost=rewrite.cost,
        code=rewrite.module.code,
    )


def _checked(order: _Order, proposal: Proposal) -> Proposal:
    """With what the two codes say, and its one spelling; in a process that ran nothing else."""
    from knowledge.repair.checks.code import Change, checks_of_code
    from knowledge.repair.toolkit.comparison import form

    change = Change(
        order.job.code, proposal.code, order.result, order.asked, proposal.title, proposal.intent
    )
    return proposal.model_copy(
        update={
            "form": sha256(form(proposal.code).encode()).hexdigest(),
            "checks": tuple(checks_of_code(change)),
        }
    )
