"""executor/inside/placeholders: the imports that everyone leaves out."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor.inside.placeholders.imports import _CERTAIN, KNOWN, supply
from executor.inside.placeholders.names import undefined_names


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


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("model = model.to('cpu')", {"model"}),
        ("if True:\n    x, y = x.float(), y.long()", {"x", "y"}),
        ("del x", {"x"}),
        ("x = 1\ndel x", set()),
        ("print(x)\ndel x", {"x"}),
        ("import os\nprint(os)\ndel os", set()),
        ("x = 1\nx = x + 1", set()),
        ("y = [x for x in range(3)]", set()),  # bound by the comprehension, for itself
        ("y = {k: v for v, k in {}.items()}", set()),
        ("x = [x for x in x]", {"x"}),
        ("for x in [1]:\n    x = x + 1", set()),
        ("def x():\n    pass\nx = x()", set()),
        ("import numpy as x\nx = x.array(1)", set()),
        ("print(x)\nx = 1", set()),  # read too early: a mistake, nothing is left out
        ("with open('f') as x:\n    x = x.read()", set()),
        ("def f(x):\n    x = x + 1", set()),
        ("try:\n    x = 1\nexcept E as x:\n    x = x", {"E"}),
    ],
)
def test_a_name_that_is_first_made_from_itself_was_left_out(code: str, names: set[str]) -> None:
    """`model = model.to(device)` does not define a model."""
    assert undefined_names(code, "snippet.py") == names


@pytest.mark.parametrize(
    "code",
    [
        "print(checkpoint['epoch'])",  # somebody's loaded file, not torch.utils.checkpoint
        "models[0].eval()",
        "for sample in datasets:\n    pass",
        "queue.append(1)",
        "count = string.count('a')",
        "field.shape",
        "repeat + 1",
        "net = Generator()",
    ],
)
def test_a_use_that_does_not_fit_an_import_gets_none(code: str) -> None:
    """An import in its place would raise an error that is not the asker's."""
    assert supply(code, "snippet.py") == ({}, ())


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("for x in tqdm(range(2)): pass", "from tqdm import tqdm"),
        ("for x in tqdm.tqdm(range(2)): pass", "import tqdm"),
        ("datetime.now()", "from datetime import datetime"),
        ("datetime.datetime.now()", "import datetime"),
        ("lr_scheduler.StepLR", "import torch.optim.lr_scheduler as lr_scheduler"),
        ("class A(ABC): pass", "from abc import ABC"),
        ("def f(x: Optional[int]) -> List[str]: ...", "from typing import Optional"),
        ("d = deque([1])", "from collections import deque"),
        ("def f():\n    return dist.is_available()", "import torch.distributed as dist"),
        ("w = Parameter(torch.ones(1))", "from torch.nn import Parameter"),
        ("y = DDP(net)", "from torch.nn.parallel import DistributedDataParallel as DDP"),
        ("a = sqrt(d_k)", "from math import sqrt"),
        ("img = Image.open('x.png')", "from PIL import Image"),
    ],
)
def test_well_known_imports(code: str, said: str) -> None:
    """Said as the statement to write."""
    assert said in supply(code, "snippet.py")[1]
