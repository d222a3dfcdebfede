"""Tell of what the text of a program shows, where the run bears it out: it trained, to its end.

The rules are those of the remarks, of the kinds that say of any program they fit what is wrong. No
probe has seen it: the finding says so (`by_text`), and an edit of it is an alternative.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.remarks import BORNE_OUT
from executor.inside.remarks.edits import Told
from executor.inside.remarks.supposed import worded
from executor.inside.remarks.whole import SAID_OF_THE_WHOLE, is_whole

# Of the mode that a model is in: of no consequence where no layer works otherwise in training.
_OF_MODES = frozenset({"validated_in_training", "teaches_in_training", "phases_in_training"})
_BY_HAND = re.compile(r"\.training\b|\bdropout\w*\(")


def report_by_text(
    collector: FindingCollector, tree: ast.Module, code: str, models: Iterable[nn.Module]
) -> None:
    """Add what the rules find, after a run that trained and ended well; once for each line.

    Args:
        collector: takes the findings.
        tree: of the program.
        code: its text.
        models: the modules that it called.
    """
    has_modes = _BY_HAND.search(code) is not None or any(map(_has_modes, models))
    told_of: set[tuple[str, int | None]] = set()
    whole = is_whole(tree, code)
    for rule in dict.fromkeys(BORNE_OUT.values()):
        for told in rule(tree):
            kind, node, message, ways = told if isinstance(told, Told) else (*told, ())
            line = getattr(node, "lineno", None)
            if (kind in SAID_OF_THE_WHOLE and not whole) or (kind in _OF_MODES and not has_modes):
                continue
            if BORNE_OUT.get(kind) is rule and (kind, line) not in told_of:
                told_of.add((kind, line))
                name = ast.unparse(node)[:80] if isinstance(node, ast.expr) else ""
                collector.add_by_text(kind, line, name, worded(kind, message), ways)


def _has_modes(model: nn.Module) -> bool:
    """Whether a layer of it drops values in training, or takes the statistics of its batch."""
    return any(
        isinstance(m, (private.Dropout, private.BatchNorm)) or getattr(m, "dropout", 0)
        for m in model.modules()
    )
