"""Find hooks that are registered again and again, and never removed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from typing import Any

from torch import nn

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.twins import parts
from executor.inside.walking import walk

_LEAST = 3  # times that one function hangs on one module


def report_hooks(collector: FindingCollector, tree: ast.Module, roots: Iterable[nn.Module]) -> None:
    """Add the module on which a function of the snippet's hangs several times, after the run."""
    lines = {
        n.lineno
        for n in walk(tree)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr.startswith("register_")
        and n.func.attr.endswith("hook")
    }
    for part in (p for root in roots for p in parts(root)) if lines else ():
        for name, held in vars(part).items():
            if not name.endswith("_hooks") or not isinstance(held, dict):
                continue
            known = Counter(code for hook in held.values() if (code := _code(hook)) is not None)
            for code, n in known.most_common(1):
                if n >= _LEAST:
                    collector.add(
                        "hooks_pile_up",
                        min(lines) if len(lines) == 1 else None,
                        code.co_name,
                        f"`{code.co_name}` hangs on one {type(part).__name__} {n} times: each time "
                        "it was registered once more and never removed, so that each call runs all "
                        "of them, and time and what they keep grow; keep what `register_…_hook` "
                        "returns and call its `remove()`, or register it once",
                        times=n,
                    )
                    return


def _code(hook: Any) -> Any:
    """The code of a function of the snippet's; None of anything else."""
    function = getattr(hook, "__func__", hook)
    own = getattr(function, "__module__", "") == "__main__"
    return getattr(function, "__code__", None) if own else None
