"""executor/inside/rebuild/search.py: the reasons it gives, and the class that methods get."""

from __future__ import annotations

import ast

import pytest

from executor.inside.rebuild.search import _header, out_of_reach, why_not
from tests.executor.inside.rebuild.test_judge import posted

PRODUCT = "mat1 and mat2 shapes cannot be multiplied (3x8 and 5x2)"


@pytest.mark.parametrize(
    ("message", "line", "last", "stubbed", "reason"),
    [
        (PRODUCT, "", "RuntimeError: another one", False, "code_not_posted"),
        (PRODUCT, "out = net(x)", "RuntimeError: another one", False, "not_found"),
        (PRODUCT, "", "", False, "runs_today"),
        (PRODUCT, "", "ModuleNotFoundError: No module named 'cv9'", False, "needs_a_library"),
        (PRODUCT, "", "RuntimeError: another one", True, "needs_a_library"),
        ("what nobody has ever read", "", "RuntimeError: x", False, "unknown_message"),
    ],
)
def test_every_search_in_vain_has_a_reason(message, line, last, stubbed, reason):
    """One row for each kind."""
    assert why_not(posted(message, line), last, stubbed=stubbed) == reason


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("CUDA out of memory. Tried to allocate 2.00 GiB", "needs_a_gpu"),
        ("CUDA error: device-side assert triggered", "needs_a_gpu"),
        (PRODUCT, ""),
    ],
)
def test_nothing_is_tried_for_what_no_code_raises_here(message, reason):
    """A reason is all that can be given."""
    assert out_of_reach(posted(message)) == reason


@pytest.mark.parametrize(
    ("code", "header"),
    [
        ("def f(x): pass", ""),
        ("def __init__(self):\n    super(Net, self).__init__()\ndef forward(self, x): pass",
         "Net(__import__('torch').nn.Module)"),
        ("def forward(self, x): pass", "Posted(_stubs.Lazy, __import__('torch').nn.Module)"),
        ("def __getitem__(self, i): pass\ndef __init__(self): pass",
         "PostedDataset(__import__('torch').utils.data.Dataset)"),
    ],
)  # fmt: skip
def test_methods_without_a_class_say_which_it_was(code, header):
    """By `super(Net, self)` and by what they are called."""
    assert _header(ast.parse(code)) == header
