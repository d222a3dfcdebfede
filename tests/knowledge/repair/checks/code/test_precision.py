"""knowledge/repair/checks/code/precision.py: a precision that is meant is not lowered."""

from __future__ import annotations

import pytest

from executor.protocol import Frame
from knowledge.repair.checks.code.precision import check
from tests.knowledge.repair.checks.code.changed import refused, saw, tensor

LIVE = saw(x=tensor(3, dtype="float64"), y=tensor(3), h=tensor(3, dtype="float16"))


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        # The dtype that the author wrote.
        ("x = torch.ones(3, dtype=torch.float64)\n",
         "x = torch.ones(3, dtype=torch.float32)\n", False),
        ("x = torch.ones(3, dtype=torch.double)\n",
         "x = torch.ones(3, dtype=torch.half)\n", False),
        ("x = torch.ones(3, dtype=torch.float64)\n", "x = torch.ones(3)\n", False),
        ("x = torch.ones(3).double()\n", "x = torch.ones(3).float()\n", False),
        ("x = torch.ones(3).double()\n", "x = torch.ones(3)\n", False),
        ("x = f(3).to(torch.float64)\n", "x = f(3).to(torch.float32)\n", False),
        ("x = f(3).to(torch.float32)\n", "x = f(3).to(torch.float16)\n", False),
        ("x = torch.ones(3, dtype=torch.float32)\n",
         "x = torch.ones(3, dtype=torch.float64)\n", True),
        ("x = torch.ones(3, dtype=torch.float32)\n", "x = torch.ones(3)\n", True),
        ("x = torch.ones(3, dtype=torch.int64)\n",
         "x = torch.ones(3, dtype=torch.float32)\n", True),
        ("x = torch.ones(3).double()\n", "x = torch.ones(4).double()\n", True),
        ("f(x.to(torch.float64))\n", "f(x)\n", False),
        ("f(x.to(dtype=torch.float64))\n", "f(x)\n", False),
        ("f(x.type(torch.float64))\n", "f(x)\n", False),
        ("f(g(3).astype(np.float64))\n", "f(g(3))\n", False),
        ("f(x.double())\n", "f(y.view(3))\n", True),  # another value
        ("x = torch.ones(3, dtype=torch.float64)\n",
         "x = torch.ones(3, dtype=torch.int64)\n", True),  # whole numbers: `casts` looks at them
        # A tensor that was made so, or that the code is about.
        ("f(x)  # float64\n", "f(x.to(torch.float32))  # float64\n", False),
        ("f(x)  # float64\n", "f(x.to(dtype=torch.float32))  # float64\n", False),
        ("f(x)  # float64\n", "f(x.sum(dtype=torch.float32))  # float64\n", False),
        ("f(x)  # float64\n", "f(x.clamp(torch.float32))  # float64\n", True),
        ("f(x)  # float64\n", "f(x.sum(out=torch.float32))  # float64\n", True),
        ("f(x)  # float64\n", "f(x.to(device))  # float64\n", True),
        ("f(x + 1)  # float64\n", "f((x + 1).float())  # float64\n", True),
        ("x = torch.ones(3, dtype=torch.float64)\nf(x)\n",
         "x = torch.ones(3, dtype=torch.float64)\nf(x.float())\n", False),
        ("x = torch.ones(3).double()\nf(x)\n", "x = torch.ones(3).double()\nf(x.float())\n", False),
        ("f(x)  # in double precision\n", "f(x.float())  # in double precision\n", False),
        ("print('float64')\nf(x)\n", "print('float64')\nf(x.float())\n", False),
        ("'''Numerical precision.'''\nf(x)\n", "'''Numerical precision.'''\nf(x.float())\n", False),
        ("f(x)\n", "f(x.float())\n", True),  # NumPy's, that nobody asked for
        ("x = g()\nf(x)\n", "x = g()\nf(x.float())\n", True),
        ("f(x)  # precision and recall\n", "f(x.float())  # precision and recall\n", True),
        ("f(x)  # precision = 3\n", "f(x.float())  # precision = 3\n", True),
        ("f(y)  # float64\n", "f(y.float())  # float64\n", True),
        ("f(y)  # float64\n", "f(y.double())  # float64\n", True),
        ("f(h)  # half precision\n", "f(h.float())  # half precision\n", True),
        ("f(y)  # full precision\n", "f(y.half())  # full precision\n", False),
    ],
)  # fmt: skip
def test_a_precision_that_is_meant_is_not_lowered(old: str, new: str, passes: bool):
    """It is meant where the code names it, or writes about it."""
    assert (refused(check, old, new, LIVE) == "") is passes


@pytest.mark.parametrize("said", ["7 of its 16 digits are kept", "it loses precision"])
def test_it_may_be_lowered_where_that_is_said(said: str):
    """The person then decides."""
    old, new = "x = f(3).double()\n", "x = f(3)\n"
    assert refused(check, old, new, LIVE, title=said) == ""
    assert refused(check, old, new, LIVE, title="x is made as float32") != ""


@pytest.mark.parametrize(
    ("call", "passes"),
    [
        ("g(y.double())  # with float64", False),
        ("g(y.to(torch.float64))  # in double", False),
        ("g(y.double())", True),  # of which the code says nothing
        ("g(y)  # with float64", True),
    ],
)
def test_what_a_failing_call_asks_for(call: str, passes: bool):
    """Within it nothing of lower precision is made, whatever the title says."""
    function = "def g(x):\n    return f({})\n"
    result = saw(x=tensor(3, dtype="float64")).model_copy(
        update={"frames": (Frame(function="<module>", line=3), Frame(function="g", line=2))}
    )
    old, new = function.format("x") + call + "\n", function.format("x.float()") + call + "\n"
    assert (refused(check, old, new, result, title="7 digits are kept") == "") is passes
