"""Bring a prediction and its target to one shape, where a loss only warns that they differ."""

from executor.errors import family_of
from executor.protocol import JobResult
from knowledge.repair.by_finding import codemod_of
from knowledge.repair.findings import pairs

_found, rewrite, checks = codemod_of(pairs, "loss_broadcasts")


def applies(result: JobResult) -> bool:
    """A loss compared every prediction with every target, and PyTorch warned about it."""
    seen = [family_of(w.category, w.message) for w in result.warnings if w.line]
    return any(s is not None and s.id == "loss_sizes" for s in seen) and _found(result)
