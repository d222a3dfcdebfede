"""Find sizes that make the numbers of a message come true.

The error is there already, with other numbers. Which size of which tensor a number depends on is
found by trials: sizes are set to the message's numbers, and height and width are searched for,
together (a square picture) or as two factors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from executor.errors import family_of
from executor.inside.placeholders.losses import TARGET
from executor.inside.rebuild.candidate import Candidate, Leaf
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.judge import Nearness, nearness
from executor.inside.rebuild.steps import distance, fits
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Text

Try = Callable[[Candidate], Outcome]
_NUMBER = re.compile(r"\d+")
_CROPS = re.compile(r"(?:Resize|Crop|resize)\w*\(\s*\(?\s*(\d{1,4})")
_MODEL = re.compile(r"(.{0,20}_stubs\.Model\()(\d+)([,)].*)")
_LARGEST = 1024  # height and width that are tried
_MOST_ELEMENTS = 16_000_000
_ROWS = frozenset({"rows", "batch", "labels"})  # what a message calls the size of a batch
_OF_A_LOSS = "loss_sizes"  # what the code computed, against what came with it
_BATCHES = (1, 64, 32, 16, 8, 4, 2, 128, 100, 256)
_THIN = 2  # samples, while a height and width are searched for


class Solver:
    """Sizes for one posted message."""

    def __init__(self, posted: Posted, code: str, attempt: Try) -> None:
        self._posted = posted
        self._try = attempt
        self._crops = [int(n) for n in _CROPS.findall(code)]
        seen = posted.family
        self._wanted = _numbers(seen.values) if seen is not None else {}

    def solve(self, candidate: Candidate, seen: Outcome) -> tuple[Candidate, Outcome]:
        """The candidate with the best sizes that were found, and what it raised."""
        best, outcome = candidate, seen
        for _ in range(4):
            if nearness(self._posted, outcome) is Nearness.EXACT:
                break
            better = self._better(best, outcome)
            if better is None:
                break
            best, outcome = better
        return best, outcome

    def _better(self, at: Candidate, seen: Outcome) -> tuple[Candidate, Outcome] | None:
        matched = self._matched(seen)
        ways = [self._set(at, seen), self._searched(at, seen)]
        if self._posted.id == _OF_A_LOSS:
            ways = [self._as_many_samples(at), *ways[::-1]]
        for made in chain(*ways):
            outcome = self._try(made)
            if self._matched(outcome) > matched:
                return made, outcome
        return None

    def _as_many_samples(self, at: Candidate) -> Iterator[Candidate]:
        """As many as the loss has targets, which come as they are."""
        rows = self._wanted.get(("target", 0))
        for leaf in at.leaves() if rows else ():
            if len(leaf.tensor.shape) > 1:
                at = at.with_leaf(leaf, leaf.tensor.with_rows(rows or 1))
        yield at

    @property
    def _counts_elements(self) -> bool:
        """Whether the message counts the elements of a whole batch."""
        return self._posted.id == "view_size"

    def _matched(self, seen: Outcome) -> int:
        """How many of the posted numbers a trial's message has in place; -1: another error."""
        if nearness(self._posted, seen) < Nearness.SAME_FAMILY:
            return -1
        if nearness(self._posted, seen) is Nearness.EXACT:
            return 1000
        now = self._values(seen)
        return sum(now.get(place) == number for place, number in self._wanted.items())

    def _values(self, seen: Outcome) -> dict[tuple[str, int], int]:
        family = family_of(seen.type, seen.message)
        return _numbers(family.values) if family is not None else {}

    def _leaves(self, at: Candidate, seen: Outcome) -> list[Leaf]:
        """The tensors whose sizes may matter, the nearest to the error first."""
        return sorted(at.leaves(seen.read), key=lambda leaf: distance(leaf, seen, self._posted))[:3]

    def _set(self, at: Candidate, seen: Outcome) -> Iterator[Candidate]:
        """Shapes set to the posted ones, sizes to the numbers that are still wrong."""
        for shape in filter(fits, self._posted.shapes[:3]):
            for leaf in self._leaves(at, seen):
                if len(shape) == len(leaf.tensor.shape) and shape != leaf.tensor.shape:
                    yield at.with_leaf(leaf, replace(leaf.tensor, shape=shape))
        now = self._values(seen)
        wrong = sorted({n for p, n in self._wanted.items() if now.get(p) not in (None, n)})
        wrong = [n for n in wrong if 0 < n <= 4096]
        for n in wrong[:5]:
            for old in _sizes(at, seen):
                made = _replaced(at, seen, old, n)
                if made != at:
                    yield made
        for name, given in at.values:
            if name in seen.read and given.value.expression.isdigit():
                for n in wrong[:5]:
                    yield at.with_value(name, Text(str(n)), "message")
            made_model = _MODEL.match(given.value.expression)
            if made_model is None or name not in seen.read:
                continue
            for n in wrong[:5]:
                text = Text(
                    f"{made_model[1]}{n}{made_model[3]}", f"a small module with output [batch, {n}]"
                )
                yield at.with_value(name, text, "message")
        leaves = self._leaves(at, seen)
        for leaf in leaves:
            for side in self._crops if len(leaf.tensor.shape) >= 3 else ():
                yield _resized(at, leaf, {-1: side, -2: side})
        for leaf in leaves:
            for dim in range(len(leaf.tensor.shape)):
                is_side = len(leaf.tensor.shape) > 3 and dim > len(leaf.tensor.shape) - 3
                for n in wrong[:5] if self._posted.shapes or not is_side else ():
                    if leaf.tensor.shape[dim] != n and not (is_side and n > _LARGEST):
                        yield _resized(at, leaf, {dim: n})

    def _searched(self, at: Candidate, seen: Outcome) -> Iterator[Candidate]:
        """Sizes found by search for one of the numbers that are still wrong."""
        now = self._values(seen)
        # Rows are a batch times what the sides leave, so the sides come first.
        for place, number in sorted(self._wanted.items(), key=lambda item: item[0][0] in _ROWS):
            if now.get(place) in (None, number):
                continue
            for leaf in self._leaves(at, seen):
                if self._posted.id == _OF_A_LOSS and TARGET.search(leaf.name):
                    continue  # it comes as it is
                rank = len(leaf.tensor.shape)
                groups = [(-2, -1), (-1,), (-2,), (0,)] if rank >= 3 else [(0,), (-1,)][:rank]
                groups = groups[::-1] if place[0] in _ROWS else groups
                for dims in groups:
                    yield from self._for_number(at, leaf, dims, place, number)

    def _for_number(
        self, at: Candidate, leaf: Leaf, dims: tuple[int, ...], place: tuple[str, int], number: int
    ) -> Iterator[Candidate]:
        known: dict[int, int] = {}
        of_rows = place[0] in _ROWS or (self._posted.id == _OF_A_LOSS and place[1] == 0)
        thin = _thinned(at, leaf) if 0 not in dims and not of_rows else at

        def value(side: int) -> int | None:
            if side not in known:
                made = _resized(thin, _same(thin, leaf), dict.fromkeys(dims, side))
                outcome = self._try(made)
                if nearness(self._posted, outcome) < Nearness.SAME_FAMILY:
                    return None
                got = self._values(outcome).get(place)
                if got is None:
                    return None
                known[side] = got
            return known[side]

        # A size that fits raises nothing, so it has no value: its neighbours have.
        least = (1, 2, 4) if 0 in dims else ()  # a batch may be of one
        sides = (*least, 8, 16, 32, 64, 128, 256, 512, _LARGEST)
        low = next((side for side in sides if value(side) is not None), None)
        if low is None or (value(low) or 0) > number:
            return
        high = next((s for s in sides if s > low and (value(s) or 0) >= number), None)
        if high is None:
            return
        while high - low > 1 and value(high) != number:
            middle = (low + high) // 2
            got = value(middle)
            if got is None and middle + 1 < high:
                middle += 1
                got = value(middle)
            if got is None:
                break
            low, high = (low, middle) if got >= number else (middle, high)
        side = high if value(high) == number else low if value(low) == number else None
        if side is not None:
            for base in dict.fromkeys((at, thin)):
                yield _resized(base, _same(base, leaf), dict.fromkeys(dims, side))
        elif len(dims) == 2:
            yield from self._pictures(at, thin, leaf, known, number)

    def _pictures(
        self, at: Candidate, thin: Candidate, leaf: Leaf, known: dict[int, int], number: int
    ) -> Iterator[Candidate]:
        """Height and width, and perhaps a batch, for a number: channels times two factors."""
        channels = math.gcd(*known.values())
        while channels > 1 and any(not _square(n // channels) for n in known.values()):
            channels -= 1
            while channels > 1 and any(n % channels for n in known.values()):
                channels -= 1
        if number % channels or any(not _square(n // channels) for n in known.values()):
            return
        sides = {side: math.isqrt(n // channels) for side, n in known.items()}
        points = sorted(sides.items())
        (s0, o0), (s1, o1) = points[0], points[-1]
        if o1 == o0:
            return
        slope = (s1 - s0) / (o1 - o0)
        rows = _same(thin, leaf).tensor.shape[0]
        for batch in _BATCHES if not channels % rows and self._counts_elements else ():
            per_sample = channels // rows
            if number % (batch * per_sample) or not _square(number // (batch * per_sample)):
                continue
            side = round(s0 + slope * (math.isqrt(number // (batch * per_sample)) - o0))
            for more in (0, 1, -1, 2):
                sized = _resized(at, leaf, {0: batch, -2: side + more, -1: side + more})
                yield _with_rows(sized, leaf, batch)
        area = number // channels
        pairs = [(a, area // a) for a in range(1, math.isqrt(area) + 1) if area % a == 0]
        for a, b in reversed(pairs[-3:]):
            height, width = (round(s0 + slope * (o - o0)) for o in (a, b))
            for more in (0, 1, -1, 2, -2, 3):
                for also in (0, 1, -1, 2, -2, 3):
                    yield _resized(at, leaf, {-2: height + more, -1: width + also})


def _sizes(at: Candidate, seen: Outcome) -> list[int]:
    """The sizes that several values share, such as the batch."""
    sizes = [n for leaf in at.leaves(seen.read) for n in leaf.tensor.shape]
    numbers = [
        int(given.value.expression)
        for name, given in at.values
        if name in seen.read and given.value.expression.isdigit()
    ]
    shared = [n for n in dict.fromkeys((*numbers, *sizes)) if n > 1]
    return [n for n in shared if (*sizes, *numbers).count(n) > 1 or n in numbers][:4]


def _replaced(at: Candidate, seen: Outcome, old: int, new: int) -> Candidate:
    """One size replaced wherever it stands."""
    made = at
    for leaf in list(at.leaves(seen.read)):
        shape = tuple(new if n == old else n for n in leaf.tensor.shape)
        is_picture = len(shape) > 2 and new > _LARGEST
        if shape != leaf.tensor.shape and not is_picture and math.prod(shape) <= _MOST_ELEMENTS:
            made = made.with_leaf(leaf, replace(leaf.tensor, shape=shape))
    for name, given in at.values:
        if name in seen.read and given.value.expression == str(old):
            made = made.with_value(name, Text(str(new)), "message")
    return made


def _square(n: int) -> bool:
    return math.isqrt(n) ** 2 == n


def _with_rows(at: Candidate, leaf: Leaf, rows: int) -> Candidate:
    """With as many samples in what goes with a batch."""
    before = leaf.tensor.shape[0]
    for other in list(at.leaves()):
        if other.tensor.shape[:1] == (before,) and (other.name, other.part) != leaf[:2]:
            shape = (rows, *other.tensor.shape[1:])
            at = at.with_leaf(other, replace(other.tensor, shape=shape))
    return at


def _thinned(at: Candidate, leaf: Leaf) -> Candidate:
    """With few samples wherever that batch stands: each size is tried in less time."""
    batch = leaf.tensor.shape[0] if len(leaf.tensor.shape) > 2 else 0
    made = at
    for other in list(at.leaves()) if batch > _THIN else ():
        if other.tensor.shape[:1] == (batch,):
            shape = (_THIN, *other.tensor.shape[1:])
            made = made.with_leaf(other, replace(other.tensor, shape=shape))
    return made


def _same(at: Candidate, leaf: Leaf) -> Leaf:
    """A leaf as another candidate has it."""
    return next(o for o in at.leaves() if (o.name, o.part) == (leaf.name, leaf.part))


def _resized(at: Candidate, leaf: Leaf, sizes: dict[int, int]) -> Candidate:
    shape = list(leaf.tensor.shape)
    for dim, size in sizes.items():
        shape[dim] = max(1, size)
    if math.prod(shape) > _MOST_ELEMENTS:
        return at
    return at.with_leaf(leaf, replace(leaf.tensor, shape=tuple(shape)))


def _numbers(values: object) -> dict[tuple[str, int], int]:
    """Every number of a message by its place: the value's name, and its position there."""
    found: dict[tuple[str, int], int] = {}
    for name, said in dict(values).items():  # type: ignore[call-overload]
        for n, number in enumerate(_NUMBER.findall(said)):
            found[(name, n)] = int(number[:9])
    return found
