"""Find samples that leak into each other and futures that leak into the past, by calling again.

Where a run gives cause for it, a model is called a few more times when the run is over, with
inputs of which a part is changed: what must not depend on that part must not move. The causes are
targets that are the inputs one step later, a layer that takes time first where the targets say
that the samples come first, and rows that are samples (mixing.py).
"""

from __future__ import annotations

import ast
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.again import Caller, KeptCall, close, mapped, tensors
from executor.inside.probes.kinds import finding
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training import ignored, lost_batch, mixing, padded, unread
from executor.inside.probes.training.nodes import ignored_index, shape, what
from executor.inside.probes.training.quiet import equal, parameters, quietly
from executor.inside.walking import walk
from executor.protocol import Finding

_ELEMENTS = 1 << 16  # of one call's inputs
_CALLS = 4  # modules whose calls are kept
_SECONDS = (
    1.0  # of processor time, after which no model is looked at that gives no cause of its own
)
_LATER = 3  # further calls of each that are compared with the one kept
_LEAST = 4  # steps of a sequence whose targets are compared with it
_PADDED = 0.1  # of the targets that are padding
_SAMPLES = 8  # of a batch whose targets are looked for in its inputs
_TIME_FIRST = (
    nn.RNNBase, nn.MultiheadAttention, nn.Transformer, nn.TransformerEncoderLayer,
    nn.TransformerDecoderLayer,
)  # fmt: skip
_TARGETED = {
    "NllLoss", "NllLoss2D", "MseLoss", "SmoothL1Loss", "HuberLoss", "BinaryCrossEntropy",
    "BinaryCrossEntropyWithLogits",
}  # fmt: skip


@dataclass
class _Kept:
    """A recorded call of a model, and the target of the loss computed from it."""

    call: KeptCall
    first: torch.Tensor
    target: torch.Tensor | None = None
    counts: int | None = None  # the class that the loss leaves out, where it averages over all
    later: list[tuple[int, bool]] = field(default_factory=list)  # calls: rows, other values
    elsewhere: bool = False  # where no gradients were recorded it had another number of rows


