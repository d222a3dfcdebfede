"""The search: one job of the jail, in which every trial is a forked process.

It is for the posted error; where none was posted, for values with which the code runs to its end.
Best first: a candidate that came nearer to the posted error is changed before one that did not,
a likelier change is tried before an unlikelier one. It ends with the posted error, or with its
time.
"""

from __future__ import annotations

import ast
import heapq
import itertools
import re
import resource
import time
from dataclasses import replace
from pathlib import Path

from executor.inside.placeholders.losses import TARGET
from executor.inside.placeholders.names import undefined_names
from executor.inside.placeholders.run_placeholders import NEW
from executor.inside.rebuild import trial
from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.drive import drives
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.grounds import made_up
from executor.inside.rebuild.judge import Nearness, nearness
from executor.inside.rebuild.mutate import steps
from executor.inside.rebuild.propose import Proposals
from executor.inside.rebuild.reasons import Met, out_of_reach, why_not
from executor.inside.rebuild.solve import Solver
from executor.inside.rebuild.source import Source, sources
from executor.inside.rebuild.special import prepared
from executor.inside.rebuild.trial import Outcome, Program
from executor.inside.rebuild.values import Value
from executor.protocol import REBUILD_ORDER, REBUILT, SNIPPET, RebuildOrder, Rebuilt

_MOST_TRIALS = 250
_PATIENCE = 60  # trials without coming any nearer
_MORE = 30  # … where it is there already, with other numbers
_FAR = 3  # the cost of what is not followed then
_FOR_SIZES = 1.6  # times the budget, where only the numbers are not the posted ones yet
_CLOCK = 4  # times the budget of computing that it may take by the clock, on a busy machine
_IN_VAIN = 0.6  # how much unlikelier all is that follows a change which changed nothing
_FURTHER = 0.7  # … and how much likelier what follows one that let it run further
_OF_OTHERS = 0.3  # how much unlikelier a program is than the one before
_OF_A_PART = 1.5  # … and the call of a class that another class makes

_WHOLE_FIRST = 10  # trials in which no program comes to the posted line, before a part of one

_INSTANCE = re.compile(rf"\b{NEW}(\w+)")
_Way = tuple[int, tuple[str, ...]]  # a program, and what calls its definitions


def search(folder: Path = Path()) -> None:
    """Read the order, search, and write what was found. Runs in the jail."""
    order = RebuildOrder.model_validate_json((folder / REBUILD_ORDER).read_bytes())
    found = Search(order).run()
    (folder / REBUILT).write_text(found.model_dump_json())


