"""A Fix: a codemod applied to one snippet, with its diff, its run and its checks."""

from __future__ import annotations

from executor.protocol import JobResult, Model
from knowledge.repair.codemod import Check


class Fix(Model):
    """A codemod applied to this snippet, with its run and its checks."""

    codemod: str
    title: str = ""
    steps: tuple[str, ...] = ()  # the titles, where it took more than one codemod
    proposed_by: str = ""  # the configured model that proposed it; empty: a codemod of ours
    intent: str = ""  # what the person then means, where the code leaves that open
    diff: str
    code: str
    verified: bool
    checks: tuple[Check, ...]
    result: JobResult | None
