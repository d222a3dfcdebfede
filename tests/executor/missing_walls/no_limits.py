"""Without a wall that can be built: setting limits fails."""

from executor import jail


def _set_limits(_: jail.Cell) -> None:
    raise OSError(1, "the limits are refused")


jail._set_limits = _set_limits
