"""What one trial adds to a snippet: a value for each name, and calls of what is only defined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from executor.inside.rebuild.values import Batches, Tensor, Value
from executor.protocol import Bound, Glue

Evidence = Literal["posted", "message", "use", "usual"]


class Leaf(NamedTuple):
    """One tensor of a candidate: a name's own, or a part of its batches."""

    name: str
    part: int | None
    tensor: Tensor


@dataclass(frozen=True)
class Given:
    """A name's value, and where it comes from."""

    value: Value
    evidence: Evidence = "use"


@dataclass(frozen=True)
class Candidate:
    """Everything that one trial adds."""

    values: tuple[tuple[str, Given], ...] = ()
    first: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    header: str = ""
    simulate: bool = False
    program: int = 0  # of the order's: 0 is the post as it is
    resources: bool = False  # data, files and weights that are not here get one of their form

    def get(self, name: str) -> Given | None:
        """A name's value."""
        return next((given for known, given in self.values if known == name), None)

    def with_value(self, name: str, value: Value, evidence: Evidence) -> Candidate:
        """The same with one value changed or added."""
        rest = [(n, g) for n, g in self.values if n != name]
        return replace(self, values=tuple(sorted([*rest, (name, Given(value, evidence))], key=_by)))

    def with_leaf(self, leaf: Leaf, tensor: Tensor, evidence: Evidence = "message") -> Candidate:
        """The same with one tensor changed."""
        given = self.get(leaf.name)
        if leaf.part is None or given is None or not isinstance(given.value, Batches):
            return self.with_value(leaf.name, tensor, evidence)
        parts = list(given.value.parts)
        parts[leaf.part] = (parts[leaf.part][0], tensor)
        return self.with_value(leaf.name, replace(given.value, parts=tuple(parts)), evidence)

    def leaves(self, read: frozenset[str] | None = None) -> Iterator[Leaf]:
        """Its tensors; with `read` only those of these names."""
        for name, given in self.values:
            if read is not None and name not in read:
                continue
            if isinstance(given.value, Tensor):
                yield Leaf(name, None, given.value)
            elif isinstance(given.value, Batches):
                for n, (_, tensor) in enumerate(given.value.parts):
                    yield Leaf(name, n, tensor)

    def glue(self, read: frozenset[str]) -> Glue:
        """It as a glue, with the names that were read alone."""
        return Glue(
            before=tuple(
                Bound(
                    name=name,
                    expression=given.value.expression,
                    what=given.value.words,
                    evidence=given.evidence,
                )
                for name, given in self.values
                if name in read
            ),
            first=self.first,
            after=self.after,
            modules=self.modules,
            header=self.header,
            resources=self.resources,
        )


def _by(item: tuple[str, Given]) -> str:
    return item[0]
