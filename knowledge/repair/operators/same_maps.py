"""Bring one of two tensors to the sizes of the other, where a model joins or adds them.

A map that was pooled and upsampled again comes back a little smaller: it is resized or padded to
the one that skipped that. Only between maps [batch, channels, …] that differ in nothing but place.
A weight for each position, of more positions than there are, is cut off at their number.
"""

import re
from collections.abc import Iterable
from typing import Any

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Edits, Program, operand
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import Operand, tensors, value_with
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import argument, assignment, calls, integer, with_argument
from knowledge.repair.toolkit.statements import last_name

ERRORS = (
    "expand_sizes",
    "cat_sizes",
    "broadcast_sizes",
    "loss_sizes",
    "view_size",
    "attention_mask",
)
_LENGTHS = ("t", "seq_len", "T", "seq_length", "length", "L", "n", "steps")
_MOST = 2  # how many times as large the one may be


def edits(failure: Failure) -> Rewrites:
    """The smaller one resized, or padded with zeros at its far edges."""
    place = next(iter(failure.places), None)
    if place is None:
        return
    yield from _every_other(failure)
    yield from _causal(failure, place)
    yield from _kept(failure)
    if is_a(failure.error, "view_size", "attention_mask", "expand_sizes"):
        return
    yield from _one_more(failure, place)
    yield from _of_odd_length(failure, place)
    if any("fft" in last_name(failure, c.func) for c in failure.all(cst.Call)):
        return  # what such a transform gives has the length that it is told: never stretched
    if failure.up(place.node, cst.FunctionDef) is None or is_a(failure.error, "loss_sizes"):
        return
    yield from _cut(failure, place)
    found = _maps(tensors(failure, place))
    if found is None:
        return
    small, large = found
    if _slid_over(failure, place, small, large):
        return  # the edge belongs before the window, not behind it
    name, other = failure.text(small.node), failure.text(large.node)
    interpolate, pad = (failure.name_of("torch.nn.functional", f) for f in ("interpolate", "pad"))
    places = small.value.dim() - 2
    size = f"{other}.shape[2:]" if isinstance(large.node, cst.Name) else list(large.value.shape[2:])
    resized = cst.parse_expression(f"{interpolate}({name}, size={size})")
    told = f"`{name}` is resized to the places of `{other}`"
    meaning = f"`{name}` may be stretched to the size of `{other}`"
    yield failure.edit({small.node: resized}, told, meaning, cost=COST.LIKELY)
    if not isinstance(small.node, cst.Name) or not isinstance(large.node, cst.Name):
        return
    gaps = [f"0, {other}.size({d}) - {name}.size({d})" for d in range(places + 1, 1, -1)]
    padded = cst.parse_expression(f"{pad}({name}, [{', '.join(gaps)}])")
    told = f"`{name}` is padded with zeros to the places of `{other}`"
    meaning = f"`{name}` keeps its values, and zeros are put at its far edges"
    yield failure.edit({small.node: padded}, told, meaning, cost=COST.LIKELY)


def _slid_over(failure: Failure, place: Place, small: Operand, large: Operand) -> bool:
    """Whether the smaller map comes of one of full size, over which a window slid step by step."""
    name = small.node
    made = assignment(failure, name.value, name) if isinstance(name, cst.Name) else None
    if made is None or not isinstance(made.value, cst.Call) or not made.value.args:
        return False
    slides = re.search(r"(?i)pool|conv", failure.text(made.value.func)) is not None
    full = failure.value(made.value.args[0].value, place.frame) if slides else None
    return full is not None and getattr(full, "shape", ())[2:] == large.value.shape[2:]


def _kept(failure: Failure) -> Rewrites:
    """`padding="same"` of the convolutions that have none, so that their maps keep their size."""
    changes: Edits = {}
    for call in calls(failure, r"(^|\.)Conv[123]d$"):
        stride = argument(call, 3, "stride")
        strides = stride is not None and failure.text(stride.value) != "1"
        if not strides and argument(call, 4, "padding") is None:
            changes[call] = with_argument(call, 4, "padding", cst.SimpleString('"same"'))
    for some in (*({call: new} for call, new in changes.items()), changes):
        if some and (some is not changes or len(changes) > 1):
            what = f'`padding="same"` in {_lines(failure, some)} keeps the size of a map'
            meaning = "a convolution is to keep the size of its input"
            new = failure.replace(some)
            yield Rewrite(new, what, meaning, as_one=True, cost=COST.LIKELY, supposes=True)


