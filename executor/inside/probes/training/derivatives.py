"""Compare the `backward` of a snippet's own autograd function with small steps of its `forward`.

What `torch.autograd.gradcheck` does, but silent wherever the two are meant to differ: a forward
that hands its input on (a gradient reversal), one of steps (rounding, spikes), a value that only
`backward` computes with (feedback alignment), or a name that says that the gradient is not the
derivative.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import torch

from executor.inside.probes.again import Caller, Inputs, KeptCall, alarm
from executor.inside.probes.kinds import finding
from executor.inside.probes.source import SnippetSource
from executor.protocol import Finding

_STEPS = (1e-4, 1e-5)  # of the inputs, in float64: both have to tell the same
_DIRECTIONS = 3
_APART = 0.05  # of the larger of the two
_ALIKE = 0.01
_FLAT = 1e-7
_MOST = 1 << 14  # elements of an input
_MEANT = re.compile(
    r"(?i)guid|surrog|straight|ste(?![a-z])|revers|quant|sign|spik|hard|cla?[mi]p|round|binar|scale"
    r"|detach|stop|fake|relax|vq|step|atan|fast|custom_?grad|zero|trunc|approx|pseudo|rectif"
)

Function = Any  # a subclass of torch.autograd.Function, which has no types for `apply`
Given = list[tuple[Any, ...]]


def of_snippet(source: SnippetSource) -> list[Function]:
    """The functions that the snippet defines."""
    every: list[Function] = list(torch.autograd.Function.__subclasses__())
    for cls in every:
        every += cls.__subclasses__()
    return [
        cls
        for cls in every
        if (code := getattr(cls.forward, "__code__", None)) and code.co_filename == source.filename
    ]


def look(calls: Iterable[KeptCall], source: SnippetSource) -> list[Finding]:
    """Call them again, with what the snippet's modules give them, else with drawn values."""
    found: list[Finding] = []
    for cls in of_snippet(source):
        said = f"{cls.__name__} {cls.__doc__ or ''}"
        if "apply" in vars(cls) or _MEANT.search(said) is not None:
            continue
        given = _given(cls, calls) or _drawn(cls)
        try:
            with alarm():
                found += _compared(cls, given, source)
        except BaseException:  # it is the snippet's code, and may even exit
            continue
    return found


def _given(cls: Function, calls: Iterable[KeptCall]) -> Given:
    """The arguments of its first call by a module that is called again."""
    given: Given = []

    def catch(*args: Any) -> Any:
        given.append(args)
        return original(*args)

    original = cls.apply
    cls.apply = staticmethod(catch)
    try:
        for call in calls:
            if not given:
                Caller.with_time(call, partial(_again, inputs=(call.args, call.kwargs)))
    finally:
        del cls.apply
    return given[:1]


def _again(caller: Caller, inputs: Inputs) -> list[torch.Tensor]:
    return caller.run(inputs)


def _drawn(cls: Function) -> Given:
    """Values for the one argument of a function that takes no other."""
    names = _names(cls)
    if len(names) != 1:
        return []
    torch.manual_seed(7)
    return [(torch.rand(3, 4) + 0.5,)]


def _names(cls: Function) -> list[str]:
    """What its forward calls its arguments."""
    names = list(inspect.signature(cls.forward).parameters)
    own = cls.setup_context is torch.autograd.Function.setup_context
    return names[1:] if own else names


def _compared(cls: Function, given: Given, source: SnippetSource) -> Iterator[Finding]:
    for args in given:
        inputs = [_double(a) for a in args]
        if any(isinstance(a, torch.Tensor) and a.numel() > _MOST for a in inputs):
            return
        torch.manual_seed(7)
        out = _called(cls, inputs)
        if out is None or any(_same(out, a) for a in inputs):
            return
        towards = torch.randn_like(out)
        at = [i for i, a in enumerate(inputs) if _is_float(a)]
        once, twice = (_gradients(cls, inputs, at, n * towards) for n in (1, 2))
        if any(_is_for_backward(cls, inputs, i, out, once, towards) for i in at):
            return
        for i, gradient, double in zip(at, once, twice, strict=True):
            if gradient is None or double is None or not torch.allclose(2 * gradient, double):
                continue  # no derivative is given, or none that listens to what comes in
            pairs = [_pair(cls, inputs, i, gradient, towards) for _ in range(_DIRECTIONS)]
            sure = [p for p in pairs if p is not None]
            if len(sure) < len(pairs) or any(abs(does) < _FLAT for _, does in sure):
                continue  # a function of steps is flat between them
            worst = max(sure, key=_apart)
            if _apart(worst) > _APART:
                yield _told(cls, i, worst, source)


