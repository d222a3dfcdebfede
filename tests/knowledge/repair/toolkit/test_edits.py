"""knowledge/repair/toolkit/edits.py: how a snippet would call what a module has."""

from __future__ import annotations

import pytest

from knowledge.repair.toolkit.edits import Program


@pytest.mark.parametrize(
    ("imports", "module", "name"),
    [
        ("import torch", "torch.nn.functional", "torch.nn.functional.pad"),
        ("import torch.nn.functional as F", "torch.nn.functional", "F.pad"),
        ("from torch import nn", "torch.nn.functional", "nn.functional.pad"),
        ("import torch\nfrom torch import nn", "torch.nn.functional", "nn.functional.pad"),
        ("from torch.nn.functional import pad", "torch.nn.functional", "pad"),
        ("import torch.utils.data", "torch.nn.functional", "torch.nn.functional.pad"),
        ("import torch", "torch", "torch.pad"),
        ("import numpy", "torch.nn", "nn.pad"),  # nothing is imported: as most would call it
    ],
)
def test_a_name_is_called_by_what_is_imported(imports: str, module: str, name: str) -> None:
    assert Program(f"{imports}\n").name_of(module, "pad") == name
