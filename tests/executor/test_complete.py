"""executor/complete.py: the imports that everyone leaves out."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor.complete.imports import _CERTAIN, KNOWN, supply
from executor.complete.names import undefined_names


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("nn.Linear(1, 1)", {"nn"}),
        ("import torch.nn as nn\nnn.Linear", set()),
        ("def f(x):\n    return x + y", {"y"}),
        ("def f():\n    global seen\n    seen = 1\nprint(seen)", set()),
        ("[a for a in b]", {"b"}),
        ("from torch import *\ntensor(1)", set()),
        ("class A:\n    x = np.pi\n    def f(self): return self.x", {"np"}),
        ("try:\n    pass\nexcept E as e:\n    print(e)", {"E"}),
        ("x: int = 1\nlambda z: z + x + w", {"w"}),
        ("def (", set()),
    ],
)
def test_undefined_names(code: str, names: set[str]) -> None:
    assert undefined_names(code, "snippet.py") == names


def test_supplied_names_are_said_as_imports() -> None:
    names, said = supply("F.relu(torch.ones(1)); DataLoader", "snippet.py")

    assert names.keys() == {"F", "torch", "DataLoader"}
    assert set(said) == {
        "import torch.nn.functional as F",
        "import torch",
        "from torch.utils.data import DataLoader",
    }


@settings(deadline=None)  # the first example imports what is named
@given(st.sets(st.sampled_from(sorted(KNOWN)), min_size=1))
def test_what_is_said_is_what_was_missing(wanted: set[str]) -> None:
    """With the imports that were said put in front, nothing is missing any more."""
    code = "\n".join(
        f"{name}\n" if name in _CERTAIN else f"class _({name}): pass" for name in wanted
    )
    names, said = supply(code, "snippet.py")

    assert undefined_names("\n".join((*said, code)), "snippet.py") == wanted - names.keys()


@given(st.text(alphabet=" \nabx=(:)#'[]{}", max_size=60))
def test_any_text_is_survived(text: str) -> None:
    names = undefined_names(text, "snippet.py")

    assert not names or ast.parse(text)
