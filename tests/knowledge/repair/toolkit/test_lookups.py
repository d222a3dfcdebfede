"""What an object has in place of a name that was asked of it."""

import collections
import types
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import Subset, TensorDataset

from knowledge.repair.toolkit.lookups import Lookup, sister_of


@pytest.mark.parametrize(
    ("message", "name", "said"),
    [
        ("`np.Inf` was removed in the NumPy 2.0 release. Use `np.inf` instead.", "Inf", "np.inf"),
        ("an alias for the builtin `float`. To avoid this, use `float` by itself.", "float",
         "float"),
        ("Please use the `torch.linalg.matrix_rank` function instead.", "matrix_rank",
         "torch.linalg.matrix_rank"),
        ("`old` was renamed to `new`.", "old", "new"),
        ("module has no attribute 'fop'. Did you mean: 'foo'?", "fop", "foo"),
        ("module 'torch' has no attribute 'fop'", "fop", ""),
    ],
)  # fmt: skip
def test_the_errors_own_words(message: str, name: str, said: str) -> None:
    assert Lookup(types, name, message).said() == said


@pytest.mark.parametrize(
    ("owner", "name", "is_called", "alike"),
    [
        (nn, "Conv2D", True, ["Conv2d"]),
        (torch, "argmx", True, ["argmax"]),
        (torch.ones(2), "shpae", False, ["shape"]),  # a value
        (torch.ones(2), "shpae", True, []),  # values are not called
        (torch.ones(2), "reshap", True, ["reshape"]),
        (nn.Sequential(nn.ReLU()), "paramters", True, ["parameters"]),
        (nn, "ConvLSTM2d", True, []),
        (torch, "tensr", True, ["tensor"]),  # and not Tensor, which is as far off in other case
        (torch.optim, "Adamm", True, ["Adam"]),  # a letter twice, and not AdamW
        (torch.ones(1), "items", True, []),  # what a dictionary has
        (torch.tensor(1.0), "items", True, ["item"]),  # a single number has one
        (torch.ones(1), "share_memory", True, ["share_memory_"]),  # what a module has too
        (torch, "nanmax", True, []),
    ],
)
def test_names_alike(owner: Any, name: str, is_called: bool, alike: list[str]) -> None:
    assert Lookup(owner, name, "").alike(is_called=is_called) == alike


@pytest.mark.parametrize(
    ("owner", "name", "is_called", "longer"),
    [
        (torch.distributions, "kl_div", True, ["kl_divergence"]),
        (torch.distributions, "kl_div", False, []),  # a function is called
        (nn.init, "xavier", True, ["xavier_normal_", "xavier_uniform_"]),  # not their older names
        (torch, "argm", True, []),  # short: too many begin so
    ],
)
def test_names_that_begin_with_it(
    owner: Any, name: str, is_called: bool, longer: list[str]
) -> None:
    assert sorted(Lookup(owner, name, "").longer(is_called=is_called)) == longer


@pytest.mark.parametrize(
    ("module", "name", "sister"),
    [
        ("transformers", "AdamW", "torch.optim"),
        ("torchvision", "DataLoader", ""),  # in a part of torch, not in torch itself
        ("torch", "no_such_name", ""),
        ("numpy", "transforms", ""),  # no library beside it
    ],
)
def test_the_library_beside_it(module: str, name: str, sister: str) -> None:
    assert sister_of(module, name) == sister


def _subset() -> Subset[Any]:
    data = TensorDataset(torch.ones(4))
    data.labels = [0, 1, 0, 1]  # type: ignore[attr-defined]
    data.classes = ["a", "b"]  # type: ignore[attr-defined]
    return Subset(data, [0, 1, 2])


@pytest.mark.parametrize(
    ("owner", "name", "inside"),
    [
        (nn.DataParallel(nn.Linear(2, 2)), "in_features", ["module"]),
        (_subset(), "classes", ["dataset"]),
        (_subset(), "labels", []),  # there are more of them than the part has samples
        (nn.Softmax(torch.ones(2)), "sum", []),  # type: ignore[arg-type]
        (nn.Linear(2, 2), "fc", []),
        (nn.Sequential(nn.Linear(2, 2)), "in_features", []),  # its name is a number
    ],
)
def test_a_part_has_the_name(owner: Any, name: str, inside: list[str]) -> None:
    assert Lookup(owner, name, "").inside() == inside


@pytest.mark.parametrize(
    ("owner", "name", "home"),
    [
        (collections, "Iterable", "collections.abc.Iterable"),
        (torch.optim, "StepLR", "torch.optim.lr_scheduler.StepLR"),
        (torch.utils, "DataLoader", "torch.utils.data.DataLoader"),
    ],
)
def test_another_place_has_the_name(owner: Any, name: str, home: str) -> None:
    assert home in Lookup(owner, name, "").homes()
