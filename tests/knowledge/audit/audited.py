"""The claims about one block, for the tests of the audit."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.audit.claims import claims_of
from knowledge.audit.features import Statement
from knowledge.audit.model import Claim
from knowledge.audit.text import Block, layout


class Told:
    """A reader that is told which kinds of claims each statement makes, and how likely."""

    def __init__(self, **kinds: float) -> None:
        self._kinds = kinds

    def read(self, told: Sequence[Statement]) -> list[dict[str, float]]:
        """The same for each."""
        return [dict(self._kinds) for _ in told]


def block_of(code: str, after: str = "", before: str = "") -> Block:
    """One block with what is said around it."""
    (block,) = layout(f"{before}\n\n```python\n{code}\n```\n\n{after}\n")
    return block


def claims(code: str, after: str = "", before: str = "", **kinds: float) -> list[Claim]:
    """The claims about one block, of whose statements each makes claims of these kinds."""
    return claims_of(block_of(code, after, before), Told(**kinds).read)
