"""The claims about one block, for the tests of the audit."""

from __future__ import annotations

from knowledge.audit.claims import claims_of
from knowledge.audit.model import Claim
from knowledge.audit.text import layout


def claims(code: str, after: str = "", before: str = "") -> list[Claim]:
    """The claims about one block."""
    (block,) = layout(f"{before}\n\n```python\n{code}\n```\n\n{after}\n")
    return claims_of(block)
