"""Seed every generator of random numbers, so that two runs of one program agree."""

from __future__ import annotations

import random
import sys


def seed(value: int | None) -> None:
    """Seed all generators that are imported; None leaves them random."""
    random.seed(value)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(value)
    if torch := sys.modules.get("torch"):
        # torch.manual_seed() also queues a seed for every accelerator that may be initialised
        # later, each with a formatted traceback: 7 ms that a CPU build can save.
        generator = torch if torch.version.cuda else torch.default_generator
        generator.manual_seed(value) if value is not None else generator.seed()
