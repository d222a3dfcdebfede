"""Give a loss its two operands in the shapes and dtypes that it takes, by what both are worth.

Classes come second and their indices are whole and one for each row; what is compared number by
number has one shape and one dtype. The loss is evaluated in the dead frame with each form, and
only those are offered that need the fewest changes and compare nothing by broadcasting.
"""

import inspect
import math
import re
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import evaluates
from knowledge.repair.toolkit.losses import is_one_hot, loss_alive
from knowledge.repair.toolkit.shapes import same_layers, still_computed
from knowledge.repair.toolkit.sites import argument, calls

TYPES = frozenset({"RuntimeError", "ValueError", "TypeError", "IndexError", "NotImplementedError",
                   "AttributeError"})  # fmt: skip
_FRAMES = 2
_CLASSES = frozenset({"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"})
_BINARY = frozenset({"BCEWithLogitsLoss", "BCELoss", "binary_cross_entropy_with_logits",
                     "binary_cross_entropy"})  # fmt: skip
_OF_PROBABILITIES = {"BCELoss": "BCEWithLogitsLoss",
                     "binary_cross_entropy": "binary_cross_entropy_with_logits"}  # fmt: skip
# What is told where another loss is computed, or the same one of what it had the other way round.
_STEPS_BACK = 8  # of a tensor's graph
_OF_OTHER_KIND = re.compile(r"come first|row, which|are scores")
_MOST = 40  # forms that are evaluated


class _Form(NamedTuple):
    node: cst.BaseExpression
    told: str  # empty: as it is
    cost: float = 0.0


class _Loss(NamedTuple):
    call: cst.Call
    name: str  # of the function, or of the layer's class
    input: cst.BaseExpression
    target: cst.BaseExpression
    given: Any
    wanted: Any


def edits(failure: Failure) -> Rewrites:
    """The forms with the fewest changes with which the loss can be computed."""
    for place in failure.places[:_FRAMES]:
        loss = _loss(failure, place)
        if loss is None:
            continue
        forms = [
            (a, b)
            for a, b in product(_of_input(failure, loss), _of_target(failure, loss))
            if a.told or b.told
        ]
        forms.sort(key=lambda pair: sum(f.told.count(", and ") + bool(f.told) for f in pair))
        found: list[tuple[int, Rewrite]] = []
        for a, b in forms[:_MOST]:
            changes = sum(f.told.count(", and ") + bool(f.told) for f in (a, b))
            if found and changes > found[0][0]:
                break
            if _works(failure, place, loss, a.node, b.node):
                found.append((changes, _rewrite(failure, loss, (a, b))))
        if not found:
            yield from _the_other_way_round(failure, place, loss)
        yield from (rewrite for _, rewrite in found)
        yield from _of_classes(failure, loss)
        yield from _of_scores(failure, loss)
        yield from _of_two(failure, loss)
        return


def _loss(failure: Failure, place: Place) -> _Loss | None:
    node = place.node
    if not isinstance(node, cst.Call) or any(a.star for a in node.args):
        return None
    target = failure.value(node.func, place.frame)
    if isinstance(target, torch.nn.Module):
        name = type(target).__name__
        if type(target).__module__ != "torch.nn.modules.loss":
            return None
    elif inspect.isfunction(target) and target.__module__ == "torch.nn.functional":
        name = target.__name__
        if "loss" not in name and "entropy" not in name:
            return None
    else:
        return None
    first, second = argument(node, 0, "input"), argument(node, 1, "target")
    if first is None or second is None:
        return None
    given, wanted = (failure.value(a.value, place.frame) for a in (first, second))
    if not isinstance(given, torch.Tensor) or wanted is failure.missing:
        return None
    return _Loss(node, name, first.value, second.value, given, wanted)


# -- forms -----------------------------------------------------------------------------------


