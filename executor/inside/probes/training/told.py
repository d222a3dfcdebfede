"""Turn PyTorch's own warnings into findings: what it means here, and what to do.

Only warnings that say something about what the code computes; those of deprecated names are left to
PyTorch. Most are notes: PyTorch warns of what may be meant.
"""

from __future__ import annotations

import ast
import math
import re
from itertools import zip_longest
from typing import Any

from executor.errors import families_of
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.told_edits import full_hooks, retained, with_its_graph
from executor.protocol import WarningSeen

_OF_NO_LEAF = r"The \.grad attribute of a Tensor that is not a leaf"
_COPIED = r"To copy construct from a tensor"
_TO_A_NUMBER = "Converting a tensor with requires_grad=True to a scalar"
_READS_OF_A_NEW_ONE = (
    "this reads `.grad` of a tensor that the very line computes, and no backward() went through "
    "that one: keep the tensor that the loss is made of under a name, call `retain_grad()` on it "
    "before backward(), and read its `.grad`; or use a hook of the layer "
    "(`register_full_backward_hook`)"
)
_HOOK = r"Using a non-full backward hook"
# A pattern of the message, and what a colleague would say of it.
_NOTES: tuple[tuple[str, str], ...] = (
    (
        _OF_NO_LEAF,
        "this reads `.grad` of a tensor that is no leaf, which is always None: read that of the "
        "leaf it was computed from, or call `retain_grad()` on it before backward(); where a "
        "`detach()` lies between them and the loss, neither gets one",
    ),
    (
        _COPIED,
        "`torch.tensor(t)` of a tensor is a copy of its values, without the graph if `t` has one: "
        "`t` itself is mostly meant, or `t.detach().clone()`, with `.to(dtype)` where it names one",
    ),
    (
        r"None of the inputs have requires_grad=True",
        "no input of checkpoint() requires a gradient, so the layers in it get none: pass "
        "`use_reentrant=False`",
    ),
    (
        _HOOK,
        "a hook of register_backward_hook gets the gradients of the last operation only: use "
        "`register_full_backward_hook`",
    ),
    (
        r"dropout option adds dropout after all but last recurrent layer",
        "`dropout=` of a recurrent layer acts between its layers, and there is one: nothing is "
        "dropped; use nn.Dropout on its output, or num_layers=2",
    ),
    (
        r"must run observer before calling calculate_qparams",
        "an observer has seen no data, so scale and zero point are not those of yours: between "
        "`prepare` and `convert` run some batches of real inputs through the model (calibration)",
    ),
    (
        r"reduction: 'mean' divides the total loss by both",
        "the mean of kl_div divides by all elements, which is no divergence: use "
        "`reduction='batchmean'`",
    ),
    (
        r"(std|var)\(\): degrees of freedom is <= 0",
        "the deviation of a single value is NaN: pass `unbiased=False`, or use more than one value",
    ),
    (
        _TO_A_NUMBER,
        "a number taken out of a tensor has no graph: what is computed from it gets no gradient; "
        "where only the number is wanted, write `.item()`",
    ),
    (
        r"torch\.meshgrid: in an upcoming release",
        "meshgrid gives rows first (indexing='ij'), NumPy's columns first: say which is meant",
    ),
    (
        r"Creating a tensor from a list of numpy",
        "a list of NumPy arrays is converted element by element, which is slow where there are "
        "many: `torch.from_numpy(np.stack(list))` is quicker; in place of `torch.Tensor` or "
        "`FloatTensor` with `.float()` behind it, as the arrays are mostly float64",
    ),
    (
        r"The given NumPy array is not writable",
        "this tensor shares memory that must not be written to: copy it first "
        "(`torch.from_numpy(a.copy())`)",
    ),
    (
        r"Please also save or load the state of the optimizer",
        "the scheduler's state alone does not hold the learning rate: save and load the "
        "optimizer's state too",
    ),
    (
        r"RNN module weights are not part of single contiguous chunk",
        "the recurrent layer's weights lie scattered, which is slow: call `flatten_parameters()`",
    ),
)


# The tensor whose gradient is read is made in that line, by a call of a layer or a function.
_OF_A_NEW_ONE = re.compile(r"(?<!\bnext)(?<!\bparameters)\((?:[^()]|\([^()]*\)){0,300}\)\.grad\b")
_CONVERTS = re.compile(r"\b(?:float|int|complex|bool|round|range|math\.\w+)\s*\(|\bnp\.")
# What PyTorch warns of when it is used, and where the text makes it.
_MADE_AT = {_HOOK: re.compile(r"\.register_backward_hook\(")}


def report_warnings(
    collector: FindingCollector, warnings: tuple[WarningSeen, ...], text: str, tree: ast.Module
) -> None:
    """Add a note for each warning that is known, once a line.

    Args:
        collector: takes them.
        warnings: what PyTorch said in this run.
        text: the program. A number that a library takes out of a tensor is the library's affair.
        tree: the same, parsed.
    """
    lines = text.splitlines()
    repeating: set[int | None] = set()
    for warning in warnings:
        if warning.line not in repeating and _report_repeated(collector, warning):
            repeating.add(warning.line)
        for pattern, says in _NOTES:
            if not re.search(pattern, warning.message):
                continue
            line = warning.line or 0
            at = lines[line - 1] if 0 < line <= len(lines) else ""
            if pattern == _OF_NO_LEAF and _OF_A_NEW_ONE.search(at):
                says = _READS_OF_A_NEW_ONE
            if pattern != _TO_A_NUMBER or _CONVERTS.search(at):
                made = _MADE_AT.get(pattern)
                lines_made = [n for n, text in enumerate(lines, 1) if made and made.search(text)]
                at_line = lines_made[0] if len(lines_made) == 1 else warning.line
                facts = _edits(pattern, tree, line) if says != _READS_OF_A_NEW_ONE else {}
                collector.add("pytorch_warns", at_line, "", says, **facts)


def _edits(pattern: str, tree: ast.Module, line: int) -> dict[str, Any]:
    """What a finding of this warning has beside its words: the edits of it, or of a cut."""
    if pattern == _HOOK:
        return {"ways": full_hooks(tree)}
    if pattern == _OF_NO_LEAF:
        return {"ways": retained(tree, line)}
    return {"uncut": with_its_graph(tree, line)} if pattern == _COPIED else {}


def _is_repeated(fewer: tuple[int, ...], more: tuple[int, ...]) -> bool:
    """Whether a tensor is broadcast to another's number of elements, and that one is kept."""
    pairs = zip_longest(reversed(fewer), reversed(more), fillvalue=1)
    return all(few in (1, many) for few, many in pairs)


def _report_repeated(collector: FindingCollector, warning: WarningSeen) -> bool:
    """Whether a loss repeats its input, or its target; of both, `loss_broadcasts` tells."""
    for seen in families_of(warning.category, warning.message):
        if seen.id != "loss_sizes" or not {"input", "target"} <= seen.values.keys():
            continue
        given, target = seen.sizes("input"), seen.sizes("target")
        fewer, more = sorted((given, target), key=math.prod)
        n, all_ = math.prod(fewer), math.prod(more)
        if n == all_ or not _is_repeated(fewer, more):
            continue
        repeated = "input" if fewer == given else "target"
        if repeated == "target" and n == 1:
            continue  # the same for all, as a constant is
        collector.add(
            "loss_repeats",
            warning.line,
            repeated,
            f"the loss compares an input of {list(given)} with a target of {list(target)}: the "
            f"{repeated} is repeated to fit, so each of its values is compared with "
            f"{all_ // n}; unless that is meant, give both one shape",
        )
        return True
    return False
