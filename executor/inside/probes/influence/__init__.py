"""Record what the lines of a snippet mean: how they move values, what reaches an output.

On demand only: it slows a run down, and a traceback shows its frames.

    operations.py  layouts, broadcasts and casts on the snippet's own lines
    training.py    how often gradients were computed, applied and reset
    modules.py     the snippet's calls of modules, kept for the trials
    trials.py      the same calls again after the run, with their inputs changed
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn
from torch.nn.modules.module import register_module_forward_hook

from executor.inside import torch_private as private
from executor.inside.probes.influence.modules import KeptCalls
from executor.inside.probes.influence.operations import Operations
from executor.inside.probes.influence.training import TrainingCalls
from executor.inside.probes.influence.trials import tried_again
from executor.inside.probes.source import SnippetSource
from executor.protocol import Influence

__all__ = ["InfluenceProbe"]


class InfluenceProbe:
    """Listens to the calls of torch and of modules; `look` then tries the modules again."""

    def __init__(self, source: SnippetSource) -> None:
        self.operations = Operations(source)
        self.kept = KeptCalls(source, self.operations)
        self.training = TrainingCalls(source)
        self._hooks: list[Any] = []
        self._notes: list[str] = []

    def start(self) -> None:
        """Listen."""
        self.training.start()
        self._hooks.append(register_module_forward_hook(self._inner, with_kwargs=True))
        self.operations.__enter__()  # type: ignore[no-untyped-call, unused-ignore]

    def stop(self) -> None:
        """Stop listening."""
        self.operations.__exit__(None, None, None)  # type: ignore[no-untyped-call, unused-ignore]
        for hook in self._hooks:
            hook.remove()
        self.training.stop()

    def _inner(self, module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        self._guard("sequences", lambda: self.kept.inner(module, args, kwargs))

    def look(self) -> Influence:
        """What was seen, and the trials. It calls the snippet's modules: last of all."""
        trials = []
        for call in self.kept.calls:
            if call.finished:
                trials.append(tried_again(call))
        training = self.training
        return Influence(
            operations=tuple(self.operations.seen),
            trials=tuple(trials),
            sequences=tuple(self.kept.sequences),
            computing=tuple(sorted(self.operations.computing)),
            backwards=training.backwards,
            steps=training.steps,
            zero_grads=training.zero_grads,
            doubled=tuple(training.doubled),
            leaf_losses=tuple(training.leaf_losses),
            results=self.operations.results,
            target_rows=tuple(sorted(self.operations.target_rows)),
            notes=tuple(n for n in (*self._notes, self.operations.problem, training.problem) if n),
        )

    def _guard(self, what: str, do: Callable[[], Any]) -> None:
        try:
            with private.DisableTorchFunction():
                do()
        except Exception as e:
            if len(self._notes) < 5:
                self._notes.append(f"{what}: {type(e).__name__}: {e}"[:200])
