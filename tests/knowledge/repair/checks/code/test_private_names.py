"""knowledge/repair/checks/code/private_names.py: a rewrite uses what is meant to be used."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.private_names import check
from tests.knowledge.repair.checks.code.changed import refused


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("f(x)\n", "f(x._base)\n", "_base"),
        ("f(x._base)\n", "g(x._base)\n", ""),
        ("f(x)\n", "x._version = 0\n", "_version"),
        ("f(x)\n", "torch._C._something(x)\n", "_C"),
        ("import torch\n", "import torch._six\n", "_six"),
        ("import torch\n", "from torch._six import x\n", "_six"),
        ("import torch\n", "from torch import _six\n", "_six"),
        ("f(x)\n", "f(x, _fast=True)\n", "_fast"),
        ("f(x)\n", "getattr(x, '_base')\n", "_base"),
        ("f(x)\n", "setattr(x, '_version', 0)\n", "_version"),
        ("f(x)\n", "getattr(x, 'base')\n", ""),
        ("f(x)\n", "f('_base')\n", ""),
        ("f(x)\n", "f(x.__dict__)\n", "__dict__"),
        ("f(x)\n", "x.__class__ = Y\n", "__class__"),
        ("f(x)\n", "super().__init__()\n", ""),
        ("f(x)\n", "f(x.__name__)\n", ""),
        ("f(x)\n", "f(x.__len__())\n", ""),
        ("f(x)\n", "f(x.__getitem__(0))\n", ""),
        ("f(x)\n", "from __future__ import annotations\nf(x)\n", ""),
        ("f(x)\n", "print(torch.__version__)\n", ""),
        ("f(x)\n", "f(x)\nfor _ in y:\n    f(x)\n", ""),
        # What the snippet makes itself is its own.
        ("f(x)\n", "class A:\n    def g(self):\n        self._x = 1\n        f(self._x)\n", ""),
        ("f(x)\n", "class A:\n    def _g(self):\n        self._g()\n", ""),
        ("f(x)\n", "def g(_x):\n    f(_x=1)\n", ""),
        ("f(x)\n", "y._x = 1\nf(y._x)\n", "_x"),
    ],
)
def test_nothing_private_is_newly_used(old: str, new: str, name: str):
    """PyTorch may change it without a word."""
    told = refused(check, old, new)

    assert f"`{name}`" in told if name else told == ""
