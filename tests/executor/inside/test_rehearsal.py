"""What the warm server does before its first fork leaves PyTorch as it was."""

from __future__ import annotations

import ast
import gc

import torch
from torch.nn.modules import module
from torch.optim import optimizer
from torch.utils import data

from executor.inside import rehearsal, remarks

_CHANGED_BY_PROBES = (
    torch,
    torch.Tensor,
    torch.nn.Module,
    torch.nn.functional,
    torch.autograd,
    torch.optim.Optimizer,
    data.DataLoader,
    data.WeightedRandomSampler,
    module,
    optimizer,
)


def _parts() -> list[dict[str, object]]:
    return [dict(vars(part)) for part in _CHANGED_BY_PROBES]


def test_nothing_of_pytorch_is_replaced_once_it_is_over() -> None:
    before, drawn = _parts(), torch.get_rng_state()

    rehearsal.rehearse()

    after = _parts()
    assert [part.keys() for part in before] == [part.keys() for part in after]
    changed = [k for b, a in zip(before, after, strict=True) for k in b if b[k] is not a[k]]
    assert changed == []
    assert torch.equal(torch.get_rng_state(), drawn)
    assert not optimizer._global_optimizer_pre_hooks
    assert not optimizer._global_optimizer_post_hooks


def test_no_tensor_is_left_of_it() -> None:
    rehearsal.rehearse()
    gc.collect()
    gc.freeze()  # what there is of other tests is not looked at

    try:
        rehearsal.rehearse()
        gc.collect()
        left = [x for x in gc.get_objects() if issubclass(type(x), torch.Tensor)]
    finally:
        gc.unfreeze()
    assert left == []


def test_nothing_is_wrong_with_its_program() -> None:
    assert remarks.remarks(ast.parse(rehearsal.PROGRAM), rehearsal.PROGRAM) == ()
