"""Find sums and means along another dimension than the comment beside them names.

`h = self.conv(x)  # [N, C, L]`, and then `h.mean(dim=1)  # global average pooling`: what is to be
pooled are the steps, and dimension 1 is said to be the channels.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.remarks.edits import put, way
from executor.inside.remarks.syntax import argument, assigned, dotted, functions, inside, tail
from executor.inside.walking import walk

_REDUCES = {"mean", "sum", "max", "amax", "median", "logsumexp"}
_LISTED = re.compile(
    r"#\s*(?:\w+\s*[:=]\s*)?[\[(]?\s*(\w+(?:\s*(?:,|×)\s*\w+|\s+x\s+\w+){1,4})\s*[\])]?\s*$"
)
_KINDS = {
    "samples": re.compile(r"(?i)n|b|bs|bsz|batch(_?size)?|samples?"),
    "features": re.compile(r"(?i)c|ch|chan\w*|d|dim|d_model|feat\w*|e|emb\w*|hidden|filters?"),
    "steps": re.compile(r"(?i)t|time|l|len|length|seq\w*|words?|tokens?|steps?|frames?|positions?"),
}  # fmt: skip
_STEPS = r"(?:time|words?|tokens?|(?:time ?)?steps?|sequence|frames?|length|positions?)"
_OF_STEPS = re.compile(
    rf"(?i)(?:over|across|along|of) (?:the |all )?{_STEPS}\b|\b{_STEPS}[ -]pool"
    r"|global[ -](?:average|avg|mean|max)[ -]pool"
)
_OF_FEATURES = re.compile(r"(?i)(?:over|across|along) (?:the |all )?(?:features?|channels?)\b")


def report_named_axes(collector: FindingCollector, tree: ast.Module, lines: Sequence[str]) -> None:
    """Add each reduction whose comment names one dimension, and whose number is another's."""
    for function in functions(tree).values():
        for call in (n for n in inside(function) if isinstance(n, ast.Call)):
            if tail(call) not in _REDUCES or not isinstance(call.func, ast.Attribute):
                continue
            of_module = dotted(call.func.value) == "torch"
            given = argument(call, 0, "input") if of_module else call.func.value
            along = argument(call, int(of_module), "dim", "axis")
            if given is None or not isinstance(along, ast.Constant) or type(along.value) is not int:
                continue
            named = _labels(dotted(given), call.lineno, function, lines)
            wanted = _said(call.lineno, lines)
            if not wanted or not -len(named) <= along.value < len(named):
                continue
            label = named[along.value]
            is_ = next((kind for kind, p in _KINDS.items() if p.fullmatch(label)), wanted)
            places = [i for i, n in enumerate(named) if _KINDS[wanted].fullmatch(n)]
            if is_ == wanted or len(places) != 1:
                continue
            collector.add(
                "reduced_along_another",
                call.lineno,
                dotted(given),
                f"`{ast.unparse(call)}` is to go over the {wanted}, as its comment says, and "
                f"dimension {along.value} of `{dotted(given)}` is `{label}`, the {is_}, as the "
                f"comment there has it; the {wanted} are dimension {places[0]}, and the next layer "
                f"takes as many inputs as are left then",
                ways=[way(f"it goes over the {wanted}", put(along, str(places[0])))],
            )
            return


def _said(line: int, lines: Sequence[str]) -> str:
    """Over what the comment of a line, or a line of its own above it, says that it goes."""
    above = lines[line - 2].strip() if line > 1 else ""
    said = lines[line - 1].partition("#")[2] + (above if above.startswith("#") else "")
    over = [k for k, p in (("steps", _OF_STEPS), ("features", _OF_FEATURES)) if p.search(said)]
    return over[0] if len(over) == 1 else ""


def _labels(name: str, line: int, function: ast.FunctionDef, lines: Sequence[str]) -> list[str]:
    """The names that a comment gives the dimensions of a variable where it was last set."""
    made = [s for s, n, _ in assigned(function) if n == name and s.lineno < line]
    if name in {a.arg for a in function.args.args} and not made:
        others = [a for a in function.args.args if a.arg not in ("self", name)]
        return _listed(lines[function.lineno - 1]) if not others else []
    last = max(made, key=lambda s: s.lineno, default=None)
    alone = last is not None and len({n for s, n, _ in assigned(function) if s is last}) == 1
    changed = any(
        isinstance(n, ast.AugAssign | ast.For) and n.lineno < line and name in
        {dotted(t) for t in walk(n.target)} for n in inside(function)
    )  # fmt: skip
    return _listed(lines[last.lineno - 1]) if last is not None and alone and not changed else []


def _listed(line: str) -> list[str]:
    found = _LISTED.search(line)
    return re.split(r"\s*[,×]\s*|\s+x\s+", found.group(1)) if found else []
