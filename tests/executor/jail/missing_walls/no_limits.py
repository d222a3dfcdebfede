"""Without a wall that can be built: setting limits fails."""

from executor.jail import walls


def _set_limits(_: walls.Cell) -> None:
    raise OSError(1, "the limits are refused")


walls._set_limits = _set_limits
