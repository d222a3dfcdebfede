"""Tell of what the text of a program shows, where the run bears it out: it trained, to its end.

The rules are those of the remarks. Here are the ones that hold of every program that runs, and for
which one edit is the remedy: as a finding, it can be tried (knowledge/repair/findings/as_told.py).
"""

from __future__ import annotations

import ast
import re

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.remarks import BORNE_OUT


def report_by_text(collector: FindingCollector, tree: ast.Module) -> None:
    """Add what the rules find, after a run that trained and ended well."""
    for kind, rule in BORNE_OUT.items():
        for found, node, message in rule(tree):
            if found == kind:
                name = ast.unparse(node)[:80] if isinstance(node, ast.expr) else ""
                quoted = re.findall(r"`([^`]+)`", message)  # the code that it speaks of
                collector.add(kind, getattr(node, "lineno", None), name, message, quoted=quoted)
