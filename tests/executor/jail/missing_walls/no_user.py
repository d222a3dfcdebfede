"""Without a user of one's own."""

import os


def _stay(*_: int) -> None:
    """Stay who we are."""


os.setresuid = os.setresgid = _stay