class Search:
    """One search."""

    def __init__(self, order: RebuildOrder) -> None:
        self._order = order
        self._began = time.monotonic()
        self._computed_before_s = _computed_s()
        self._trials = 0
        self._sources: dict[int, Source] = {}
        self._begun: dict[_Way, Candidate] = {}
        self._proposals: dict[_Way, Proposals] = {}
        self._programs: dict[_Way, Program] = {}
        self._seen: set[Candidate] = set()
        self._shown: dict[Candidate, list[tuple[Candidate, Outcome]]] = {}
        self._met = Met()
        self._reached: tuple[Candidate, Outcome] | None = None
        self._to_end = not (order.error.type or order.error.message)

    def run(self) -> Rebuilt:
        """Search until the posted error comes up or the time is over."""
        found = sources(self._order)
        # The imports that a name stands for (`Trainer`) are no part of the search's time.
        self._began, self._computed_before_s = time.monotonic(), _computed_s()
        if not found:
            return Rebuilt(why_not="no_python")
        self._sources = {source.number: source for source in found}
        obstacles = [out_of_reach(source.posted) for source in found]
        if all(obstacles):
            return Rebuilt(why_not=obstacles[0])
        best = self._best_first()
        spent = time.monotonic() - self._began
        if best is None:
            why = why_not(found[0].posted, self._met)
            return Rebuilt(trials=self._trials, seconds=spent, seen=self._met.last, why_not=why)
        candidate, seen = best
        source = self._sources[candidate.program]
        posted = source.posted
        glue = candidate.glue(seen.read)
        if self._to_end:  # no message was posted that anything could come from
            used = (bound.model_copy(update={"evidence": "use"}) for bound in glue.before)
            glue = glue.model_copy(update={"before": tuple(used)})
            doubtful = False
        else:
            doubtful = made_up(posted, candidate, seen, self._try_while_time)
        return Rebuilt(
            glue=glue,
            program=source.program,
            simulate="cuda" if candidate.simulate else None,
            exact=self._nearness(posted, seen) is Nearness.EXACT,
            made_up=doubtful,
            left_out=source.left_out,
            excerpt=source.excerpt,
            trials=self._trials,
            seconds=time.monotonic() - self._began,
        )

    def _posted(self, candidate: Candidate) -> Posted:
        return self._sources[candidate.program].posted

    def _best_first(self) -> tuple[Candidate, Outcome] | None:
        counter = itertools.count()
        queue: list[tuple[float, int, Candidate, Outcome]] = []
        best: tuple[Candidate, Outcome] | None = None
        held_back: list[tuple[float, Candidate]] = []

        def push(cost: float, candidate: Candidate, before: Outcome) -> None:
            if candidate not in self._seen:
                self._seen.add(candidate)
                heapq.heappush(queue, (cost, next(counter), candidate, before))

        for k, source in enumerate(self._sources.values()):
            for n, (start, of_a_part) in enumerate(self._starts(source)):
                if source.excerpt:
                    held_back.append((0.4 * n, start))
                else:
                    push(_OF_OTHERS * k + 0.4 * n + _OF_A_PART * of_a_part, start, Outcome())
        nearest, at = Nearness.NOTHING, 0
        reach = set(self._order.reach)
        while (queue or held_back) and self._has_time():
            far = self._trials >= _WHOLE_FIRST and nearest < Nearness.SAME_LINE
            near_enough = best is not None or self._reached is not None
            tired = self._trials - at >= (_MORE if near_enough else _PATIENCE)
            if held_back and best is None and (far or tired or not queue):
                for cost, start in held_back:
                    push(cost, start, Outcome())
                held_back, at = [], self._trials
            elif tired or not queue:
                break
            cost, _, candidate, before = heapq.heappop(queue)
            posted = self._posted(candidate)
            seen = self._try(candidate)
            candidate = self._with_made(candidate, seen)
            near = self._nearness(posted, seen)
            if near > nearest:
                nearest, at = near, self._trials
            if reach and reach <= seen.ran and near is not Nearness.EXACT:
                self._keep_the_furthest(candidate, seen)
            if self._to_end and near is Nearness.EXACT and not reach:
                return None if _does_nothing(candidate, seen) else self._plainest(candidate, seen)
            if self._to_end and near is Nearness.EXACT:
                return self._plainest(candidate, seen)
            if near >= Nearness.REBUILT:
                code = self._sources[candidate.program].code
                solver = Solver(posted, code, self._try_while_time)
                candidate, seen = solver.solve(candidate, seen)
                if self._stands(candidate, seen):
                    candidate, seen = self._plainest(candidate, seen)
                    if self._nearness(posted, seen) is Nearness.EXACT:
                        return candidate, seen
                    best = best or (candidate, seen)
                    if cost > _FAR:
                        break
            self._met.note(candidate, seen, posted)
            nearer = max(0, near - Nearness.OTHER) if not seen.ok else 0.4
            cost += _IN_VAIN * ((before.type, before.message) == (seen.type, seen.message))
            cost -= _FURTHER * gets_further(before, seen, posted)
            for step in steps(candidate, seen, posted):
                if self._to_end and step.candidate.modules and not reach:
                    continue  # a library that does nothing says nothing of the code
                push(cost + step.weight + 0.3 - 0.5 * nearer, step.candidate, seen)
        return best or self._reached

    def _keep_the_furthest(self, candidate: Candidate, seen: Outcome) -> None:
        """Of what comes to the line that is to be reached, what goes on for the most lines."""
        classes = ((n, g) for n, g in self._begun[_way(candidate)].values if _is_class(g.value))
        if any(candidate.get(name) != given for name, given in classes):
            return  # what is written like a class is one, however far something else would lead
        if self._reached is None or len(seen.ran) > len(self._reached[1].ran):
            self._reached = candidate, seen

    def _with_made(self, candidate: Candidate, seen: Outcome) -> Candidate:
        """With the attributes that were asked for and that nobody had foreseen."""
        proposals = self._proposals[_way(candidate)]
        for name in seen.read:
            if candidate.get(name) is None:
                given = proposals.of(name)
                candidate = candidate.with_value(name, given.value, given.evidence)
        return candidate

    def _plainest(self, candidate: Candidate, seen: Outcome) -> tuple[Candidate, Outcome]:
        """Take back every change of a value that the error does not need."""
        posted = self._posted(candidate)
        near = self._nearness(posted, seen)
        begun = self._begun.get(_way(candidate), candidate)
        plainer = [
            candidate.with_value(name, given.value, given.evidence)
            for name, given in begun.values
            if name in seen.read and candidate.get(name) != given
        ]
        before = {(leaf.name, leaf.part): leaf.tensor for leaf in begun.leaves(seen.read)}
        parts = [
            (leaf, before[leaf.name, leaf.part])
            for leaf in candidate.leaves(seen.read)
            if leaf.part is not None
            and before.get((leaf.name, leaf.part), leaf.tensor) != leaf.tensor
        ]
        for made in plainer:
            outcome = self._try_while_time(made)
            if self._nearness(posted, outcome) >= near:
                return self._plainest(made, outcome)
        for leaf, tensor in parts:
            made = candidate.with_leaf(leaf, tensor, "use")
            outcome = self._try_while_time(made)
            if self._nearness(posted, outcome) >= near:
                candidate, seen = made, outcome
        return candidate, seen

    def _stands(self, candidate: Candidate, seen: Outcome) -> bool:
        """Whether the error is more than a lazy value's: it stays where all values require grad."""
        posted = self._posted(candidate)
        if posted.id != "no_graph":
            return True
        varied = candidate
        for leaf in list(candidate.leaves(seen.read)):
            if TARGET.search(leaf.name) or leaf.part is not None:
                continue  # nobody's labels require grad, nor what a loader gives
            if leaf.tensor.dtype.startswith("float") and leaf.tensor.form == "torch":
                varied = varied.with_leaf(leaf, replace(leaf.tensor, grad=True))
        asked_here = any(".backward()" in line for line in candidate.after)
        if asked_here and not any(leaf.tensor.grad for leaf in varied.leaves(seen.read)):
            return False  # of what nothing goes into that could require grad
        return self._nearness(posted, self._try(varied)) >= Nearness.REBUILT

    def _nearness(self, posted: Posted, seen: Outcome) -> Nearness:
        """How near a trial came to what is searched for."""
        if self._to_end and seen.ok and seen.ran.issuperset(self._order.reach):
            return Nearness.EXACT
        return nearness(posted, seen)

    def _has_time(self, share: float = 1.0) -> bool:
        if self._trials >= _MOST_TRIALS:
            return False
        clock = time.monotonic() - self._began
        computed = _computed_s() - self._computed_before_s
        return computed < share * self._order.budget_s and clock < _CLOCK * self._order.budget_s

    def _try(self, candidate: Candidate) -> Outcome:
        if (known := self._known(candidate)) is not None:
            return known
        self._trials += 1
        self._met.stubbed |= bool(candidate.modules)
        seen = trial.run(self._programs[_way(candidate)], candidate)
        self._shown.setdefault(_around(candidate), []).append((candidate, seen))
        return seen

    def _known(self, candidate: Candidate) -> Outcome | None:
        """What an earlier trial showed that read the same values, as far as it got."""
        values = dict(candidate.values)
        for other, seen in self._shown.get(_around(candidate), ()):
            if seen.type == "Timeout":  # which read nobody knows what
                continue
            same_end = not seen.reached or other.after == candidate.after
            if same_end and all(other.get(name) == values.get(name) for name in seen.read):
                return seen
        return None

    def _try_while_time(self, candidate: Candidate) -> Outcome:
        return self._try(candidate) if self._has_time(_FOR_SIZES) else Outcome(type="Timeout")

    def _starts(self, source: Source) -> list[tuple[Candidate, bool]]:
        """A program as it is, and with calls of what it only defines; whether of a part alone."""
        as_it_is = self._start(source, ())
        if self._to_end and not self._order.reach:
            return [(as_it_is, False)]  # what the code only defines was not asked about
        ways = drives(source.completed, source.posted)
        return [(as_it_is, False), *((self._start(source, w.after), w.of_a_part) for w in ways)]

    def _start(self, source: Source, after: tuple[str, ...]) -> Candidate:
        code = "\n".join([source.bare, *after])
        own = source.header.partition("(")[0]
        undefined = undefined_names(code, SNIPPET) - source.supplied.keys() - {own}
        undefined -= {source.posted.undefined}
        tree = ast.Module(
            body=[*source.completed.body, *ast.parse("\n".join(after)).body], type_ignores=[]
        )
        # What is read of an instance's inputs follows from its class.
        made = _INSTANCE.sub(r"\1()", ast.unparse(tree)) if after else ""
        tree = ast.parse(made) if after else source.completed
        way = (source.number, after)
        proposals = self._proposals[way] = Proposals(tree, undefined, source.posted)
        self._programs[way] = Program(
            source.code, source.tree, source.supplied, proposals.expression
        )
        candidate = Candidate(
            after=after,
            header=source.header,
            simulate=source.posted.speaks_of_devices,
            program=source.number,
        )
        for name, given in proposals.all().items():
            candidate = candidate.with_value(name, given.value, given.evidence)
            self._met.stubbed |= "_stubs.StubModule" in given.value.expression
        for name in proposals.attributes():
            given = proposals.of(name)
            candidate = candidate.with_value(name, given.value, given.evidence)
        self._begun[way] = prepared(candidate, source.posted)
        return self._begun[way]


def _way(candidate: Candidate) -> _Way:
    return candidate.program, candidate.after


def _around(candidate: Candidate) -> Candidate:
    """What a candidate adds beside values and calls."""
    return replace(candidate, values=(), after=())


def gets_further(before: Outcome, seen: Outcome, posted: Posted) -> int:
    """1 where it came to new lines and not past the posted one, -1 where it fell behind."""
    if not before.ran or (posted.lines & before.ran and posted.lines & seen.ran):
        return 0
    return int(before.ran < seen.ran) - int(seen.ran < before.ran)


def _does_nothing(candidate: Candidate, seen: Outcome) -> bool:
    """Whether a function or class was used that nobody posted: what it leaves out is the code."""
    used = (given.value.expression for name, given in candidate.values if name in seen.read)
    return any("_stubs.same" in made or "_stubs.stub_class" in made for made in used)


def _is_class(value: Value) -> bool:
    return value.expression.startswith("_stubs.stub_class")


def _computed_s() -> float:
    """Processor time of this process and of its trials."""
    own, trials = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + trials.ru_utime + trials.ru_stime
