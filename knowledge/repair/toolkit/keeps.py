"""What a fix has to keep: checks that a codemod or an operator names in a constant.

    KEEPS = (computed(may_go=("transpose",)), layers)

`knowledge.repair.codemod.checks_of_module` asks them, before a function `checks` of the module.
"""

import re
from collections.abc import Callable, Collection

from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal
from knowledge.repair.computed import reaches_leaves, same_gradients, same_tensors
from knowledge.repair.toolkit import losses, shapes

Error = ErrorSeen | Caught | None
Keep = Callable[[Error, JobResult, JobResult, Proposal], Check]


def computed(
    *,
    allowed: Collection[str] = (),
    may_go: Collection[str] = (),
    instead: Collection[tuple[str, str]] = (),
) -> Keep:
    """The expression that failed is still computed.

    Args:
        allowed, may_go: words, as `still_computed` takes them.
        instead: what may stand in the expression now: a pattern for what stood there, and that.
    """

    def keep(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
        first = found = shapes.still_computed(error, proposal.code, allowed=allowed, may_go=may_go)
        for was, now in instead:
            if error is None or found.passed:
                break
            code = re.sub(was, now, error.code, count=1, flags=re.DOTALL)
            other = error.model_copy(update={"code": code})
            found = shapes.still_computed(other, proposal.code, allowed=allowed, may_go=may_go)
        return found if found.passed else first

    return keep


def written(name: str, told: str, otherwise: str, *, has: str = "", lacks: str = "") -> Keep:
    """A pattern stands in the code, and none of another that the failing expression has not.

    Args:
        name, told, otherwise: of the check, as `Check.of` takes them.
        has: the pattern that has to stand there.
        lacks: the one that must not come in.
    """

    def keep(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
        own = re.search(lacks, error.code) if error is not None else None
        bent = lacks and own is None and re.search(lacks, proposal.code)
        return Check.of(name, re.search(has, proposal.code) and not bent, told, otherwise)

    return keep


def asked(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """The expression that raised the error still stands in the code: what it needs came to it."""
    code = "".join(error.code.split()) if error is not None else ""
    kept = code in "".join(proposal.code.split())
    return Check.of("asked", kept, "what failed is still asked for", "it is no longer asked for")


def still_called(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """The function whose call raised the error is still called."""
    found = re.match(r"(?:[\w.]+\s*=\s*)?([\w.]+)\(", error.code if error is not None else "")
    name, new = found[1] if found is not None else "", proposal.code
    kept = re.search(rf"(?<![\w.]){re.escape(name)}\s*\(", new) if name else True
    kept = kept or f"{name.removesuffix('.forward')}()(" in new
    return Check.of("called", kept, "it is still called", f"`{name}` is no longer called")


def layers(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """Every layer of the model is still there."""
    return shapes.same_layers(before, after)


def numbers(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """No tensor lost or gained elements."""
    return shapes.same_numbers(before, after, proposal.code)


def alive(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """No loss is stuck at zero."""
    return losses.loss_alive(after)


def tensors(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """Tensors hold the values that they had, but for the rewrite's subjects."""
    return same_tensors(before, after, proposal.code, proposal.subjects)


def gradients(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """Every gradient that was computed is computed again."""
    return same_gradients(before, after)


def backwards(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """A backward runs, and each one reaches its leaves."""
    return reaches_leaves(after)


def leaves(error: Error, before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    """If a backward runs, it reaches its leaves."""
    return reaches_leaves(after, wanted=False)
