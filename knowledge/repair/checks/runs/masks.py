"""A mask stays beside what it masks: its rows are the rows of the input."""

from executor.protocol import ModuleCall, Operation
from knowledge.repair.changed import lines_of
from knowledge.repair.check import Passes, Said, refusing
from knowledge.repair.checks.runs import Tried, influence, operations

_TURNS = {"t", "T", "mT", "transpose", "permute", "swapaxes", "swapdims", "movedim"}


@refusing("masks", "masks have the rows of what they mask")
def check(tried: Tried) -> Said:
    """No changed line turns a mask whose rows were those of the input that it masks."""
    if any(turns_to_time(c) for c in tried.after.calls):
        yield Passes("the model has its batch second")
    changed = lines_of(tried.original, tried.fixed).changed
    turned = [
        o
        for o in operations(tried.after)
        if o.name in _TURNS and o.line in changed and _is_turned(o)
    ]
    for c in influence(tried.after).sequences:
        for name, shape in c.masks.items():
            for o in turned:
                agreed = any(i[:2] == o.inputs[0] for i in c.inputs if len(i) > 2)
                if "padding" in name and o.output == shape and agreed:
                    yield f"line {o.line} turns `{name}`, whose rows were those of the input"


def turns_to_time(c: ModuleCall) -> bool:
    """Whether a model takes its batch second, and gives one row for each sample."""
    return c.time_first and c.inputs[1:2] == c.outputs[:1] != c.inputs[:1]


def _is_turned(o: Operation) -> bool:
    shape = o.inputs[0] if o.inputs else ()
    return len(shape) == 2 and o.output == shape[::-1]
