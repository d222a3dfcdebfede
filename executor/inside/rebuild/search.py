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
import resource
import time
from dataclasses import replace
from pathlib import Path

from executor.errors import family_of
from executor.inside.placeholders import imports
from executor.inside.placeholders.losses import TARGET
from executor.inside.placeholders.names import undefined_names
from executor.inside.placeholders.program import last_name
from executor.inside.rebuild import trial
from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.drive import drives
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.glue import is_method, with_header
from executor.inside.rebuild.judge import Nearness, nearness
from executor.inside.rebuild.mutate import steps
from executor.inside.rebuild.propose import Proposals
from executor.inside.rebuild.solve import Solver
from executor.inside.rebuild.special import prepared
from executor.inside.rebuild.trial import Outcome, Program
from executor.protocol import REBUILD_ORDER, REBUILT, SNIPPET, RebuildOrder, Rebuilt

_MOST_TRIALS = 250
_PATIENCE = 60  # trials without coming any nearer
_FOR_SIZES = 1.6  # times the budget, where only the numbers are not the posted ones yet
_CLOCK = 4  # times the budget of computing that it may take by the clock, on a busy machine


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
        self._begun: dict[tuple[str, ...], Candidate] = {}
        self._proposals: dict[tuple[str, ...], Proposals] = {}
        self._seen: set[Candidate] = set()
        self._last = ""
        self._stubbed = False  # a library that is not installed had to be stubbed
        self._to_end = not (order.error.type or order.error.message)

    def run(self) -> Rebuilt:
        """Search until the posted error comes up or the time is over."""
        try:
            tree = ast.parse(self._order.code)
        except (SyntaxError, ValueError, RecursionError):
            return Rebuilt(why_not="no_python")
        self._header = _header(tree)
        self._completed = with_header(tree, self._header)
        self._posted = Posted(self._order, tree)
        if why := out_of_reach(self._posted):
            return Rebuilt(why_not=why)
        supplied, _ = imports.supply(self._order.code, SNIPPET)
        self._supplied = supplied
        self._program = Program(self._order.code, tree, supplied, lambda name: None)
        found = self._best_first()
        if found is None:
            return self._told(None, None)
        return self._told(*found)

    def _told(self, candidate: Candidate | None, seen: Outcome | None) -> Rebuilt:
        spent = time.monotonic() - self._began
        if candidate is None or seen is None:
            why = why_not(self._posted, self._last, stubbed=self._stubbed)
            return Rebuilt(trials=self._trials, seconds=spent, seen=self._last, why_not=why)
        glue = candidate.glue(seen.read)
        if self._to_end:  # no message was posted that anything could come from
            used = (bound.model_copy(update={"evidence": "use"}) for bound in glue.before)
            glue = glue.model_copy(update={"before": tuple(used)})
        return Rebuilt(
            glue=glue,
            simulate="cuda" if candidate.simulate else None,
            exact=self._nearness(seen) is Nearness.EXACT,
            trials=self._trials,
            seconds=spent,
        )

    def _best_first(self) -> tuple[Candidate, Outcome] | None:
        counter = itertools.count()
        queue: list[tuple[float, int, Candidate]] = []
        best: tuple[Candidate, Outcome] | None = None

        def push(cost: float, candidate: Candidate) -> None:
            if candidate not in self._seen:
                self._seen.add(candidate)
                heapq.heappush(queue, (cost, next(counter), candidate))

        for n, start in enumerate(self._starts()):
            push(0.4 * n, start)
        nearest, at = Nearness.NOTHING, 0
        while queue and self._has_time() and self._trials - at < _PATIENCE:
            cost, _, candidate = heapq.heappop(queue)
            seen = self._try(candidate)
            candidate = self._with_made(candidate, seen)
            near = self._nearness(seen)
            if near > nearest:
                nearest, at = near, self._trials
            if self._to_end and near is Nearness.EXACT:
                return None if _does_nothing(candidate, seen) else self._plainest(candidate, seen)
            if near >= Nearness.REBUILT:
                solver = Solver(self._posted, self._order.code, self._try_while_time)
                candidate, seen = solver.solve(candidate, seen)
                if self._stands(candidate, seen):
                    candidate, seen = self._plainest(candidate, seen)
                    best = (candidate, seen)
                    if self._nearness(seen) is Nearness.EXACT:
                        break
                    if best is not None and cost > 3:
                        break
                    continue
            self._last = f"{seen.type}: {seen.message}"[:300] if not seen.ok else self._last
            nearer = max(0, near - Nearness.OTHER) if not seen.ok else 0.4
            for step in steps(candidate, seen, self._posted):
                if self._to_end and step.candidate.modules:
                    continue  # a library that does nothing says nothing of the code
                push(cost + step.weight + 0.3 - 0.5 * nearer, step.candidate)
        return best

    def _with_made(self, candidate: Candidate, seen: Outcome) -> Candidate:
        """With the attributes that were asked for and that nobody had foreseen."""
        proposals = self._proposals[candidate.after]
        for name in seen.read:
            if candidate.get(name) is None:
                given = proposals.of(name)
                candidate = candidate.with_value(name, given.value, given.evidence)
        return candidate

    def _plainest(self, candidate: Candidate, seen: Outcome) -> tuple[Candidate, Outcome]:
        """Take back every change of a value that the error does not need."""
        near = self._nearness(seen)
        begun = self._begun.get(candidate.after, candidate)
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
            if self._nearness(outcome) >= near:
                return self._plainest(made, outcome)
        for leaf, tensor in parts:
            made = candidate.with_leaf(leaf, tensor, "use")
            outcome = self._try_while_time(made)
            if self._nearness(outcome) >= near:
                candidate, seen = made, outcome
        return candidate, seen

    def _stands(self, candidate: Candidate, seen: Outcome) -> bool:
        """Whether the error is more than a lazy value's: it stays where all values require grad."""
        if self._posted.id != "no_graph":
            return True
        varied = candidate
        for leaf in list(candidate.leaves(seen.read)):
            if TARGET.search(leaf.name):
                continue  # nobody's labels require grad
            if leaf.tensor.dtype.startswith("float") and leaf.tensor.form == "torch":
                varied = varied.with_leaf(leaf, replace(leaf.tensor, grad=True))
        return self._nearness(self._try(varied)) >= Nearness.REBUILT

    def _nearness(self, seen: Outcome) -> Nearness:
        """How near a trial came to what is searched for."""
        if self._to_end and seen.ok:
            return Nearness.EXACT
        return nearness(self._posted, seen)

    def _has_time(self, share: float = 1.0) -> bool:
        if self._trials >= _MOST_TRIALS:
            return False
        clock = time.monotonic() - self._began
        computed = _computed_s() - self._computed_before_s
        return computed < share * self._order.budget_s and clock < _CLOCK * self._order.budget_s

    def _try(self, candidate: Candidate) -> Outcome:
        self._trials += 1
        self._stubbed |= bool(candidate.modules)
        return trial.run(self._program, candidate)

    def _try_while_time(self, candidate: Candidate) -> Outcome:
        return self._try(candidate) if self._has_time(_FOR_SIZES) else Outcome(type="Timeout")

    def _starts(self) -> list[Candidate]:
        """The snippet as it is, and with calls of what it only defines."""
        ways: list[tuple[str, ...]] = [()]
        if self._to_end:
            return [self._start(())]  # what the code only defines was not asked about
        ways += [drive.after for drive in drives(self._completed, self._posted)]
        return [self._start(after) for after in ways]

    def _start(self, after: tuple[str, ...]) -> Candidate:
        code = "\n".join([self._order.code, *after])
        own = self._header.partition("(")[0]
        undefined = undefined_names(code, SNIPPET) - self._supplied.keys() - {own}
        tree = ast.Module(
            body=[*self._completed.body, *ast.parse("\n".join(after)).body], type_ignores=[]
        )
        tree = ast.parse(ast.unparse(tree)) if after else self._completed
        proposals = self._proposals[after] = Proposals(tree, undefined, self._posted)
        self._program = replace(self._program, make=proposals.expression)
        candidate = Candidate(
            after=after,
            header=self._header,
            simulate=self._posted.speaks_of_devices,
        )
        for name, given in proposals.all().items():
            candidate = candidate.with_value(name, given.value, given.evidence)
            self._stubbed |= "_stubs.StubModule" in given.value.expression
        for name in proposals.attributes():
            given = proposals.of(name)
            candidate = candidate.with_value(name, given.value, given.evidence)
        self._begun[after] = prepared(candidate, self._posted)
        return self._begun[after]


