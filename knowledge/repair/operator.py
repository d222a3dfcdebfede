"""Operators: general edits that live values call for, one module each in `operators/`.

A codemod knows one mistake; an operator knows one kind of edit (cast a tensor, resize a layer,
rename an argument) and offers it wherever the values of the failing run speak for it. A module
in `knowledge/repair/operators/` defines

    def applies(result: JobResult) -> bool  # or `ERRORS` (knowledge/repair/applies.py)
    def edits(failure: Failure) -> Rewrites
    KEEPS = (computed(),)  # optional: what has to stay (knowledge/repair/toolkit/keeps.py)
    def checks(before: JobResult, after: JobResult, rewrite: Proposal) -> list[Check]  # optional

`applies` looks at what the run said, in the bot; it is cheap, and need not be narrow. `edits` is
called in the jail, in a process in which the program has just failed, so that `failure.value`
can say what any part of the failing line is worth. Each edit is a `Rewrite` with its `cost`: the
lower, the likelier that its author means it. `COST` below has the scale. What two edits of
different meaning suppose is said in their `intent`, in the person's own names.

Every edit passes through all the checks that a codemod's rewrite passes through.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, Unpack, cast

import libcst as cst

from executor.protocol import JobResult
from knowledge.errors import ArticleError
from knowledge.repair import operators
from knowledge.repair.applies import is_for, says_when
from knowledge.repair.check import Check
from knowledge.repair.codemod import Codemod, Proposal, Rewrite, Settings, checks_of_module
from knowledge.repair.toolkit.failed import Failed

if TYPE_CHECKING:
    from knowledge.repair.toolkit.edits import Beside, New

MISSING = object()  # the value of what cannot be evaluated


class COST:
    """What an edit costs: candidates are tried from the cheapest on, and ties are alternatives.

    Add `FAR` for an edit away from the failing line, `LOSS` for one that loses values.
    """

    SAID = 0.5  # the error's own words name the edit
    SURE = 1.0  # the live values leave no other edit of this kind
    LIKELY = 1.5  # there is another of its kind, and this one is usual
    POSSIBLE = 2.0
    FAR = 0.25
    LOSS = 1.0


class Live(Protocol):
    """The dead frames of the failing program; `executor.inside.edits.dead` has them."""

    error: BaseException
    names: list[dict[str, Any]]  # of each of the program's own frames, the innermost last
    spans: list[tuple[int | None, int | None, int | None, int | None]]  # what raised, in each

    def value(self, expression: str, frame: int = -1) -> Any:
        """Evaluate an expression in one of the frames; raises what that raises."""


@dataclass(frozen=True)
class Place:
    """An expression that raised, or called what raised."""

    node: cst.BaseExpression
    frame: int  # as an index for `Failure.value`: -1 is the innermost


class Failure(Failed):
    """A program that failed: its syntax tree, what its run showed, and its values, still alive.

    Args:
        code: its source.
        result: what its run showed.
        live: its dead frames.
        asked: the person's own words.
    """

    missing = MISSING

    def __init__(self, code: str, result: JobResult, live: Live, asked: str = "") -> None:
        super().__init__(code, result)
        self.live, self.asked = live, asked
        self._values: dict[tuple[str, int], Any] = {}

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """What raised, in each of the program's own frames, the innermost first."""
        return tuple(self._places())

    @cached_property
    def node(self) -> cst.BaseExpression | None:
        """The expression that raised it; None where that is not known."""
        return self.places[0].node if self.places and self.places[0].frame == -1 else None

    @cached_property
    def statement(self) -> cst.SimpleStatementLine | None:
        """The simple statement that it was raised in."""
        return self.up(self.node, cst.SimpleStatementLine) if self.node else None

    def value(self, node: cst.CSTNode, frame: int = -1) -> Any:
        """What an expression is worth where the program failed; MISSING where that is unknown.

        Args:
            node: in the innermost frame's code, unless another frame is given. It is evaluated
                once, and not at all if it would change something.
            frame: as an index: 0 is the outermost.
        """
        text = self.text(node)
        if (text, frame) not in self._values:
            unknown = self.writes(node)
            self._values[text, frame] = MISSING if unknown else self.tried(f"({text})", frame)
        return self._values[text, frame]

    def tried(self, code: str, frame: int = -1) -> Any:
        """What some code is worth there, whatever it changes; MISSING where it raises."""
        try:
            return self.live.value(code, frame)
        except BaseException:  # a stranger's code
            return MISSING

    def edit(
        self,
        edits: Mapping[cst.CSTNode, New] | cst.Module,
        told: str,
        intent: str | None = None,
        *,
        at: cst.CSTNode | Sequence[cst.CSTNode] | None = None,
        cost: float = COST.SURE,
        beside: Mapping[cst.CSTNode, Beside] | None = None,
        **more: Unpack[Settings],
    ) -> Rewrite:
        """Nodes replaced, by what the live values say; what was done is what is meant, if not said.

        Args:
            edits, beside: as `Program.edit` takes them.
            told: what was done, in words.
            intent: what it supposes.
            at: where its title says that it is, if not at the first of the nodes.
            cost: on the scale of `COST`.
            more: further fields of the Rewrite.
        """
        meant = told if intent is None else intent
        return super().edit(edits, told, meant, at=at, cost=cost, beside=beside, **more)

    def writes(self, node: cst.CSTNode) -> bool:
        """Whether evaluating it again could differ from what it was: it takes or writes."""
        kinds = (cst.NamedExpr, cst.Await, cst.Yield)
        if any(self.inside(node, kind) for kind in kinds):
            return True
        for call in self.inside(node, cst.Call):
            name = self.text(call.func).rpartition(".")[2]
            if name in _WRITES or (name.endswith("_") and not name.endswith("__")):
                return True
        return False

    def _places(self) -> Iterator[Place]:
        for depth, span in enumerate(reversed(self.live.spans), start=1):
            node = self.at(*span)
            if isinstance(node, cst.Expr):
                node = node.value
            if isinstance(node, cst.BaseExpression):
                yield Place(node, -depth)


