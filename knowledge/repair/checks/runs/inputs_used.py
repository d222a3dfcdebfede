"""What reached the output still reaches it: no input is computed and then ignored."""

from executor.protocol import ModuleTrial
from knowledge.repair.check import Passes, Said, refusing
from knowledge.repair.checks.runs import Tried, influence


@refusing("inputs used", "every input reaches the output")
def check(tried: Tried) -> Said:
    """A module's output depends on its input, and on as much of it as before."""
    was = {t.module: t for t in influence(tried.reference).trials if not t.note}
    trials = [t for t in influence(tried.after).trials if not t.note and t.slices]
    trials = [t for t in trials if t.module != "GraphModule"]  # traced: its model is tried itself
    for t in trials:
        if not any(s.used for s in t.slices) and _depends(was.get(t.module)):
            yield f"{t.module} at line {t.line} returns the same whatever its input is"
        old = {(s.argument, s.dim): s for s in was[t.module].slices} if t.module in was else {}
        for s in t.slices:
            before = old.get((s.argument, s.dim))
            if before is not None and s.tried == before.tried and s.used < before.used:
                yield f"parts of {t.module}'s input at line {t.line} influence nothing any more"
            rows = s.dim == 0 and 0 in t.apart + t.mixed and len(t.inputs[0]) > 1
            if before is None and rows and 0 < s.used < s.tried:
                yield f"some samples of {t.module}'s input at line {t.line} influence nothing"
    if not trials:
        yield Passes("no module could be tried again", tried=False)


def _depends(old: ModuleTrial | None) -> bool:
    """Whether the original's module depended on its input, or was not seen to ignore it."""
    return old is None or any(s.used for s in old.slices)