class Leaks:
    """Keeps one call of each model, with its target; tries them again afterwards."""

    def __init__(
        self,
        source: SnippetSource,
        waiting: set[int],
        *,
        takes_columns: bool,
        views_states: bool = False,
        pads: bool = False,
        samples_first: bool = False,
        ways_to_mask: Callable[[], list[dict[str, Any]]] = list,
    ) -> None:
        """Args.

        source: the snippet.
        waiting: gets the ids of the models whose last call has no target so far.
        takes_columns: the text makes something of one column of a table, perhaps the target.
        views_states: it lays out the last states of a recurrent layer by a view.
        pads: it speaks of padding.
        samples_first: it says that the first dimension is that of the samples.
        ways_to_mask: the edits by which it does not attend to later steps.
        """
        self._kept: dict[int, _Kept] = {}
        self._source = source
        self._waiting = waiting
        self._takes_columns = takes_columns
        self._views_states = views_states
        self._pads = pads
        self._samples_first = samples_first
        self._ways_to_mask = ways_to_mask

    def called(self, module: nn.Module, args: Any, kwargs: Any, line: int | None) -> None:
        """A model was called where gradients are recorded: keep its inputs, until a backward."""
        if id(module) not in self._kept and len(self._kept) >= _CALLS:
            return
        given = [a for a in (*args, *kwargs.values()) if type(a) is torch.Tensor]
        if not given or private.profiled():  # a profiler would list the copies
            return
        known = self._kept.get(id(module))
        if known is not None and known.target is not None:
            with private.DisableTorchFunction(), quietly():
                known.later.append((given[0].shape[:1].numel(), not equal(known.first, given[0])))
            return
        with quietly():
            if given[0].dim() < 2 or sum(t.numel() for t in given) > _ELEMENTS:
                return
        if not any(True for _ in parameters(module)):
            return
        if any(private.unwrapped(t) is not None for t in given):
            return  # inside a transformation of torch.func
        with private.DisableTorchFunction(), quietly():
            call = KeptCall(
                module,
                tuple(_copy(a) for a in args),
                {name: _copy(a) for name, a in kwargs.items()},
                line,
                recorded=True,
            )
        first = next(a for a in (*call.args, *call.kwargs.values()) if type(a) is torch.Tensor)
        self._kept[id(module)] = _Kept(call, first)
        self._waiting.add(id(module))

    def called_unrecorded(self, module: nn.Module, tensors: Sequence[torch.Tensor]) -> None:
        """The first call of a model without gradients: on how many rows of the same kind."""
        known = self._kept.get(id(module))
        if known is not None and len(tensors) == 1 and tensors[0].dim() == known.first.dim():
            with private.DisableTorchFunction():
                rows, *sizes = tensors[0].shape
            same = list(known.first.shape[1:]) == sizes
            known.elsewhere = same and 0 < rows != len(known.first)

    def backward_begins(self, loss: torch.Tensor) -> None:
        """The loss of the calls that have none so far."""
        without = [k for k in self._waiting if self._kept[k].target is None]
        if without:
            with quietly():
                target, counts = _target(loss), _left_out(loss)
            for key in without:
                self._kept[key].target, self._kept[key].counts = target, counts
        # A few further calls show whether each one has a batch of its own.
        more = {k for k in self._waiting if len(self._kept[k].later) < _LATER}
        self._waiting.clear()
        self._waiting |= more

    @property
    def have_cause(self) -> bool:
        """Whether a call is worth trying again."""
        return any(k.target is not None for k in self._kept.values())

    @property
    def targets(self) -> list[torch.Tensor]:
        """What the losses of those calls compared with."""
        return [k.target for k in self._kept.values() if k.target is not None]

    @property
    def left_out(self) -> set[int]:
        """The classes that losses ignored, of a tenth of their targets or more."""
        with quietly():
            return {
                k.counts
                for k in self._kept.values()
                if k.counts is not None
                and k.target is not None
                and float((k.target == k.counts).float().mean()) >= _PADDED
            }

    @property
    def calls(self) -> list[KeptCall]:
        """The calls that can be tried again."""
        return [k.call for k in self._kept.values()]

    def look(self) -> list[Finding]:
        """Try them: it calls the snippet's modules, so that it comes last of all."""
        found: list[Finding] = []
        until = clock.process_time() + _SECONDS
        for kept in self._kept.values():
            with quietly():
                shifted, turned, time = _shifted(kept), _may_mix(kept), _time(kept)
                held, same = _holds_target(kept), _same(kept)
                padding = _padding(kept)
                stacked = _stacked(kept) if self._views_states else None
                samples = _are_samples(kept)
                mark = padded.mark_of(kept.call.module, kept.first, kept.target, pads=self._pads)
            if padding is not None:
                found.append(_told_of_padding(kept, *padding))
            if held is not None and not self._takes_columns:
                found.append(_told_of_target(kept, held))
            if same is not None:
                found += Caller.with_time(kept.call, partial(_copied, kept=kept, same=same))
            if shifted is not None:
                look = partial(_future, kept=kept, shifted=shifted, ways=self._ways_to_mask)
                found += Caller.with_time(kept.call, look)
            elif (layer := turned or stacked) is not None:
                look = partial(_samples, kept=kept, layer=layer, by_states=turned is None)
                found += Caller.with_time(kept.call, look)
            if time is not None and not found:
                look = partial(unread.look, call=kept.call, dim=time, first=kept.first)
                found += Caller.with_time(kept.call, look)
            if mark is not None and not found:
                look = partial(padded.look, call=kept.call, first=kept.first, mark=mark)
                found += Caller.with_time(kept.call, look)
            in_time = clock.process_time() < until
            if kept.target is not None and not found and in_time:
                found += Caller.with_time(kept.call, partial(ignored.look, call=kept.call))
            together = self._samples_first and lost_batch.may_be(kept.first, kept.target)
            if together and not found and in_time:
                again = partial(lost_batch.look, first=kept.first, source=self._source)
                found += Caller.with_time(kept.call, partial(again, call=kept.call))
            if samples and not found and in_time:
                look = partial(mixing.look, call=kept.call, first=kept.first, source=self._source)
                found += Caller.with_time(kept.call, look)
        return found


