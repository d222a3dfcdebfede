"""Edits for what raises nothing: codemods of findings, one module a kind of edit in `findings/`.

A finding says what a run saw, and its line. A module in `knowledge/repair/findings/` defines

    EDITS = {"a kind of finding": a function (program: Program, finding: Finding) -> Rewrites}

It yields every edit of its kind that the finding calls for, the likeliest first. It need not be
sure which place is meant: each edit is run, and only one after which the finding is gone passes.
A module may define `checks(before, after) -> list[Check]` for what else has to hold.
Where the edit supposes something about what is meant, it says so in its `intent`.

A kind that an article is about is one of `OF_ARTICLES`: the article's `codemod.py` names it.

    applies, rewrite, checks = codemod_of(missing_calls, "gradients_accumulate")
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, cast

from executor.protocol import Finding, JobResult
from knowledge.errors import ArticleError
from knowledge.repair import findings
from knowledge.repair.check import Check
from knowledge.repair.codemod import Codemod, Proposal, Rewrite, Rewrites

if TYPE_CHECKING:
    from knowledge.repair.toolkit.edits import Program


ANY = ""  # in EDITS: every finding that brings its edits along
_STAND_STILL = frozenset({"no_gradient", "zero_gradient", "not_in_optimizer"})
_SLIP = "this is a slip"  # what an edit supposes of a line that only looks wrong
_WAYS = 3  # of editing one line that are tried on all lines


class FindingModule(Protocol):
    """What a module in `findings/` has to define."""

    EDITS: Mapping[str, Callable[[Program, Finding], Rewrites]]


@dataclass(frozen=True)
class FindingEdits:
    """One module as a codemod."""

    module: FindingModule
    kinds: frozenset[str]

    def edits(self, program: Program, finding: Finding) -> Rewrites:
        """The edits that may take the finding away, the likeliest first."""
        makers = self.module.EDITS
        return makers[ANY if ANY in makers else finding.kind](program, finding)

    def applies(self, result: JobResult) -> bool:
        """The run raised nothing but its own doubt, and found a mistake of the kinds."""
        doubts = result.error is None or result.error.type == "AssertionError"
        return doubts and bool(self._found(result))

    def rewrite(self, program: Program, result: JobResult) -> Rewrites:
        """The edits of each finding: several names of one kind are one mistake, or alike."""
        of_a_kind: dict[str, list[Finding]] = {}
        for finding in self._found(result):
            of_a_kind.setdefault(finding.kind, []).append(finding)
        for found in of_a_kind.values():
            made = list(self.edits(program, found[0]))
            if len({f.line for f in found}) > 1:
                everywhere = list(self._everywhere(program, found))
                if all(f.by_text for f in found):
                    # Mended on one line, a rule of the text may keep silent of the others.
                    made = [*everywhere, *made]
                else:
                    made += everywhere
            for rewrite in made:
                if found[0].by_text:  # no run decides what is meant
                    rewrite = replace(rewrite, intent=rewrite.intent or _SLIP, by_text=True)
                yield rewrite

    def _everywhere(self, program: Program, found: list[Finding]) -> Rewrites:
        """The same edit on the line of each finding, as far as the lines stay where they are."""
        from knowledge.repair.toolkit.edits import Program

        for which in range(_WAYS):
            now, title = program, ""
            # From below, so that what is inserted moves no line that comes later.
            for finding in sorted(
                {f.line: f for f in found}.values(), key=lambda f: f.line or 0, reverse=True
            ):
                ways = list(self.edits(now, finding))
                if which < len(ways):
                    title = ways[which].title
                    now = Program(ways[which].module.code)
            if title:
                yield Rewrite(now.module, f"{title}; so on the other lines too")

    def checks(self, before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
        """None of the module's findings is left, and what trained before still does."""
        was, left = self._found(before), self._found(after)
        gone = "what the probes had found is gone"
        if not was:  # looked at in another way, it was never seen: that it is gone says nothing
            gone = "the run that it is compared with does not show it either"
        elif all(f.by_text for f in was):
            seen = set(before.witnessed) - set(after.witnessed)
            gone = "the run shows it no more" if seen else "the code shows it no more"
        found = left[0].message if left else gone
        still = [f.name for f in was if f.kind in _STAND_STILL]
        stuck = [n for n in still if not any(f"{m}.".startswith(f"{n}.") for m in after.moved)]
        learns = (bool(after.moved) or not before.trained) and not stuck
        detail = "weights move" if after.moved else "no weights moved before either"
        if not learns:
            detail = f"{stuck[0] if stuck else 'no weight'} does not move"
        own: Callable[[JobResult, JobResult], list[Check]] | None
        own = getattr(self.module, "checks", None)
        return [
            Check(name="found no more", passed=bool(was) and not left, detail=found),
            Check(name="learns", passed=learns, detail=detail),
            *(own(before, after) if own is not None else ()),
        ]

    def _found(self, result: JobResult) -> list[Finding]:
        return [
            f
            for f in result.findings
            if f.mistake and (f.kind in self.kinds or (ANY in self.kinds and f.facts.get("ways")))
        ]


def load() -> list[Codemod]:
    """Every module in the folder, by name."""
    return [load_one(m.name) for m in pkgutil.iter_modules(findings.__path__)]


def load_one(name: str) -> Codemod:
    """The codemod of one module, by its name or its slug.

    Raises:
        ArticleError: there is none.
    """
    place = f"{findings.__name__}.{name.replace('-', '_')}"
    try:
        module = importlib.import_module(place)
    except ImportError as e:
        raise ArticleError(f"{place}: cannot be imported ({type(e).__name__}: {e})") from e
    kinds = frozenset(module.EDITS) - getattr(module, "OF_ARTICLES", frozenset())
    return Codemod(name.replace("_", "-"), FindingEdits(cast(FindingModule, module), kinds))


def codemod_of(
    module: ModuleType, kind: str
) -> tuple[
    Callable[[JobResult], bool],
    Callable[[Program, JobResult], Rewrites],
    Callable[[JobResult, JobResult, Proposal], list[Check]],
]:
    """What the `codemod.py` of an article about one kind of finding defines."""
    made = FindingEdits(cast(FindingModule, module), frozenset({kind}))
    return made.applies, made.rewrite, made.checks
