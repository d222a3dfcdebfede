"""One run's placeholders: which it was given, and what they mean for what happened."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from executor.errors import is_a
from executor.inside.placeholders import fresh, holes, own_files, places
from executor.inside.placeholders.absence import Absence
from executor.inside.placeholders.blame import Blame
from executor.inside.placeholders.decide import PlaceholderPlans
from executor.inside.placeholders.modules import LeftOutImports
from executor.inside.placeholders.not_installed import AbsentModule
from executor.inside.placeholders.noted import noted
from executor.inside.placeholders.plans import DevicePlan, NothingPlan, OptimizerPlan, Plan
from executor.inside.placeholders.shapes import OTHER, Choices
from executor.protocol import (
    GLUED,
    MODULE,
    Bound,
    ErrorSeen,
    Finding,
    Glue,
    Job,
    LeftOut,
    NotHere,
    Placeholder,
)

if TYPE_CHECKING:
    from executor.inside.resources.run_resources import RunResources

_LEFT_OUT = "its import was left out"


class RunPlaceholders:
    """Supplies a run with placeholders, where its job asks for them, and judges its error."""

    def __init__(self, job: Job, tree: ast.Module, filename: str) -> None:
        self._filename = filename
        self._absence = Absence(tree, filename)
        self._resources: RunResources | None = None
        self._job = job
        self._tree = tree
        self._plans: dict[str, Plan] = {}
        self._glued: dict[str, Bound] = {}
        self._blame: Blame | None = None
        self._for_names: tuple[Placeholder, ...] = ()
        supplies = job.stand_ins and "torch" in sys.modules
        adds = supplies or job.glue is not None
        tree, self._files = own_files.without(tree) if adds else (tree, {})
        if job.glue is not None:
            made = {bound.name for bound in job.glue.before}
            tree, _ = own_files.without_absent(tree, job.glue.modules, made)
        self._without_files = tree
        self._imports = LeftOutImports(tree) if supplies else None
        self.at_fault = ""
        self.depends = False
        self.needs_module = ""
        self.not_here: NotHere | None = None
        self.left_out: LeftOut | None = None
        self._warm_only = fresh.warm_only(tree)
        if job.glue is not None:
            self._take(job.glue)

    @property
    def names(self) -> set[str]:
        """The names that were supplied."""
        return set(self._plans) | set(self._glued)

    def _take(self, glue: Glue) -> None:
        """Tell of the names that a glue supplies as of placeholders."""
        self._glued = {bound.name: bound for bound in glue.before}
        self._for_names = tuple(
            Placeholder(name=name, line=_first_line(self._tree, name), what=bound.what, kind=GLUED)
            for name, bound in self._glued.items()
            if not name.startswith(NEW)
        )
        self._blame = Blame(
            self._tree,
            self._glued,
            (),
            lambda value: "",
            trains=any("torch.optim" in bound.expression for bound in glue.before),
        )

    @property
    def _own_files(self) -> tuple[str, ...]:
        return tuple(
            f"`{module}` is your file with {_listed(names)}, as you posted "
            f"{'it' if len(names) == 1 else 'them'}"
            for module, names in self._files.items()
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """One sentence for each placeholder, for the answer's list of assumptions."""
        read = self._resources.supplied.assumptions if self._resources else ()
        glue = self._job.glue
        glued = assumptions_of(glue) if glue is not None else ()
        if self._glued:  # they are the names
            return self._own_files + glued + read
        named = tuple(
            f"`{s.name}`: stands for {s.what}, from its use at line {s.line}"
            for s in self._for_names
        )
        left_out = tuple(f"`{s.name}` is not installed: {s.what}" for s in self._for_modules)
        return self._own_files + named + left_out + glued + read

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """What stands for names, and for what the run read and was not here."""
        read = self._resources.supplied.placeholders if self._resources else ()
        return self._for_names + self._for_modules + read

    @property
    def _for_modules(self) -> tuple[Placeholder, ...]:
        if self._imports is None:
            return ()
        return tuple(
            Placeholder(
                name=module.name,
                line=module.line,
                what=f"{_LEFT_OUT}, and {self._use_of(module)}",
                kind=MODULE,
                exact=True,
                used=module.used is not None,
            )
            for module in self._imports.modules(self._plans)
        )

    def _use_of(self, module: AbsentModule) -> str:
        if module.used is not None:
            return f"line {module.used} is the first that needs it"
        if module.name == self.needs_module:
            return "the run ends at a value that would come from it"
        return "nothing that ran needs it"

    def supply_resources(self, filename: str, work: Path) -> None:
        """Have a placeholder for data, files and weights ready, where the job asks for them.

        Args:
            filename: the snippet's file.
            work: its working folder.
        """
        glue = self._job.glue
        asked = self._job.stand_ins or (glue is not None and glue.resources)
        if not asked or "torch" not in sys.modules:
            return
        from executor.inside.resources.run_resources import RunResources

        report = Path(os.environ["TORCHMEDIC_FIGURES"]).parent
        self._resources = RunResources(
            self._tree, self._job.code, filename, (work, report), other=self._job.other_choices
        )
        self._resources.install()

    def stop(self) -> None:
        """Supply nothing from now on."""
        if self._resources is not None:
            self._resources.stop()

    def supply(self, undefined: Iterable[str]) -> Mapping[str, Any]:
        """Make a placeholder for each name whose use says what kind of value it is."""
        if self._imports is None:
            return {}
        left_out = self._imports.values()
        # What is imported and never read needs nothing in its place.
        read = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)}
        undefined = {*undefined, *(left_out.keys() & read)}
        choices = OTHER if self._job.other_choices else Choices()
        told = noted(self._job.code)
        decided = PlaceholderPlans(self._tree, undefined, choices, told=told)
        if not decided.plans:
            return left_out
        from executor.inside.placeholders.build import PlaceholderFactory

        factory = PlaceholderFactory(decided.plans)
        self._plans = decided.plans
        self._for_names = tuple(
            Placeholder(
                name=name,
                line=decided.line(name),
                what=plan.words,
                kind=plan.kind,
                exact=isinstance(plan, NothingPlan),
            )
            for name, plan in sorted(decided.plans.items())
        )
        harmless = [
            name
            for name, plan in decided.plans.items()
            if isinstance(plan, (DevicePlan, NothingPlan))
        ]
        self._blame = Blame(
            self._tree,
            decided.plans.keys() | decided.results,
            harmless,
            factory.source_of,
            trains=any(isinstance(p, OptimizerPlan) for p in decided.plans.values()),
        )
        return {**left_out, **factory.values}

    def without_imports(self) -> ast.Module:
        """The tree without the imports of what is not installed, where the job asks for that."""
        tree = self._without_files
        return self._imports.without(tree) if self._imports is not None else tree

    def judge(self, error: BaseException, seen: ErrorSeen, scope: Mapping[str, object]) -> None:
        """Decide whether the error comes from a placeholder, an empty body or the snippet itself.

        Args:
            error: the exception, with its traceback.
            seen: the same error as the report describes it.
            scope: the failing frame's variables.
        """
        self.left_out = holes.elided(self._tree, error, seen, scope, self._filename)
        self.left_out = self.left_out or holes.left_out(self._tree, seen)
        self.needs_module = self._absence.module(error, seen, scope)
        if self._job.glue is not None and is_a(seen, "no_parameters"):  # a model that is not here
            self.needs_module = self.needs_module or next(iter(self._job.glue.modules), "")
        moved = self._resources.moved if self._resources is not None else str
        self.not_here = places.not_here(self._tree, error, seen, scope, moved)
        read = self._resources.supplied if self._resources is not None else None
        self.depends = read is not None and read.depends(seen)
        if self._glued:  # the error was posted, and the placeholders follow from it
            self.depends = True
        elif self._blame is not None:
            guessed, self.depends = self.depends, True  # until the contrary is known
            self.at_fault = self._blame.at_fault(error, seen, scope)
            self.depends = guessed or self._blame.depends(seen)
        if read is not None and not self.at_fault and not self._glued:
            self.at_fault = read.at_fault(error, seen) or read.misread(error, seen)

    def without_own(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Drop the findings that may be caused by a placeholder."""
        read = self._resources.supplied if self._resources is not None else None
        if read is not None and read.any:
            findings = tuple(f for f in findings if read.counts(f))
        if self._blame is None:
            return findings
        return tuple(f for f in findings if not self._blame.concerns(f))

    def facts(self) -> dict[str, Any]:
        """The fields of the run's report that tell of all this, under the names of the JSON."""
        return {
            "stand_ins": self.placeholders,
            "stand_in_at_fault": self.at_fault,
            "depends_on_stand_ins": self.depends,
            "needs_module": self.needs_module,
            "not_here": self.not_here,
            "left_out": self.left_out,
            "warm_only": self._warm_only,
        }


_OF_A_NEW = re.compile(r"\b_new_\w+")
NEW = "_new_"  # before a class's name, in a glue: an instance of it

_FROM = {
    "posted": "as you posted it",
    "message": "fitted to the posted error",
    "use": "from its use",
    "usual": "as is usual",
}


def assumptions_of(glue: Glue) -> tuple[str, ...]:
    """What a rebuilt error assumes, one sentence each."""
    told = [
        f"`{b.name}`: stands for {b.what}, {_FROM[b.evidence]}"
        for b in glue.before
        if not b.name.startswith(NEW)
    ]
    if glue.header:
        own = glue.header.partition("(")[0]
        told.insert(0, f"the methods without a class are methods of one class (`{own}`)")
    if glue.modules:
        names = ", ".join(f"`{name}`" for name in glue.modules)
        told.append(f"{names}: not installed here; its classes and functions do nothing")
    told += [f"added before it: `{statement}`" for statement in glue.first]
    made = {b.name: _as_called(b) for b in glue.before if b.name.startswith(NEW)}
    calls = [_OF_A_NEW.sub(lambda m: made.get(m[0], m[0]), call) for call in glue.after]
    told += [f"added behind it: `{call}`" for call in calls]
    return tuple(told)


def _as_called(made: Bound) -> str:
    """How an instance is made, as a person would write it: what is put in for a value is left."""
    ours = "_stubs" in made.expression
    return f"{made.name.removeprefix(NEW)}(…)" if ours else made.expression


def _listed(names: Iterable[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _first_line(tree: ast.Module, name: str) -> int | None:
    lines = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    return min(lines, default=None)
