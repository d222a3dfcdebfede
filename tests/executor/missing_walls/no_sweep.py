"""Without the sweep after a run."""

from executor import monitor
from executor.jail import Cell


def _sweep(_: Cell) -> int:
    return 0


monitor._sweep = _sweep