_WRITES = frozenset(
    ("next", "step", "backward", "zero_grad", "append", "extend", "insert", "pop", "popitem",
     "remove", "clear", "update", "setdefault", "add", "discard", "sort", "reverse", "write",
     "save", "open", "input", "exec", "eval", "print", "close", "send", "load_state_dict",
     "setattr", "delattr", "train", "eval", "fit", "seed", "manual_seed")
)  # fmt: skip


class OperatorModule(Protocol):
    """What a module in `operators/` has to define, beside `applies` or `ERRORS`."""

    def edits(self, failure: Failure) -> Iterable[Rewrite]:
        """The edits that the live values speak for, the cheapest first."""


@dataclass(frozen=True)
class Operator:
    """One operator, by the name of its module: `cast_to_partner` is `cast-to-partner`."""

    slug: str
    module: OperatorModule

    @property
    def repeats(self) -> bool:
        """Whether one mistake of its kind is usually followed by another, as slips of the pen are.

        Twice an edit of another kind is shown as an alternative: it may only please two lines.
        """
        return bool(getattr(self.module, "REPEATS", False))

    @property
    def is_alone(self) -> bool:
        """Whether its edits count only if nothing else is left to be mended."""
        return bool(getattr(self.module, "ALONE", False))

    def applies(self, result: JobResult) -> bool:
        """Whether an edit of its kind may remove the error that this run shows."""
        return result.error is not None and is_for(self.module, result, (result.error,))

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        """What must hold beyond the checks that every edit has to pass."""
        return checks_of_module(self.module, before.error, before, after, proposal)

    def problem(self, function: str, error: Exception) -> str:
        """One of its functions raised: which, and what."""
        return f"the operator {self.slug} raised in {function}(): {type(error).__name__}: {error}"


@cache
def load_operators() -> tuple[Operator, ...]:
    """Every module in the folder, by name.

    Raises:
        ArticleError: one cannot be imported or lacks a function.
    """
    return tuple(_load(m.name) for m in pkgutil.iter_modules(operators.__path__))


def _load(name: str) -> Operator:
    place = f"{operators.__name__}.{name}"
    try:
        module = importlib.import_module(place)
    except Exception as e:
        raise ArticleError(f"{place}: cannot be imported ({type(e).__name__}: {e})") from e
    if not says_when(module) or not callable(getattr(module, "edits", None)):
        raise ArticleError(f"{place}: says not when it applies, or has no edits(); see operator.py")
    return Operator(name.replace("_", "-"), cast(OperatorModule, module))


Maker = TypeVar("Maker", Codemod, Operator)


def choose(among: Sequence[Maker], result: JobResult) -> tuple[tuple[Maker, ...], tuple[str, ...]]:
    """The codemods, or operators, that a run speaks for, and what went wrong with the others."""
    here, problems = [], []
    for maker in among:
        try:
            if maker.applies(result):
                here.append(maker)
        except Exception as e:
            problems.append(maker.problem("applies", e))
    return tuple(here), tuple(problems)
