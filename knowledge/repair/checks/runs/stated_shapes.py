"""A shape that a comment states is the shape that is printed, or that its line makes."""

from collections.abc import Iterator

from knowledge.repair.changed import lines_of
from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried, influence
from knowledge.repair.stated import contradicts, is_printed, stated_results, stated_shapes


@refusing("stated shapes", "shapes are as the comments say")
def check(tried: Tried) -> Iterator[str]:
    """What comments say of printed shapes and of results holds, where it did not fail before."""
    for printed in stated_shapes(tried.original):
        if not is_printed(printed, tried.after.stdout):
            yield f"a comment says that {printed} is printed, and it is not"
    lines = lines_of(tried.original, tried.fixed)
    made, was = influence(tried.after).results, influence(tried.reference).results
    for line, said in stated_results(tried.fixed):
        shape = made.get(line)
        before = was.get(lines.same.get(line, 0))
        if shape is not None and shape != before and contradicts(said, shape, tried.fixed):
            yield f"line {line} makes {list(shape)}, and a comment says ({', '.join(said)})"
