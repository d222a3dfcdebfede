"""Checks that codemods share, on what two runs computed: their backwards and their tensors."""

import re
from collections.abc import Iterable

from executor.protocol import Backward, JobResult
from knowledge.repair.check import Check, Passes, Said, refusing
from knowledge.repair.fingerprints import same_values


def backwards(result: JobResult) -> tuple[Backward, ...]:
    """The backwards of a run that was asked for its gradients."""
    return result.values.backwards if result.values is not None else ()


@refusing("gradients", "every backward reaches its leaves")
def reaches_leaves(after: JobResult, *, wanted: bool = True) -> Said:
    """Every backward leaves gradients behind, and not only in the loss itself.

    Args:
        after: the rewritten snippet's run.
        wanted: a run without any backward fails.
    """
    ran = backwards(after)
    if not ran:
        yield "no backward ran" if wanted else Passes("no backward in this snippet", tried=False)
    for b in ran:
        if not b.grads:
            yield f"backward at line {b.line} reaches no leaf"
        if b.is_leaf:
            yield f"backward at line {b.line} starts from a leaf and ends there"


def same_gradients(before: JobResult, after: JobResult) -> Check:
    """Every gradient that the first run's backwards had left behind is there again."""
    old = backwards(before)
    had = [g for b in old for g in b.grads]
    have = [g for b in backwards(after)[: len(old)] for g in b.grads]
    equal = len(had) == len(have) and all(same_values(a, b) for a, b in zip(had, have, strict=True))
    return Check.of("gradients", equal, "the gradients are as before", "the gradients changed")


@refusing("leaves", "gradients go back to where they begin")
def same_leaves(before: JobResult, after: JobResult, asked: Iterable[str] = ()) -> Said:
    """Gradients arrive where they could before, not in a leaf made on the way.

    Args:
        before: the run that ended in an error, with its frames.
        after: the rewritten snippet's run.
        asked: variables that now ask for a gradient on purpose.
    """
    known = {n: v for frame in before.frames for n, v in frame.locals.items()}
    for b in backwards(after):
        for name in b.leaves:
            was = known.get(name)
            if was is not None and was.requires_grad is False and name not in asked:
                yield f"the gradient ends in `{name}`, a leaf made on the way"


def moves(after: JobResult, name: str) -> Check:
    """An optimizer moves a parameter, found by its attribute: `scales` for `scales[0]`."""
    attribute = name.partition("[")[0]
    moved = any(attribute in path.split(".") for path in after.moved)
    told = f"`{name}` is in the optimizer and moves", f"`{name}` does not move"
    return Check.of("learns", moved, *told)


@refusing("values", "every value is as it was")
def same_tensors(before: JobResult, after: JobResult, code: str, but: Iterable[str] = ()) -> Said:
    """Tensors at module level that the first run had made hold the same values now.

    After training they may not: then nothing is compared.

    Args:
        before: a run that ended in an error, asked for its values.
        after: the rewritten snippet's run.
        code: the rewritten snippet: what it assigns below the error is left out.
        but: names that may change.
    """
    if before.values is None or after.values is None or after.trained:
        yield Passes("nothing to compare with", tried=False)
        return
    line = before.error.line if before.error is not None else None
    line = before.frames[0].line if before.frames else line  # at module level
    lines = code.splitlines()
    # What a loop binds may be another round's value; only indented lines can be in one.
    rest = "\n".join([*lines[(line or 1) - 1 :], *(s for s in lines if s[:1].isspace())])
    rest += "".join(f"\n{s}" for s in lines if s.startswith("for "))
    old, new = before.values.tensors, after.values.tensors
    for n in old:
        may_change = n in but or any(_written(own, rest) for own in (n, *_shared(n, code)))
        if not may_change and (n not in new or not same_values(old[n], new[n])):
            yield f"`{n}` holds other values"


def _shared(name: str, code: str) -> list[str]:
    """Arrays whose memory a tensor has: what is written into them is written into it."""
    return re.findall(
        rf"^{re.escape(name)}\s*=\s*torch\.(?:from_numpy|as_tensor)\((\w+)\)", code, re.M
    )


def _written(name: str, code: str) -> bool:
    """Whether some code assigns a variable or writes into it."""
    own = re.escape(name.partition(".")[0])
    patterns = (
        rf"\b{own}\b(?:\.data\b)?(\[[^\n]*\])?\s*(,[^=\n]*)?([-+*/@%&|^]|\*\*|//)?=(?!=)",
        rf"\b{own}(\.data)?\.(?!requires_grad_)\w+_\(",
        rf"\bfor [^\n]*\b{own}\b[^\n]* in ",
    )
    return any(re.search(p, code) for p in patterns)
