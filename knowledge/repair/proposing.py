"""The job that asks operators for edits: the program fails once more, and its values are alive.

Like a codemod's rewrite an edit is made in the jail. The program runs in a fork there, and the
operators look at it in that fork; it sends back texts. Their checks of the code are made outside
of it, in a process that has run nothing of the person's.
"""

import base64
import re
import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from executor.protocol import File, Job, JobResult, Model, Probe, Trial
from knowledge.repair.budget import MOST_S
from knowledge.repair.codemod import ORDER, PROPOSALS, Proposal, Proposed, propose, read_proposals
from knowledge.repair.further import is_further_down
from knowledge.repair.mistake import without_numbers
from knowledge.repair.operator import Failure, Live, Operator, load_operators
from knowledge.repair.printed import kept

_READ_BYTES = 64 * 1024  # of code
_MOST_OF_ONE = 12  # edits of one operator
_MOST = 60  # edits in all
_FAILS_S = 10.0  # by the clock: the program until its error, and the operators after it
_TRIALS_S = 3.0  # of computing, for all trials; for three of a program that takes longer
_MOST_TRIALS_S = 9.0
_TIMES = 4.0  # how many times as long as the failing run a trial may take
_AT_LEAST_S = 0.7
_COMPARED = 4096  # characters of what was printed
_WALL_S = 20.0
_ORDER, _PROPOSED = "edit-order.json", "edits.json"
# All the code of such a job. The executor's part is handed over here: it is no import of ours.
PROPOSE_EDITS = (
    "from executor.inside.edits import looking, trials\n"
    "from knowledge.repair.proposing import propose_edits\n"
    "propose_edits(looking.at_the_failure, trials.try_programs)\n"
)
# The same of one that asks the codemods first, and the operators where they offer nothing.
PROPOSE_EITHER = PROPOSE_EDITS.replace("propose_edits", "propose_either")


class _Order(Model):
    """What goes into the jail: the operators, the program's job, and what its run showed."""

    operators: tuple[str, ...]
    job: Job
    result: JobResult
    asked: str = ""
    left_s: float = MOST_S  # of computing, after which no edit is run any more


class AtTheFailure(Protocol):
    """Runs a program in a fork until it fails, and calls something with its dead frames there."""

    def __call__(
        self, job: Job, look: Callable[[Live], bytes], longest_s: float, /
    ) -> bytes | None:
        """What `look` gives; None where the program did not fail, or took too long."""


TryPrograms = Callable[[Sequence[Job], float, float], "list[Trial | None]"]


def edits_job(
    operators: Sequence[Operator],
    job: Job,
    result: JobResult,
    asked: str = "",
    left_s: float = MOST_S,
) -> Job:
    """The job that asks operators for edits of a program that failed.

    Args:
        operators: those to ask.
        job: the program's.
        result: what its run showed.
        asked: the person's own words.
        left_s: of computing, for whatever is still to be run: when that is spent the trials end.
    """
    order = _Order(
        operators=tuple(o.slug for o in operators),
        job=job.model_copy(update={"files": (), "probes": ()}),
        result=result.model_copy(update={"files": (), "values": None, "influence": None}),
        asked=asked,
        left_s=left_s,
    )
    text = base64.b64encode(order.model_dump_json().encode()).decode()
    return Job(
        code=PROPOSE_EDITS,
        files=(*job.files, File(name=_ORDER, base64=text)),
        wall_s=_WALL_S,
        probes=(Probe.NONE,),
        program=job.code,
    )


def either_job(codemods: Job, edits: Job) -> Job | None:
    """One job for both: the operators are asked only where no codemod offers what may be run.

    Args:
        codemods: the job that asks the codemods.
        edits: the job that asks the operators.

    Returns:
        the job; None where the program has a file of a name that the codemods' job needs.
    """
    names = {file.name for file in codemods.files} | {PROPOSALS}
    if names & {file.name for file in edits.files}:
        return None
    return edits.model_copy(
        update={
            "code": PROPOSE_EITHER,
            "files": (*codemods.files, *edits.files),
            "wall_s": codemods.wall_s + edits.wall_s,
        }
    )


def answered(result: JobResult) -> tuple[bool, bool]:
    """Whether a job for either has an answer of the codemods; and one of the operators."""
    names = {file.name for file in result.files}
    return PROPOSALS in names, _PROPOSED in names


def read_edits(result: JobResult) -> Proposed:
    """What `propose_edits` wrote; where it could not, the problem that its run had."""
    return read_proposals(result, _PROPOSED, "no operator could propose an edit")


# -- in the jail -----------------------------------------------------------------------------