def _is_for_backward(
    cls: Function,
    inputs: list[Any],
    i: int,
    out: torch.Tensor,
    gradients: tuple[torch.Tensor | None, ...],
    towards: torch.Tensor,
) -> bool:
    """Whether an input changes what `backward` says, and nothing of what `forward` gives."""
    others = [*inputs[:i], inputs[i] + torch.randn_like(inputs[i]), *inputs[i + 1 :]]
    given = _called(cls, others)
    if given is None or given.shape != out.shape or not torch.equal(given, out):
        return False
    at = [j for j, a in enumerate(inputs) if _is_float(a)]
    pairs = zip(gradients, _gradients(cls, others, at, towards), strict=True)
    return any(a is not None and b is not None and not torch.equal(a, b) for a, b in pairs)


def _double(value: Any) -> Any:
    """The same in float64, apart from any graph."""
    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach().clone()
    return value.double() if value.is_floating_point() else value


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _called(cls: Function, inputs: list[Any]) -> torch.Tensor | None:
    """The one tensor that it gives, the same each time."""
    with torch.no_grad():
        first, again = (cls.apply(*inputs) for _ in range(2))
    whole = isinstance(first, torch.Tensor) and first.dtype == torch.float64
    return first if whole and torch.equal(first, again) else None


def _same(out: torch.Tensor, value: Any) -> bool:
    return _is_float(value) and out.shape == value.shape and torch.equal(out, value)


def _gradients(
    cls: Function, inputs: list[Any], at: list[int], towards: torch.Tensor
) -> tuple[torch.Tensor | None, ...]:
    """What its backward says, for the inputs at those places."""
    leaves = [a.clone().requires_grad_() if i in at else a for i, a in enumerate(inputs)]
    with torch.enable_grad():
        out = cls.apply(*leaves)
        return torch.autograd.grad(out, [leaves[i] for i in at], towards, allow_unused=True)


def _pair(
    cls: Function, inputs: list[Any], i: int, gradient: torch.Tensor, towards: torch.Tensor
) -> tuple[float, float] | None:
    """What backward says of a step in some direction, and what the step does.

    None where two sizes of the step tell different things.
    """
    direction = torch.randn_like(inputs[i])
    seen = []
    for step in _STEPS:
        with torch.no_grad():
            ahead, back = (
                cls.apply(*inputs[:i], inputs[i] + s * direction, *inputs[i + 1 :])
                for s in (step, -step)
            )
        seen.append(float(((ahead - back) * towards).sum() / (2 * step)))
    if abs(seen[0] - seen[1]) > _ALIKE * max(map(abs, seen)):
        return None
    return float((gradient * direction).sum()), seen[1]


def _apart(pair: tuple[float, float]) -> float:
    """How far the two are apart, as a share of the larger one."""
    return abs(pair[0] - pair[1]) / max(map(abs, pair))


def _told(cls: Function, i: int, pair: tuple[float, float], source: SnippetSource) -> Finding:
    names = _names(cls)
    name = names[i] if i < len(names) else names[-1]
    first = cls.backward.__code__.co_firstlineno
    line = next((n for n in range(first, first + 9) if "def " in source.line(n)), first)
    return finding(
        "derivative_wrong",
        line,
        cls.__name__,
        f"the `backward` of `{cls.__name__}` does not give the derivative of its `forward` by "
        f"`{name}`: along a small step the result changes by {pair[1]:.3g} for a step of one, and "
        f"`backward` says {pair[0]:.3g}; a mistake unless another gradient is meant "
        "(`torch.autograd.gradcheck` with float64 inputs compares the two)",
    )