def _of_input(failure: Failure, loss: _Loss) -> Iterator[_Form]:
    """The predictions as they are, or with their classes second, one row for each target, …"""
    node, shape = loss.input, tuple(loss.given.shape)
    name = failure.text(node)
    yield _Form(node, "")
    if not isinstance(loss.wanted, torch.Tensor):
        return
    target = tuple(loss.wanted.shape)
    if loss.name in _CLASSES:
        if len(shape) > 2 and shape[:-1] == target and shape[1] != shape[-1]:
            last = len(shape) - 1
            turned = ("transpose", 1, 2) if last == 2 else ("permute", 0, last, *range(1, last))
            yield _Form(_step(node, *turned), f"the classes of `{name}` {list(shape)} come second")
        if len(shape) > 2 and target == (math.prod(shape[:-1]),):
            if len(shape) == 3:
                flat = _step(node, "flatten", 0, 1)
            else:
                flat = _step(node, "reshape", -1, shape[-1])
            yield _Form(flat, f"each target has a row of `{name}` {list(shape)}")
        if len(shape) == 3 and target == shape[:1] and _goes_on_by_steps(failure, loss):
            step = cst.parse_expression(f"{name}[:, -1]")
            yield _Form(step, f"the scores of the last step of `{name}` {list(shape)} are meant")
        if len(shape) == 1 and target in ((), (1,)):
            yield _Form(_step(node, "unsqueeze", 0), f"`{name}` is a batch of one")
    elif len(shape) == len(target) + 1 and shape[-1] == 1 and shape[:-1] == target:
        told = f"the last dimension of `{name}`, of size 1, goes"
        yield _Form(_step(node, "squeeze", -1), told)


def _goes_on_by_steps(failure: Failure, loss: _Loss) -> bool:
    """Whether scores [batch, steps, classes] come of a recurrent layer, and fit the labels so."""
    recurrent = re.search(r"\b(?:LSTM|GRU|RNN)\(", failure.module.code) is not None
    return recurrent and int(loss.wanted.max()) < loss.given.shape[-1]


def _of_target(failure: Failure, loss: _Loss) -> Iterator[_Form]:
    """The targets as they are, or in another shape, then in another dtype."""
    node, target = loss.target, loss.wanted
    if isinstance(target, (int, float)):
        yield from _constant(failure, loss)
        return
    yield _Form(node, "")
    if not isinstance(target, torch.Tensor):
        return
    shapes = [_Form(node, ""), *_target_shapes(failure, loss)]
    for form in shapes:
        if form.told:
            yield form
        for name, told in _target_dtypes(failure, loss):
            more = f"{form.told}, and {told}" if form.told else told
            yield _Form(method(form.node, name), more)


def _constant(failure: Failure, loss: _Loss) -> Iterator[_Form]:
    """`torch.ones_like(scores)` for 1."""
    like = {0: "zeros_like", 1: "ones_like"}.get(loss.wanted)
    if like is not None:
        new = f"{failure.name_of('torch', like)}({failure.text(loss.input)})"
        yield _Form(
            cst.parse_expression(new), f"a target of that shape is filled with {loss.wanted}"
        )


def _target_shapes(failure: Failure, loss: _Loss) -> Iterator[_Form]:
    node, name = loss.target, failure.text(loss.target)
    shape, given = tuple(loss.wanted.shape), tuple(loss.given.shape)
    if loss.name in _CLASSES:
        if len(shape) > 1 and shape[1] == 1 and given[1:2] != (1,):
            told = f"`{name}` {list(shape)} has one class a row: its dimension of size 1 goes"
            yield _Form(_step(node, "squeeze", 1), told)
        elif len(shape) > 1 and len(given) == 2 and (given[0] == math.prod(shape) and given[1] > 1):
            yield _Form(_step(node, "reshape", -1), f"`{name}` has one class for each row")
        if shape == given and is_one_hot(loss.wanted):
            along = cst.ensure_type(cst.parse_expression("f(dim=1)"), cst.Call).args
            told = f"the class of each row of `{name}` is where its 1 stands"
            yield _Form(method(node, "argmax", *along), told)
        if shape == () and len(given) == 2 and given[0] == 1:
            yield _Form(_step(node, "unsqueeze", 0), f"`{name}` is a batch of one")
    elif len(given) == len(shape) + 1 and given[-1] == 1 and given[:-1] == shape:
        told = f"`{name}` {list(shape)} gets the dimension of the predictions {list(given)}"
        yield _Form(_step(node, "unsqueeze", len(shape)), told, -0.1)
    elif len(shape) == len(given) + 1 and shape[-1] == 1 and shape[:-1] == given:
        told = f"the last dimension of `{name}`, of size 1, goes"
        yield _Form(_step(node, "squeeze", -1), told)
    elif len(given) == 2 < len(shape) and given == (shape[0], math.prod(shape[1:])):
        told = f"each sample of `{name}` {list(shape)} is one row of numbers, as it is predicted"
        yield _Form(_step(node, "flatten", 1), told)