def propose_edits(
    at_the_failure: AtTheFailure, try_programs: TryPrograms, folder: Path = Path()
) -> None:
    """Read the order, ask the operators where the program fails, try, check, write. In the jail."""
    began_s = _computed_by_forks_s()
    order = _Order.model_validate_json((folder / _ORDER).read_bytes())
    (folder / _ORDER).unlink()
    proposed = Proposed()
    if len(order.job.code.encode(errors="replace")) <= _READ_BYTES:
        told = at_the_failure(
            order.job, lambda live: _ask(order, live).model_dump_json().encode(), _FAILS_S
        )
        if told is not None:
            proposed = Proposed.model_validate_json(told)
            left_s = order.left_s - (_computed_by_forks_s() - began_s)
            tried = _tried(order, proposed.proposals, try_programs, left_s)
            checked = tuple(p.checked(order.job.code, order.result, order.asked) for p in tried)
            proposed = proposed.model_copy(update={"proposals": checked})
    (folder / _PROPOSED).write_text(proposed.model_dump_json())


def propose_either(
    at_the_failure: AtTheFailure, try_programs: TryPrograms, folder: Path = Path()
) -> None:
    """Ask the codemods; the operators where no code of theirs passes its checks. In the jail."""
    propose(folder)
    text = (folder / PROPOSALS).read_bytes()
    for name in (ORDER, PROPOSALS):  # a program that lists its folder sees its own files
        (folder / name).unlink()
    offered = Proposed.model_validate_json(text).proposals
    if not any(all(c.passed for c in p.checks) for p in offered):
        propose_edits(at_the_failure, try_programs, folder)
    (folder / PROPOSALS).write_bytes(text)


def _tried(
    order: _Order, proposals: Sequence[Proposal], try_programs: TryPrograms, left_s: float
) -> list[Proposal]:
    """The edits that get past the error, the cheapest first; those not reached are left out.

    Half of the `left_s` seconds of computing is kept for the runs that follow.
    """
    each_s = _AT_LEAST_S + _TIMES * min(order.result.seconds, 2.0)
    all_s = max(_TRIALS_S, min(3 * each_s, _MOST_TRIALS_S))
    jobs = [order.job.model_copy(update={"code": p.code}) for p in proposals]
    most_s = min(all_s, left_s / 2)
    trials = try_programs(jobs, min(each_s, most_s), most_s) if left_s > 0 else []
    return [
        p.model_copy(update={"trial": trial})
        for p, trial in zip(proposals, trials, strict=False)
        if trial is not None and _gets_further(order, p.code, trial)
    ]


def _computed_by_forks_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _brings(order: _Order, code: str, message: str) -> bool:
    """Whether an undefined name stands in an edit more often than in what was posted, or in
    neither.
    """
    name = message.partition("'")[2].partition("'")[0]
    word = re.compile(rf"\b{re.escape(name)}\b")
    posted = len(word.findall(order.job.code))
    return not posted or len(word.findall(code)) > posted


def _gets_further(order: _Order, code: str, trial: Trial) -> bool:
    """Whether a trial of an edit ended, or raised something else than the program had raised."""
    before = order.result
    if trial.ok:
        return bool(kept(before.stdout[:_COMPARED], trial.stdout, before.error))
    error = before.error
    if error is None or trial.type in ("Timeout", "SyntaxError"):
        return False
    if trial.type == "NameError" and _brings(order, code, trial.message):
        return False
    if (trial.type, without_numbers(trial.message)) != (error.type, without_numbers(error.message)):
        return True
    if not before.frames or not trial.lines:
        return False
    was = before.frames[0].line, before.frames[-1].line
    return is_further_down(was, (trial.lines[0], trial.lines[-1]), order.job.code, code)


def _ask(order: _Order, live: Live) -> Proposed:
    """What the operators propose. Runs in the fork in which the program failed."""
    failure = Failure(order.job.code, order.result, live, order.asked)
    wanted = [o for o in load_operators() if o.slug in order.operators]
    proposed = edits_of(wanted, failure)
    alive = tuple(p for p in proposed.proposals if not _falls(failure, p.code))
    return proposed.model_copy(update={"proposals": alive})


def _falls(failure: Failure, code: str) -> bool:
    """Whether an edit of the failing expression alone raises the same error in the dead frame."""
    expression = _edited_expression(failure, code)
    if expression is None:
        return False
    try:
        failure.live.value(f"({expression})")
    except Exception as e:
        said = without_numbers(failure.error.message)
        return (type(e).__name__, without_numbers(str(e))) == (failure.error.type, said)
    return False


def _edited_expression(failure: Failure, code: str) -> str | None:
    """The failing expression as an edit has it; None where the edit reaches beyond it."""
    node = failure.node
    if node is None or failure.writes(node):
        return None
    before, after = failure.around(node)
    if not (code.startswith(before) and code.endswith(after)):
        return None
    return code[len(before) : len(code) - len(after)]


def edits_of(operators: Sequence[Operator], failure: Failure) -> Proposed:
    """The distinct edits of all operators, the cheapest first; one that raises is named."""
    code = failure.module.code
    found: dict[str, Proposal] = {}
    problems: list[str] = []
    for operator in operators:
        own = 0
        try:
            for rewrite in operator.module.edits(failure):
                proposal = Proposal.of(operator.slug, rewrite)
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
