"""Tell a parameter that was forgotten by every optimizer from one that is meant to stay fixed.

A teacher, a feature extractor, a reward model, an attacked classifier: gradients pass through them,
and nothing may train them. What the run shows of a module's place decides; in doubt it is fixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.quiet import parameters

if TYPE_CHECKING:
    from executor.inside.probes.training.steps import Steps
    from executor.inside.probes.training.watched import Watched

_OF_LAYERS = "torch.nn."


class Forgotten:
    """Decides for each parameter that gets gradients and that no optimizer holds."""

    def __init__(self, steps: Steps, scored: set[int], *, ended: bool) -> None:
        """Args: as for `Steps.report`."""
        self._steps = steps
        self._names, self._calls = steps.names, steps.calls
        self._held = {*steps.optimized, *steps.held}
        self._scored = scored
        self._ended = ended
        # Whether a whole layer is trained, and not only an image, a prompt or a latent.
        roots = [w.root for w in steps.optimized.values() if w.root is not None]
        owners = {id(p): part for root in roots for part, p in parameters(root)}
        self._layers = any(
            type(owners[key]).__module__.startswith(_OF_LAYERS)
            for key in self._held
            if key in owners
        )
        self._parameters = any(isinstance(w.tensor, nn.Parameter) for w in steps.optimized.values())
        self._modules = any(key in owners for key in self._held)

    def __call__(self, w: Watched) -> bool:
        """Whether it was forgotten."""
        if w.root is None or w.module is None:  # a tensor or a parameter of its own
            return self._parameters or not isinstance(w.tensor, nn.Parameter)
        if self._steps.twin(w) is not None:
            return True  # a twin of what the optimizer holds: trained by mistake in its place
        if self._names.is_lazy(w.name) and not self._names.intent.loads:
            return w.training and self.partly(w)  # it was left out since it had no size yet
        if not w.training or self._names.intent.selects:
            return False
        if not self._modules or (_is_layer(w.module) and not self._layers):
            return False  # an image, a prompt, a latent vector is all that is trained
        if is_from_a_library(w.root) or self._names.intent.loads:
            return False
        if self.partly(w):
            return not self._is_beside_its_like(w.root, w.tensor)
        return not self._ended and self._is_trained_through(w.root)

    def in_doubt(self, w: Watched) -> bool:
        """Whether it is worth a note that a module stays fixed.

        Nobody asks where no module is trained at all, or where an error came before the end.
        """
        return self._modules and not (self._ended and not self.partly(w))

    def partly(self, w: Watched) -> bool:
        """Whether an optimizer holds a part of its module."""
        return w.root is not None and any(id(p) in self._held for _, p in parameters(w.root))

    def _is_beside_its_like(self, root: nn.Module, tensor: torch.Tensor) -> bool:
        """Whether its part of a module is built as one that is trained: a target, a teacher."""
        parts = [part for part in private.modules_of(root).values() if part is not None]
        built = {id(part): [p for _, p in parameters(part)] for part in parts}
        own = next((part for part in parts if any(p is tensor for p in built[id(part)])), None)
        if own is None or not private.modules_of(own):
            return False  # of one layer beside another nothing says that they do the same
        shapes = [p.shape for p in built[id(own)]]
        like = (built[id(part)] for part in parts if part is not own)
        return not any(id(p) in self._held for p in built[id(own)]) and any(
            [p.shape for p in other] == shapes and any(id(p) in self._held for p in other)
            for other in like
        )

    def _is_trained_through(self, root: nn.Module) -> bool:
        """Whether a module stands behind trained layers, as the last ones of a network do.

        One that also gets data, in the same call too, compares features of both; one whose output
        is the loss is a judge of what the trained layers made.
        """
        fed = any(id(m) in self._calls.fed for m in root.modules())
        plain = any(id(m) in self._calls.plain for m in root.modules())
        scores = any(id(p) in self._scored for _, p in parameters(root))
        return fed and not plain and not scores


def is_from_a_library(root: nn.Module) -> bool:
    """Whether its class is neither the snippet's nor torch.nn's: its weights may be trained."""
    name = type(root).__module__
    return name != "__main__" and not name.startswith(_OF_LAYERS)


def _is_layer(module: nn.Module) -> bool:
    return type(module).__module__.startswith(_OF_LAYERS)


def frozen_norms(root: nn.Module) -> list[Any]:
    """The batch norms whose weights are frozen, and which keep statistics."""
    return [
        m
        for m in root.modules()
        if isinstance(m, private.BatchNorm)
        and m.weight is not None
        and not m.weight.requires_grad
        and m.num_batches_tracked is not None
    ]