def _are_samples(kept: _Kept) -> bool:
    inputs = kept.call.args, kept.call.kwargs
    return mixing.are_samples(kept.first, kept.target, inputs, kept.later, elsewhere=kept.elsewhere)


def _time(kept: _Kept) -> int | None:
    return unread.time_of(kept.call.module, kept.first, kept.target)


def _copy(value: Any) -> Any:
    return value.detach().clone() if type(value) is torch.Tensor else value


def _left_out(loss: torch.Tensor) -> int | None:
    """The class that the nearest nll_loss ignores, if it gives one number for all."""
    node = _nearest(loss, {"NllLoss", "NllLoss2D"})
    if node is None or shape(node, 0) != ():
        return None
    return ignored_index(node)


def _target(loss: torch.Tensor) -> torch.Tensor | None:
    """What the nearest loss function compares its input with."""
    node = _nearest(loss, _TARGETED)
    found = private.saved_target(node) if node is not None else None
    return found.detach().clone() if found is not None and found.numel() <= _ELEMENTS else None


def _nearest(loss: torch.Tensor, kinds: set[str]) -> Any:
    """The operation of one of those kinds that is nearest to the loss; None if there is none."""
    todo, seen = [loss.grad_fn], 0
    while todo and seen < 30:
        node = todo.pop(0)
        seen += 1
        if node is not None and what(node) in kinds:
            return node
        todo += [n for n, _ in node.next_functions] if node is not None else []
    return None


# -- the target itself ----------------------------------------------------------------------------


def _holds_target(kept: _Kept) -> int | None:
    """The number of steps of a window whose last value is what the model is to predict.

    All of them in every sample, and of values that differ.
    """
    target, first = kept.target, kept.first
    if target is None or not first.is_floating_point() or not target.is_floating_point():
        return None
    rows, steps = first.shape[:2]
    if first.dim() > 3 or rows < _SAMPLES or steps < _LEAST or target.numel() != rows:
        return None
    wanted = target.flatten().to(first.dtype)
    last = first[:, -1].reshape(rows, -1)
    if len(torch.unique(wanted)) < rows // 2:
        return None
    return steps if bool((last == wanted[:, None]).all(0).any()) else None


def _told_of_target(kept: _Kept, steps: int) -> Finding:
    kind = type(kept.call.module).__name__
    return finding(
        "target_in_inputs",
        kept.call.line,
        kind,
        f"what `{kind}` is to predict is the last of the {steps} steps that it is given, in every "
        "sample: it only has to hand it on, so that the error is small and says nothing; take "
        "the step behind the window as the target",
        steps=steps,
    )


# -- padding --------------------------------------------------------------------------------------


def _padding(kept: _Kept) -> tuple[int, float] | None:
    """The token that an embedding takes for padding, and its share of the targets that count.

    It stands at the ends of the sequences only, in the inputs and in the targets.
    """
    target, first = kept.target, kept.first
    if target is None or kept.counts is None or first.is_floating_point() or first.dim() != 2:
        return None
    if target.is_floating_point() or target.numel() != first.numel():
        return None
    marks = {m.padding_idx for m in kept.call.module.modules() if isinstance(m, nn.Embedding)}
    for mark in marks - {kept.counts}:
        if mark is None:
            continue
        given, wanted = (t.reshape(first.shape).eq(mark) for t in (first, target))
        at_the_end = all(bool((p[:, 1:] >= p[:, :-1]).all()) for p in (given, wanted))
        share = float(wanted.float().mean())
        if at_the_end and share >= _PADDED and bool(given.any()):
            return mark, share
    return None