def _does_nothing(candidate: Candidate, seen: Outcome) -> bool:
    """Whether a function or class was used that nobody posted: what it leaves out is the code."""
    used = (given.value.expression for name, given in candidate.values if name in seen.read)
    return any("_stubs.same" in made or "_stubs.stub_class" in made for made in used)


def _computed_s() -> float:
    """Processor time of this process and of its trials."""
    own, trials = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + trials.ru_utime + trials.ru_stime


def _header(tree: ast.Module) -> str:
    """The class of methods that stand outside of any; empty if there are none."""
    methods = [node for node in tree.body if is_method(node)]
    if not methods:
        return ""
    names = {node.name for node in methods if isinstance(node, ast.FunctionDef)}
    own = ""
    for node in (n for m in methods for n in ast.walk(m)):
        if isinstance(node, ast.Call) and last_name(node.func) == "super" and node.args:
            own = last_name(node.args[0])
    lazy = "" if "__init__" in names else "_stubs.Lazy, "
    if "__getitem__" in names:
        return f"{own or 'PostedDataset'}({lazy}__import__('torch').utils.data.Dataset)"
    return f"{own or 'Posted'}({lazy}__import__('torch').nn.Module)"


_OUT_OF_REACH = {
    "needs_a_gpu": {"cuda_out_of_memory", "cuda_assert", "cuda_busy", "cuda_kernel_image",
                    "cuda_kernel_failed", "cublas", "cudnn", "mps", "cuda_driver"},
    "needs_memory": {"memory", "memory_error"},
    "several_processes": {"process_group", "nccl", "ddp_unused_parameters", "ddp_devices",
                          "worker_died", "port_taken", "launcher_variable", "shared_memory"},
    "installation": {"module_not_installed", "import_name", "shared_library", "cuda_toolkit",
                     "operator_missing", "numpy_missing"},
    "network": {"network_missing", "network_entry_missing"},
}  # fmt: skip


def out_of_reach(posted: Posted) -> str:
    """Why no code can raise it here; empty if some could."""
    return next((why for why, ids in _OUT_OF_REACH.items() if posted.id in ids), "")


def why_not(posted: Posted, last: str, *, stubbed: bool = False) -> str:
    """The kind of obstacle, where nothing raised the posted error; docs/rebuilding.md lists them.

    Args:
        posted: the error.
        last: "Type: message" of the last other error that a trial met; empty if none did.
        stubbed: whether a library had to be stubbed.
    """
    kind, _, message = last.partition(": ")
    met = family_of(kind, message)
    if stubbed or (met is not None and met.id in {"module_not_installed", "import_name"}):
        return "needs_a_library"
    if posted.family is None:
        return "unknown_message"
    if not last:
        return "runs_today"
    return "not_found" if posted.lines else "code_not_posted"