def _one_more(failure: Failure, place: Place) -> Rewrites:
    """`output_padding=1` of a transposed convolution, where its map is one short in each place."""
    found = _maps(tensors(failure, place))
    if found is None:
        return
    small, large = (o.value.shape[2:] for o in found)
    if {b - a for a, b in zip(small, large, strict=True)} - {1, 2, 3}:
        return
    changes: Edits = {
        call: with_argument(call, 5, "output_padding", integer(1))
        for call in calls(failure, r"(^|\.)ConvTranspose[123]d$")
        if argument(call, 5, "output_padding") is None
    }
    cost = COST.SURE if is_a(failure.error, "loss_sizes") else COST.LIKELY + 0.1
    for some in (*({call: new} for call, new in changes.items()), changes):
        if some is not changes or len(changes) > 1:
            where = _lines(failure, some)
            title = f"{where}: `output_padding=1` makes its map one larger"
            meaning = f"the layer of {where} is to give one more in each place"
            yield Rewrite(failure.replace(some), title, meaning, cost=cost, as_one=True)


def _lines(program: Program, nodes: Iterable[cst.CSTNode]) -> str:
    """`line 32`, or `lines 32 and 34`."""
    lines = [str(program.line(node)) for node in nodes]
    return f"line{'s' * (len(lines) > 1)} {' and '.join(lines)}"


def _of_odd_length(failure: Failure, place: Place) -> Rewrites:
    """`irfft(y, n=x.size(-1))`: without `n` it gives an even number, one less than went in."""
    sizes = [tuple(o.value.shape) for o in tensors(failure, place)]
    if len(sizes) != 2 or not all(sizes) or abs(sizes[0][-1] - sizes[1][-1]) != 1:
        return
    for back in calls(failure, r"(^|\.)irfft[2n]?$"):
        function = failure.up(back, cst.FunctionDef)
        kind = last_name(failure, back.func).removeprefix("irfft")
        there = [c for c in calls(failure, rf"(^|\.)rfft{kind}$") if _is_in(failure, c, function)]
        option = "s" if kind else "n"
        if argument(back, 1, option) is not None or len(there) != 1 or not there[0].args:
            continue
        given, dim = there[0].args[0].value, argument(there[0], 2, "dim")
        name = _as_large(failure, place, given)
        if not name or (kind and dim is not None):
            continue
        size = f"{name}.size({failure.text(dim.value) if dim is not None else -1})"
        if kind:
            size = f"{name}.shape[-2:]" if kind == "2" else f"{name}.shape"
        told = f"`{option}={size}`: the transform back has the length of `{name}`"
        length = cst.parse_expression(size)
        yield failure.edit({back: with_argument(back, 1, option, length)}, told)


def _as_large(failure: Failure, place: Place, given: cst.BaseExpression) -> str:
    """The variable that is transformed; else one that has its shape: `x` for `self.norm(x)`."""
    if isinstance(given, cst.Name):
        return given.value
    shape = getattr(failure.value(given, place.frame), "shape", None)
    names = [n.value for n in failure.inside(given, cst.Name)]
    held = failure.live.names[place.frame]
    return next((n for n in names if getattr(held.get(n), "shape", ()) == shape), "")


def _is_in(program: Program, node: cst.CSTNode, function: cst.FunctionDef | None) -> bool:
    return program.up(node, cst.FunctionDef) is function


def _cut(failure: Failure, place: Place) -> Rewrites:
    """`x + self.pos[:, :x.size(1)]`: a table of positions is longer than what it is added to."""
    given = tensors(failure, place)
    if len(given) != 2 or given[0].value.dim() != given[1].value.dim():
        return
    for table, other in (given, given[::-1]):
        if not isinstance(table.value, torch.nn.Parameter) or table.value.dim() < 2:
            continue
        pairs = list(zip(table.value.shape, other.value.shape, strict=True))
        wrong = [d for d, (a, b) in enumerate(pairs) if a not in (1, b)]
        if len(wrong) != 1 or pairs[wrong[0]][0] < pairs[wrong[0]][1] or wrong[0] == len(pairs) - 1:
            continue
        d, name = wrong[0], failure.text(other.node)
        size = f"{name}.size({d})" if isinstance(other.node, cst.Name) else str(pairs[d][1])
        for word in _LENGTHS:
            if failure.live.names[place.frame].get(word) == pairs[d][1]:
                size = word
                break
        text = f"{failure.text(table.node)}[{':, ' * d}:{size}]"
        told = f"`{failure.text(table.node)}` is cut off at the length of `{name}`"
        yield failure.edit({table.node: cst.parse_expression(text)}, told)


