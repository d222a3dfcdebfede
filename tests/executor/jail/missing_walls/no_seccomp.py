"""Without the system-call filter."""

from typing import Any

from executor.jail import seccomp


def _install(**_: Any) -> None:
    """Nothing."""


seccomp.install = _install
