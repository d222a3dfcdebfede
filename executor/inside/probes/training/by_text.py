"""Tell of what the text of a program shows, where the run bears it out: it trained, to its end.

The rules are those of the remarks, of the kinds that say of any program they fit what is wrong. No
probe has seen it: the finding says so (`by_text`), and an edit of it is an alternative.
"""

from __future__ import annotations

import ast

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.remarks import BORNE_OUT
from executor.inside.remarks.edits import Told
from executor.inside.remarks.supposed import worded
from executor.inside.remarks.whole import SAID_OF_THE_WHOLE, is_whole


def report_by_text(collector: FindingCollector, tree: ast.Module, code: str) -> None:
    """Add what the rules find, after a run that trained and ended well; once for each line."""
    told_of: set[tuple[str, int | None]] = set()
    whole = is_whole(tree, code)
    for rule in dict.fromkeys(BORNE_OUT.values()):
        for told in rule(tree):
            kind, node, message, ways = told if isinstance(told, Told) else (*told, ())
            line = getattr(node, "lineno", None)
            if kind in SAID_OF_THE_WHOLE and not whole:
                continue
            if BORNE_OUT.get(kind) is rule and (kind, line) not in told_of:
                told_of.add((kind, line))
                name = ast.unparse(node)[:80] if isinstance(node, ast.expr) else ""
                collector.add_by_text(kind, line, name, worded(kind, message), ways)
