"""A Check: one thing that must hold before a fix is called verified."""

from __future__ import annotations

from executor.protocol import Model


class Check(Model):
    """One thing that must hold before a fix is called verified."""

    name: str
    passed: bool
    detail: str = ""
    routine: bool = False  # asked of every fix: that it passed says little about this one
