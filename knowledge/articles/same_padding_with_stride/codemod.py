"""The number of zeros that `padding="same"` stands for, where a stride forbids the word.

With an odd kernel, `dilation * (kernel - 1) // 2` on both sides divides the size by the stride,
rounded up: what "same" means elsewhere. An even kernel would need another number on each side.
"""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.shapes import sizes, still_computed
from knowledge.repair.toolkit.sites import argument, seen_error, with_argument

ERRORS = ("same_padding_strided",)
_MADE = re.compile(r"Conv([123])d\(")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The same padding as numbers."""
    node = program.node
    padding = _padding(result)
    if not isinstance(node, cst.Call) or padding is None:
        return
    given = argument(node, 4, "padding")
    if given is None or program.text(given.value).strip("'\"") != "same":
        return
    text = str(padding[0]) if len(set(padding)) == 1 else str(padding)
    told = f"{text} on each side divides the size by the stride, rounded up"
    yield program.edit({node: with_argument(node, 4, "padding", cst.parse_expression(text))}, told)


def _padding(result: JobResult) -> tuple[int, ...] | None:
    """What the layer's own sizes call for; None if one side would need more than the other."""
    told = result.explanation.text if result.explanation is not None else ""
    made = _MADE.search(told)
    kernel = re.search(r"kernel_size=(\([\d, ]+\))", told)
    dilation = re.search(r"dilation=(\([\d, ]+\))", told)
    if made is None or kernel is None or dilation is None:
        return None
    both = list(zip(sizes(kernel[1]), sizes(dilation[1]), strict=True))
    if len(both) != int(made[1]) or any(d * (k - 1) % 2 for k, d in both):
        return None
    return tuple(d * (k - 1) // 2 for k, d in both)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same layer with its stride; only the word became a number, and that the right one."""
    error, padding = seen_error(before, *ERRORS), _padding(before)
    if error is None or padding is None:
        return []
    found = [still_computed(error, proposal.code, may_go=("same",))]
    numbers = {str(padding[0]), str(padding)} if len(set(padding)) == 1 else {str(padding)}
    given = re.findall(r"padding\s*=\s*(\([\d, ]+\)|\d+)", proposal.code)
    plain = re.search(r",\s*(\d+)\s*[,)]", proposal.code)
    by_place = "padding" not in error.code and plain is not None
    fits = any(g in numbers for g in given) or by_place
    strides = re.findall(r"stride\s*=\s*(\([\d, ]+\)|\d+)", error.code)
    kept = all(re.search(rf"stride\s*=\s*{re.escape(s)}", proposal.code) for s in strides)
    detail = "the padding keeps the size" if fits else "another padding than the size needs"
    found.append(Check(name="padding", passed=fits, detail=detail))
    return [*found, Check.of("stride", kept, "the stride is kept", "another stride")]
