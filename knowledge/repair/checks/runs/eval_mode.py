"""A model in training is not put into eval mode to get past an error."""

import re
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried

_EVAL = re.compile(r"\.eval\(\)|\.train\(\s*(?:mode\s*=\s*)?False\s*\)|\.training\s*=\s*False")


@refusing("eval mode", "what trains is in training mode")
def check(tried: Tried) -> Iterator[str]:
    """No model trains in eval mode since the fix."""
    known = {f.name for f in tried.before.findings if f.kind == "eval_mode_training"}
    now = [f for f in tried.after.findings if f.kind == "eval_mode_training"]
    added = len(_EVAL.findall(tried.fixed)) > len(_EVAL.findall(tried.original))
    for finding in now:
        if added and finding.name not in known:
            yield finding.message