def _told_of_padding(kept: _Kept, mark: int, share: float) -> Finding:
    kind = type(kept.call.module).__name__
    return finding(
        "padding_counts",
        kept.call.line,
        kind,
        f"{share:.0%} of the targets are padding ({mark}, as the embedding has it), and the loss "
        "counts them as any other: the model is trained to say padding too, and the loss looks "
        f"better than it is; pass `ignore_index={mark}`",
        padding=mark,
    )


# -- the step itself -----------------------------------------------------------------------------


def _same(kept: _Kept) -> tuple[str, int] | None:
    """The input of whole numbers of which the target is the very same step, and its time."""
    target = kept.target
    if target is None or target.is_floating_point():
        return None
    for name, given in tensors((kept.call.args, kept.call.kwargs)):
        if given.is_floating_point() or given.dim() != 2 or given.numel() != target.numel():
            continue
        if min(given.shape) < 2 or given.shape[1] < _LEAST or len(torch.unique(given)) <= 2:
            continue
        wanted = target.reshape(given.shape)
        counts = wanted >= 0  # what a loss ignores is no class
        if bool(counts.any()) and bool((given == wanted)[counts].all()):
            return name, 1
    return None


def _copied(call: Caller, kept: _Kept, same: tuple[str, int]) -> list[Finding]:
    """A model that reads a sequence in order, and is to say the step that it has just read.

    One that reads it as a whole is an autoencoder. Which one it is shows when later steps change.
    """
    steps = dict(tensors((kept.call.args, kept.call.kwargs)))[same[0]].shape[same[1]]
    if _reads(call, kept, *same) != "in_order" or not _sees_own_step(call, kept, *same):
        return []
    if not _keeps_apart(call, kept):
        return []  # it reads along the batch, and nothing in the order of the steps
    kind = type(kept.call.module).__name__
    return [
        finding(
            "copies_its_input",
            kept.call.line,
            kind,
            f"what `{kind}` is to say at each step is the very step that it has just read, and it "
            "reads them in order: it only has to hand it on, so that the loss falls to nothing; "
            "shift the targets by one: inputs `[:, :-1]`, targets `[:, 1:]`",
            steps=steps,
        )
    ]


def _sees_own_step(call: Caller, kept: _Kept, name: str, dim: int) -> bool:
    """Whether what it says at a step changes with that step of an input, and not only later.

    A decoder may be given its whole target and read at each step the one before it.
    """
    inputs = kept.call.args, kept.call.kwargs
    sizes = dict(tensors(inputs))[name].shape
    half = sizes[dim] // 2

    def changed(which: str, t: torch.Tensor) -> torch.Tensor:
        new = t.clone()
        if which == name:
            values = torch.unique(t)
            at = torch.searchsorted(values, t.select(dim, half).contiguous())
            new.select(dim, half).copy_(values[(at + 1) % len(values)])
        return new

    outputs = call.run(inputs), call.run(mapped(inputs, changed))
    before, after = (_by_step(out[0], sizes, dim) for out in outputs)
    if before is None or after is None:
        return False
    return not close(before.select(dim, half), after.select(dim, half))


# -- the future -----------------------------------------------------------------------------------


def _shifted(kept: _Kept) -> tuple[str, int] | None:
    """The input of which the target is the next step, and its dimension of time."""
    target = kept.target
    if target is None:
        return None
    for name, given in tensors((kept.call.args, kept.call.kwargs)):
        if given.numel() != target.numel() or given.dim() < 2:
            continue
        for dim in range(given.dim() - 1, -1, -1):
            steps = given.shape[dim]
            if steps < _LEAST:
                continue
            after = target.reshape(given.shape).to(given.dtype)
            now, then = after.narrow(dim, 0, steps - 1), given.narrow(dim, 1, steps - 1)
            counts = now != -100
            if not bool(counts.any()) or not bool((now == then)[counts].all()):
                continue
            whole = bool((after.select(dim, steps - 1) == given.select(dim, 0)).all())
            if (
                not whole and len(torch.unique(given)) > 2
            ):  # a whole turn is a field, and no sequence
                return name, dim
    return None


