"""The oracle's gradients are those of the forward as it was written."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest
import torch

from executor.inside.probes.originals import Originals


def _leaf() -> torch.Tensor:
    return torch.arange(1.0, 7.0).reshape(2, 3).requires_grad_()


def _method(x: torch.Tensor, write: bool) -> torch.Tensor:
    y = x.sigmoid()
    loss = (y * y).sum()
    if write:
        y.mul_(3)
    return loss


def _view(x: torch.Tensor, write: bool) -> torch.Tensor:
    y = x * 1
    loss = y.pow(3).sum()
    if write:
        y[1, 1:] += 5
    return loss


def _saved_view(x: torch.Tensor, write: bool) -> torch.Tensor:
    y = x * 1
    loss = y[0].pow(3).sum() + y[1].exp().sum()
    if write:
        y.zero_()
    return loss


def _data(x: torch.Tensor, write: bool) -> torch.Tensor:
    y = x * 1
    loss = y.pow(2).sum()
    if write:
        y.data.fill_(7)
    return loss


def _several_at_once(x: torch.Tensor, write: bool) -> torch.Tensor:
    y, z = x.exp(), x * 2
    loss = (y * z).sum()
    if write:
        torch._foreach_mul_([y.detach(), z.detach()], 2.0)
    return loss


def _out(x: torch.Tensor, write: bool) -> torch.Tensor:
    y = x.tanh()
    loss = y.sum()
    if write:
        torch.add(x.detach(), 1, out=y.detach())
    return loss


def _twice(x: torch.Tensor, write: bool) -> torch.Tensor:
    y = x.exp()
    loss = (y * y * y).sum()
    if write:
        y.add_(1)
        y.add_(1)
    return loss


def _parameter(x: torch.Tensor, write: bool) -> torch.Tensor:
    loss = (x * x * x).sum()
    if write:
        with torch.no_grad():
            x.sub_(100)
    return loss


FORWARDS = [_method, _view, _saved_view, _data, _several_at_once, _out, _twice, _parameter]


@pytest.mark.parametrize("forward", FORWARDS, ids=lambda f: str(f.__name__))
def test_a_write_does_not_reach_what_was_saved(
    forward: Callable[[torch.Tensor, bool], torch.Tensor],
) -> None:
    untouched, written = _leaf(), _leaf()
    forward(untouched, False).backward()
    with Originals():
        forward(written, True).backward()

    assert untouched.grad is not None and written.grad is not None
    assert torch.equal(written.grad, untouched.grad)


def test_the_gradient_of_a_gradient_is_as_written() -> None:
    def second(x: torch.Tensor, write: bool) -> torch.Tensor:
        y = x * 1
        loss = y.pow(4).sum()
        if write:
            y.mul_(0)
        (first,) = torch.autograd.grad(loss, x, create_graph=True)
        (found,) = torch.autograd.grad(first.sum(), x)
        return found

    plain = second(_leaf(), False)
    with Originals():
        assert torch.equal(second(_leaf(), True), plain)


def test_what_backward_has_freed_is_let_go_of() -> None:
    """A long training keeps no more than its last step, and writes after backward copy nothing."""
    x = _leaf()
    with Originals() as originals:
        for _ in range(3):
            (x.exp() * x).sum().backward()
            originals.forget_freed()
            assert not originals._saved
        for _ in range(2000):  # nobody calls backward here
            (x * x).sum()
        gc.collect()
        assert sum(map(len, originals._saved.values())) <= 1000


def test_a_snippet_may_use_pytorchs_own_context() -> None:
    untouched, written = _leaf(), _leaf()
    _method(untouched, False).backward()
    with Originals(), torch.autograd.graph.allow_mutation_on_saved_tensors():
        _method(written, True).backward()

    assert untouched.grad is not None and written.grad is not None
    assert torch.equal(written.grad, untouched.grad)