def _target_dtypes(failure: Failure, loss: _Loss) -> Iterator[tuple[str, str]]:
    name, target = failure.text(loss.target), loss.wanted
    if loss.name in _CLASSES:
        if target.is_floating_point() and bool((target == target.round()).all()):
            yield "long", f"`{name}` is used as whole numbers (int64)"
        elif target.dtype in (torch.int32, torch.int16, torch.uint8, torch.int8):
            yield "long", f"`{name}` is used as int64"
    elif target.dtype != loss.given.dtype and loss.given.dtype == torch.float32:
        yield "float", f"`{name}` is used as float32"


def _step(node: cst.BaseExpression, name: str, *numbers: int) -> cst.Call:
    args = ", ".join(map(str, numbers))
    return method(node, name, *cst.ensure_type(cst.parse_expression(f"f({args})"), cst.Call).args)


# -- what comes of them ----------------------------------------------------------------------


def _works(
    failure: Failure, place: Place, loss: _Loss, a: cst.BaseExpression, b: cst.BaseExpression
) -> bool:
    """Whether the loss can be computed so, and nothing is repeated for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return evaluates(failure, place, _changed(loss, a, b))


def _changed(loss: _Loss, a: cst.BaseExpression, b: cst.BaseExpression) -> cst.Call:
    args = [
        arg.with_changes(value=a if arg.value is loss.input else b)
        if arg.value is loss.input or arg.value is loss.target
        else arg
        for arg in loss.call.args
    ]
    return loss.call.with_changes(args=args)


def _rewrite(failure: Failure, loss: _Loss, forms: tuple[_Form, _Form]) -> Rewrite:
    told = ", and ".join(f.told for f in forms if f.told)
    new: Edits = {}
    for old, form in zip((loss.input, loss.target), forms, strict=True):
        if form.told:
            new[old] = form.node
    cost = COST.SURE + sum(f.cost for f in forms)
    return failure.edit(new, told, at=loss.call, cost=cost)


def _the_other_way_round(failure: Failure, place: Place, loss: _Loss) -> Rewrites:
    """Predictions and targets change places, where each is what the other should be."""
    if not isinstance(loss.wanted, torch.Tensor) or loss.given.requires_grad:
        return
    if loss.wanted.requires_grad and _works(failure, place, loss, loss.target, loss.input):
        names = f"`{failure.text(loss.target)}`", f"`{failure.text(loss.input)}`"
        new: Edits = {loss.input: loss.target, loss.target: loss.input}
        meaning = f"{names[0]} are the predictions and {names[1]} the targets"
        told = f"the predictions {names[0]} come first"
        yield failure.edit(new, told, meaning, at=loss.call, as_one=True)


def _of_classes(failure: Failure, loss: _Loss) -> Rewrites:
    """Scores [n, classes] and one class index for each row: a loss of classes, or one-hot rows."""
    target, given = loss.wanted, loss.given
    if loss.name not in _BINARY or not isinstance(target, torch.Tensor):
        return
    is_indices = target.dtype == torch.int64 and target.shape == given.shape[:1]
    if not is_indices or given.dim() != 2 or given.shape[1] < 2:
        return
    if not len(target) or not 0 <= int(target.min()) <= int(target.max()) < given.shape[1]:
        return
    name = failure.text(loss.target)
    made = _made(failure, loss)
    if made is not None and not _was_bounded(given):
        word = "cross_entropy" if loss.name[:1].islower() else "CrossEntropyLoss"
        old = failure.text(made).removesuffix(loss.name)
        told = f"`{name}` has one class for each row, which is `{word}`"
        meaning = "each sample is of exactly one class"
        yield failure.edit({made: cst.parse_expression(old + word)}, told, meaning)
    one_hot = failure.name_of("torch.nn.functional", "one_hot")
    new = cst.parse_expression(f"{one_hot}({name}, {failure.text(loss.input)}.size(1)).float()")
    told = f"each class of `{name}` is a row with a 1 at its place"
    meaning, cost = "every class is a yes or no of its own", COST.SURE + 0.1
    yield failure.edit({loss.target: new}, told, meaning, at=loss.call, cost=cost)


def _of_scores(failure: Failure, loss: _Loss) -> Rewrites:
    """Scores where probabilities are wanted: the loss that takes scores, or their sigmoid."""
    if loss.name not in _OF_PROBABILITIES or loss.given.dim() == 0:
        return
    low, high = float(loss.given.min()), float(loss.given.max())
    if not (low < 0 or high > 1) or _was_bounded(loss.given):
        return
    if (
        isinstance(loss.wanted, torch.Tensor)
        and not 0 <= float(loss.wanted.min()) <= float(loss.wanted.max()) <= 1
    ):
        return  # no loss of probabilities is for these
    name = failure.text(loss.input)
    if re.search(rf"\b{re.escape(name)} *[<>]=? *0?\.5\b", failure.module.code):
        return  # elsewhere they are taken for probabilities
    made, word = _made(failure, loss), _OF_PROBABILITIES[loss.name]
    if made is not None:
        new = cst.parse_expression(failure.text(made).removesuffix(loss.name) + word)
        meaning = "the model gives scores"
        yield failure.edit({made: new}, f"`{name}` are scores, which `{word}` takes", meaning)
        return
    soft = cst.parse_expression(f"{failure.name_of('torch', 'sigmoid')}({name})")
    told = f"the sigmoid of `{name}` gives probabilities"
    meaning, cost = "the loss is meant to be given probabilities", COST.SURE + 0.1
    yield failure.edit({loss.input: soft}, told, meaning, at=loss.call, cost=cost)


def _of_two(failure: Failure, loss: _Loss) -> Rewrites:
    """One score a sample and labels 0 and 1: the binary cross entropy of the scores."""
    made, target, given = _made(failure, loss), loss.wanted, loss.given
    word = {"CrossEntropyLoss": "BCEWithLogitsLoss",
            "cross_entropy": "binary_cross_entropy_with_logits"}.get(loss.name)  # fmt: skip
    if word is None or made is None or not isinstance(target, torch.Tensor) or given.dim() != 1:
        return
    if target.shape != given.shape or set(target.tolist()) != {0, 1}:
        return
    new = cst.parse_expression(failure.text(made).removesuffix(loss.name) + word)
    told = f"one for each sample, with labels 0 and 1, are scores, which `{word}` takes"
    both: Edits = {made: new, loss.target: method(loss.target, "float")}
    yield failure.edit(both, told, as_one=True)  # floats alone would be taken for probabilities


def _was_bounded(values: Any) -> bool:
    """Whether a sigmoid, tanh or softmax made them, and was scaled since: these are no scores."""
    node = getattr(values, "grad_fn", None)
    for _ in range(_STEPS_BACK):
        if node is None or re.match(r"Sigmoid|Tanh|Softmax|LogSoftmax", type(node).__name__):
            return node is not None
        before = [n for n, _ in node.next_functions if n is not None]
        node = before[0] if len(before) == 1 else None
    return False


def _made(failure: Failure, loss: _Loss) -> cst.BaseExpression | None:
    """The name of the loss where it is made without arguments, or called as a function."""
    if loss.name[:1].islower():
        return loss.call.func if failure.text(loss.call.func).endswith(loss.name) else None
    found = [c.func for c in calls(failure, rf"(^|\.){loss.name}$") if not c.args]
    return found[0] if len(found) == 1 else None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loss of the same predictions and targets, that can still change; every layer is there."""
    found = [same_layers(before, after), loss_alive(after)]
    if _OF_OTHER_KIND.search(proposal.title):
        return found
    turned = ("transpose", "swapaxes")
    allowed: tuple[str, ...] = ("reshape",) if ".reshape(-1)" in proposal.code else ()
    allowed += ("[",) if "of the last step" in proposal.title else ()
    return [still_computed(before.error, proposal.code, allowed=allowed, may_go=turned), *found]