def _future(
    call: Caller,
    kept: _Kept,
    shifted: tuple[str, int],
    ways: Callable[[], list[dict[str, Any]]],
) -> list[Finding]:
    """Change the last steps of a sequence: what is said of those before must stay."""
    steps = dict(tensors((kept.call.args, kept.call.kwargs)))[shifted[0]].shape[shifted[1]]
    if _reads(call, kept, *shifted) != "ahead":
        return []
    kind = type(kept.call.module).__name__
    return [
        finding(
            "sees_the_future",
            kept.call.line,
            kind,
            f"the targets are the inputs one step later, and what `{kind}` says at a step changes "
            "with the inputs after it: it can look its answer up, so that the loss falls and "
            f"nothing is learned; {_without_the_future(kept.call.module)}",
            steps=steps,
            ways=ways(),
        )
    ]


def _without_the_future(model: torch.nn.Module) -> str:
    """How its layers are kept from what comes later."""
    layers = list(model.modules())
    if any(isinstance(m, torch.nn.RNNBase) and m.bidirectional for m in layers):
        return "a layer with `bidirectional=True` reads from the end too: let it read one way"
    attends = any(
        "Attention" in type(m).__name__ or "Transformer" in type(m).__name__ for m in layers
    )
    if not attends and any(isinstance(m, torch.nn.Conv1d) and m.kernel_size[0] > 1 for m in layers):
        return (
            "a convolution that is padded on both sides sees the steps behind: pad on the left "
            "alone, `F.pad(x, ((kernel_size - 1) * dilation, 0))`"
        )
    return (
        "give it a causal mask (True or -inf where the key comes after the query: "
        "`torch.triu(torch.ones(T, T), 1).bool()`)"
    )


def _reads(call: Caller, kept: _Kept, name: str, dim: int) -> str:
    """Whether the model reads an input `in_order`, or "ahead"; empty if that does not show.

    The last half of the steps is changed: what it says of the first half moves where it looks
    ahead.
    """
    inputs = kept.call.args, kept.call.kwargs
    sizes = dict(tensors(inputs))[name].shape
    steps, half = sizes[dim], sizes[dim] // 2
    base, again = call.run(inputs), call.run(inputs, seed=8)
    if not base or not close(base[0], again[0]):
        return ""

    def changed(which: str, t: torch.Tensor) -> torch.Tensor:
        if which != name:
            return t
        new = t.clone()
        later = new.narrow(dim, half, steps - half)
        if t.is_floating_point():
            later.mul_(-0.7).add_(0.9)
        else:
            later.copy_(later.flip(dim).roll(1, 0))
        return new

    now = call.run(mapped(inputs, changed))
    before, after = (_by_step(out[0], sizes, dim) for out in (base, now))
    if before is None or after is None or close(before, after):
        return ""
    stays = close(before.narrow(dim, 0, half), after.narrow(dim, 0, half))
    return "in_order" if stays else "ahead"


def _keeps_apart(call: Caller, kept: _Kept) -> bool:
    """Whether what it says of a sample stays when all the others are changed."""
    inputs, row = (kept.call.args, kept.call.kwargs), kept.first.shape[0] - 1
    base = call.run(inputs)
    now = call.run(mapped(inputs, mixing.others_changed(row + 1, row)))
    return base[0].shape[:1] != (row + 1,) or close(base[0][row], now[0][row])


def _by_step(out: torch.Tensor, sizes: torch.Size, dim: int) -> torch.Tensor | None:
    """An output with the dimension of time where the input has it; None if it has none."""
    if out.dim() > dim and out.shape[dim] == sizes[dim] and out.shape[0] == sizes[0]:
        return out
    lead = sizes[: dim + 1]
    if out.dim() >= 1 and out.shape[0] == lead.numel():
        return out.reshape(*lead, *out.shape[1:])
    return None