def _every_other(failure: Failure) -> Rewrites:
    """`table[:, 1::2] = torch.cos(x)`: of an odd number of columns there is one less of these."""
    small = failure.alone
    if not isinstance(small, cst.Assign) or not isinstance(small.targets[0].target, cst.Subscript):
        return
    slot = small.targets[0].target
    last = slot.slice[-1].slice
    room, given = failure.value(slot), failure.value(small.value)
    if not isinstance(last, cst.Slice) or last.step is None or not isinstance(room, torch.Tensor):
        return
    wanted = (*room.shape[:-1], room.shape[-1] + 1)
    if not isinstance(given, torch.Tensor) or given.shape != wanted:
        return
    value = failure.module.code_for_node(operand(small.value))
    new = cst.parse_expression(f"{value}[..., :{failure.text(slot)}.shape[-1]]")
    told = f"the last column is cut off, for which `{failure.text(slot)}` has no place"
    yield failure.edit({small.value: new}, told, at=slot)


def _causal(failure: Failure, place: Place) -> Rewrites:
    """`mask[:t, :t]`: of a mask that hides what comes later, the part for the steps there are."""
    parts = [n for n in failure.expressions(place.node) if isinstance(n, (cst.Name, cst.Attribute))]
    held = [(n, failure.value(n, place.frame)) for n in parts]
    given = [(n, v) for n, v in held if isinstance(v, torch.Tensor) and v.dim() > 1]
    for node, mask in given:
        if not _hides_what_comes_later(mask):
            continue
        sizes = {d for n, v in given if n is not node for d in v.shape[-2:]}
        for size in sorted({d for d in sizes if 1 < d < mask.shape[-1]}):
            length = _length_named(failure, place, given, size)
            front = "..., " if mask.dim() > 2 else ""
            text = f"{failure.text(node)}[{front}:{length}, :{length}]"
            new = cst.parse_expression(text)
            if value_with(failure, place, node, new) is failure.missing:
                continue
            told = f"`{failure.text(node)}` is cut off at the {size} steps that there are"
            yield failure.edit({node: new}, told)
            return


def _hides_what_comes_later(mask: Any) -> bool:
    """Whether it is square, one thing on and below its diagonal and another above."""
    rows = mask.shape[-1]
    if mask.shape[-2] != rows or mask.numel() != rows * rows:
        return False
    flat = mask.detach().reshape(rows, rows).float()
    above = torch.ones(rows, rows, dtype=torch.bool).triu(1)
    kinds = (set(flat[above].tolist()), set(flat[~above].tolist()))
    return all(len(k) == 1 for k in kinds) and kinds[0] != kinds[1]


def _length_named(failure: Failure, place: Place, given: list[tuple[Any, Any]], size: int) -> str:
    """A name for the number of steps: one that is alive, else the size of a tensor."""
    for word in _LENGTHS:
        if failure.live.names[place.frame].get(word) == size:
            return word
    for node, value in given:
        if isinstance(node, cst.Name) and size in value.shape:
            sizes = list(value.shape)
            at = len(sizes) - 2 if sizes[-2] == size else sizes.index(size)
            return f"{node.value}.size({at})"
    return str(size)


def _maps(given: tuple[Operand, ...]) -> tuple[Operand, Operand] | None:
    """The smaller and the larger of two maps; None where they are none."""
    if len(given) != 2:
        return None
    small, large = sorted(given, key=lambda o: o.value.numel() / max(1, o.value.shape[1])
                          if o.value.dim() > 1 else 0)  # fmt: skip
    a, b = small.value.shape, large.value.shape
    if len(a) != len(b) or not 3 <= len(a) <= 5 or a[0] != b[0]:
        return None
    pairs = list(zip(a[2:], b[2:], strict=True))
    if a == b or not all(x <= y <= _MOST * x for x, y in pairs):
        return None
    return small, large


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is still computed of both."""
    resized = ("pad", "interpolate", "size", "shape", "[", ":", "...", *_LENGTHS)
    stretched = "fft(" in proposal.code and not re.search("`[ns]=", proposal.title)
    passed = not (stretched and "interpolate(" in proposal.code)
    told = "nothing that a transform gave is stretched" if passed else "a transform is stretched"
    length = Check(name="length", passed=passed, detail=told)
    return [still_computed(before.error, proposal.code, allowed=resized), length]
