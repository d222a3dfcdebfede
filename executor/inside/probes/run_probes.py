"""The probes of one run: which of them listen to it, and what they add to its report.

Everything here but the imports of torch is quick, so that a cold run without torch pays nothing.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from executor.inside.probes.source import SnippetSource
from executor.inside.walking import walk
from executor.protocol import ErrorSeen, Finding, Influence, Job, Probe, Values, WarningSeen

if TYPE_CHECKING:
    from executor.inside.probes.gradients import GradientsProbe
    from executor.inside.probes.influence import InfluenceProbe
    from executor.inside.probes.inplace import InplaceProbe
    from executor.inside.probes.training import TrainingProbe

Guard = Callable[[str, Callable[[], Any]], None]


class RunProbes:
    """Those that need torch; where it is not imported yet, none listens and the facts are empty."""

    def __init__(self, source: SnippetSource, guard: Guard) -> None:
        """Take the snippet, and what turns a probe's own failure into a note."""
        self._source = source
        self._guard = guard
        self._suspects: tuple[str, ...] = ()
        self._training: TrainingProbe | None = None
        self._inplace: InplaceProbe | None = None
        self._gradients: GradientsProbe | None = None
        self._influence: InfluenceProbe | None = None
        self._has_cause = False  # to try a model again
        self._derives = False  # the snippet has a function of its own, with its backward

    def start(self, job: Job, tree: ast.Module) -> None:
        """Listen: what is always on, and what the job asks for."""
        if "torch" not in sys.modules:
            return  # a cold run, where the snippet imports torch itself or not at all
        from executor.inside.probes import gradients, influence, inplace, training

        compiles = uses_compile(tree)
        self._suspects = inplace.suspects(tree)
        if not compiles:  # torch.compile guards on hooks: it must see none
            self._training = training.TrainingProbe(self._source, tree)
            self._training.steps.keeps_losses = job.cut
            self._training.start()
        if Probe.GRADIENTS in job.probes or Probe.ORACLE in job.probes:
            oracle = Probe.ORACLE in job.probes
            self._gradients = gradients.GradientsProbe(
                self._source, oracle=oracle, compiles=compiles
            )
            self._gradients.start()
        if Probe.INPLACE in job.probes:
            self._inplace = inplace.InplaceProbe(
                self._source, compiles=compiles, suspicious=bool(self._suspects)
            )
            self._inplace.start()
        wanted = Probe.INFLUENCE in job.probes and not job.simulate
        if wanted and self._training is not None:
            self._influence = influence.InfluenceProbe(self._source)
            self._training.called.keeper = self._influence.kept
            self._influence.start()

    def stop(
        self,
        names: dict[str, Any],
        error: ErrorSeen | None,
        warnings: tuple[WarningSeen, ...] = (),
    ) -> None:
        """Stop listening, the last first.

        Args:
            names: the snippet's globals.
            error: what ended the run.
            warnings: what would be shown.
        """
        influence, inplace = self._influence, self._inplace
        gradients, training = self._gradients, self._training
        if influence is not None:
            self._guard("InfluenceProbe", influence.stop)
        if inplace is not None:
            self._guard("InplaceProbe", lambda: inplace.stop(error))
        if gradients is not None:
            self._guard("GradientsProbe", gradients.stop)
        if training is not None:
            self._guard("TrainingProbe", lambda: training.stop(names, error, warnings))
            self._guard("Leaks", lambda: self._note_cause(training, error))

    def _note_cause(self, training: TrainingProbe, error: ErrorSeen | None) -> None:
        ended = error is None and training.trained
        self._has_cause = ended and (training.leaks.have_cause or training.tried.has_cause)
        self._derives = error is None and training.tried.derives

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What raises nothing and was seen."""
        of = (p.findings for p in (self._inplace, self._training) if p is not None)
        return tuple(finding for findings in of for finding in findings)

    @property
    def losses(self) -> tuple[float, ...]:
        """The first and the last loss of a training, where one was seen."""
        return tuple(self._training.steps.losses) if self._training is not None else ()

    def facts(self, names: dict[str, Any]) -> dict[str, Any]:
        """Fields of the report, but for the findings."""
        training = self._training
        return {
            "autograd": self._inplace.culprit if self._inplace is not None else None,
            "suspects": self._suspects,
            "values": self._values(names),
            "calls": tuple(training.calls) if training is not None else (),
            "trained": training.trained if training is not None else False,
            "moved": tuple(training.moved) if training is not None else (),
            "losses": training.losses.seen if training is not None else (),
            "witnessed": tuple(training.witnessed) if training is not None else (),
        }

    def _values(self, names: dict[str, Any]) -> Values | None:
        gradients = self._gradients
        found: list[Values] = []
        if gradients is not None:
            self._guard("values", lambda: found.append(gradients.values(names)))
        return found[0] if found else None

    @property
    def tries_again(self) -> bool:
        """Whether `look_again` has something to do."""
        return self._influence is not None or self._has_cause or self._derives

    def look_again(self) -> tuple[Influence | None, list[Finding], list[str]]:
        """Call the snippet's modules again with other inputs: after all else is written down.

        Returns:
            The influence, the findings, and what was witnessed.
        """
        training = self._training
        found, witnessed = [], []
        if training is not None and self._has_cause:
            found = training.leaks.look()
            witnessed = training.tried.look(training.leaks.calls)
        if training is not None and self._derives:
            from executor.inside.probes.training import derivatives

            found += derivatives.look(training.leaks.calls, self._source)
        return self._influence.look() if self._influence is not None else None, found, witnessed


def uses_compile(tree: ast.Module) -> bool:
    """Whether the text asks for torch.compile, or for anything of that name."""
    return any(isinstance(n, ast.Attribute) and n.attr == "compile" for n in walk(tree))