# -- other samples --------------------------------------------------------------------------------


def _may_mix(kept: _Kept) -> nn.Module | None:
    """A layer that takes time first, where the targets say that the samples come first."""
    first, target = kept.first, kept.target
    if target is None or first.dim() < 2 or target.dim() == 0:
        return None
    rows, steps = first.shape[:2]
    if rows < 2 or steps < 2 or rows == steps or target.shape[0] != rows:
        return None
    if steps in target.shape[1:]:
        return None  # a target for each step: either may be the batch
    if first.dim() == 2 and first.is_floating_point():
        return None  # rows of features
    for part in kept.call.module.modules():
        if isinstance(part, _TIME_FIRST) and not _batch_first(part):
            return part
    return None


def views_states(tree: ast.Module) -> bool:
    """Whether a text lays out by a view what a layer returned second, as its last states."""
    second = {
        n.id
        for node in walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Tuple) and len(target.elts) == 2
        for n in walk(target.elts[1])
        if isinstance(n, ast.Name)
    }
    return any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in ("view", "reshape")
        and any(isinstance(m, ast.Name) and m.id in second for m in walk(n.func.value))
        for n in walk(tree)
    )


def _stacked(kept: _Kept) -> nn.Module | None:
    """A recurrent layer of several directions or layers, with a target for each sequence."""
    first, target = kept.first, kept.target
    if target is None or first.dim() < 2 or target.dim() == 0 or target.shape[0] != len(first):
        return None
    steps = first.shape[1] in target.shape[1:]  # a target for each step of a sequence, perhaps
    for part in kept.call.module.modules() if len(first) > 1 else ():
        if isinstance(part, nn.RNNBase) and part.num_layers * (1 + part.bidirectional) > 1:
            return part if part.batch_first or not steps else None
    return None


def _batch_first(layer: nn.Module) -> bool:
    layer = getattr(layer, "self_attn", layer)
    return bool(getattr(layer, "batch_first", False))


def _samples(call: Caller, kept: _Kept, layer: nn.Module, *, by_states: bool) -> list[Finding]:
    """Change all samples but one: what is said of that one must stay."""
    inputs, rows = (kept.call.args, kept.call.kwargs), kept.first.shape[0]
    base, again = call.run(inputs), call.run(inputs, seed=8)
    if not base or not close(base[0], again[0]) or base[0].shape[:1] != (rows,):
        return []
    if base[0].shape[1:2] == (rows,):
        return []  # as many steps as samples: either may come first
    row = rows - 1
    now = call.run(mapped(inputs, mixing.others_changed(rows, row)))
    if now[0].shape != base[0].shape or close(base[0][row], now[0][row]):
        return []
    kind, part = type(kept.call.module).__name__, type(layer).__name__
    sizes = list(kept.first.shape)
    if by_states:
        return [
            finding(
                "states_mixed",
                kept.call.line,
                kind,
                f"what `{kind}` says of a sample changes with the other samples of the batch: the "
                f"last states of its {part} are [layers * directions, batch, hidden], and a view "
                "with the batch first puts those of several samples into one row; write "
                "`torch.cat([h_n[-2], h_n[-1]], dim=1)`, or turn them first "
                "(`h_n.transpose(0, 1).reshape(batch, -1)`)",
                input=sizes,
            )
        ]
    return [
        finding(
            "samples_mixed",
            kept.call.line,
            kind,
            f"what `{kind}` says of a sample changes with the other samples of the batch: its "
            f"{part} (batch_first=False) takes dimension 0 for time, and in the input {sizes} the "
            f"targets have one row for each of the {sizes[0]} samples; make it with "
            "`batch_first=True` (a view of the input would mix them too)",
            input=sizes,
        )
    ]
