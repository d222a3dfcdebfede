"""executor/inside/definitions.py: whether a run exercised anything of the person's."""

from __future__ import annotations

import ast

import pytest

from executor.inside.definitions import are_all, only_made
from executor.protocol import Outcome
from tests.executor.conftest import House

NET = (
    "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
    "        super().__init__()\n        self.fc = nn.Linear(4, 2)\n"
    "    def forward(self, x):\n        return self.fc(x)\n"
)
F = "def f(x=1):\n    return x\n"
ONLY = {
    "a class": NET,
    "a function": F,
    "settings and constants": "import torch\ntorch.manual_seed(0)\nN = 32\nLR = N * 1e-4\n" + NET,
    "a docstring and a device": "'''Mine.'''\nimport torch\n"
    "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n" + NET,
    "an import that may fail": "try:\n    import apex\nexcept ImportError:\n    apex = None\n"
    + NET,
    "a base class and an annotation": NET + "class Big(Net):\n    part: Net\n    n: int = 3\n",
    "a decorator of a library": "import torch\n@torch.no_grad()\ndef f(x):\n    return x\n",
    "an empty main": NET + "if __name__ == '__main__':\n    pass\n",
    "a main for others": NET + "if __name__ != '__main__':\n    print('imported')\n",
}
NOT_ONLY = {
    "an instance": NET + "net = Net()\n",
    "an instance in a main": NET + "if __name__ == '__main__':\n    Net()(torch.ones(1, 4))\n",
    "a call": F + "print(f(1))\n",
    "an instance in a list": NET + "nets = [n() for n in (Net,)]\n",
    "a call by its name": F + "globals()['f']()\n",
    "a decorator of its own": F + "@f\ndef h():\n    pass\n",
    "a default of its own": F + "def g(x=f()):\n    pass\n",
    "a field of its own": "class A:\n    pass\nclass B:\n    a = A()\n",
    "no definition": "import torch\nprint(torch.ones(2))\n",
    "a script with an unused helper": "import torch\n" + F + "x = torch.ones(2)\ny = x.sum()\n",
    "a loop": F + "for i in range(3):\n    print(i)\n",
    "nothing": "",
}


@pytest.mark.parametrize("name", list(ONLY))
def test_definitions_alone(name: str) -> None:
    assert are_all(ast.parse(ONLY[name]))


@pytest.mark.parametrize("name", list(NOT_ONLY))
def test_more_than_definitions(name: str) -> None:
    assert not are_all(ast.parse(NOT_ONLY[name]))


def test_an_import_that_was_left_out_is_one() -> None:
    """A pipeline that a constant holds exercises nothing, whoever brings its names."""
    code = F + "tf = transforms.Compose([transforms.ToTensor()])\n"

    assert are_all(ast.parse(code), {"transforms"})
    assert not are_all(ast.parse(code))
    assert not are_all(ast.parse(code + "y = f(tf)\n"), {"transforms"})


MADE = NET + "net = Net()\n"
ONLY_MADE = {
    "made": (MADE, ("net",)),
    "made and moved": (NET + "net = Net().to('cpu')\nnet.eval()\n", ("net",)),
    "made and shown": (MADE + "print(net)\nnet\n", ("net",)),
    "moved in place": (MADE + "net = net.double().eval()\n", ("net",)),
    "handed on as it is moved": (MADE + "train(net.double())\n", ()),
    "moved under another name": (MADE + "model = net.to('cpu')\nmodel(1)\n", ()),
    "its parts are looked at": (MADE + "for p in net.parameters():\n    p.data\n", ("net",)),
    "two of them": (MADE + "other = Net()\n", ("net", "other")),
    "one of two": (MADE + "other = Net()\nother(1)\n", ("net",)),
    "called": (MADE + "net(1)\n", ()),
    "called in a function": (MADE + "def f(x):\n    return net(x)\n", ()),
    "its forward is called": (MADE + "net.forward(1)\n", ()),
    "a layer of it is": (MADE + "net.fc(1)\n", ()),
    "handed on": (MADE + "train(net)\n", ()),
    "printed what it gives": (MADE + "print(net(1))\n", ()),
    "named anew": (MADE + "model = net\nmodel(1)\n", ()),
    "called at once": (NET + "y = Net()(1)\n", ()),
    "no forward": ("class A:\n    pass\na = A()\n", ()),
    "another's class": (NET + "net = nn.Linear(1, 1)\n", ()),
    "a setting of it": (NET + "net = Net().fc\n", ()),
}


@pytest.mark.parametrize("name", list(ONLY_MADE))
def test_what_is_made_and_never_called(name: str) -> None:
    """No line of its forward ran, whatever else is done with it."""
    code, made = ONLY_MADE[name]
    assert only_made(ast.parse(code)) == made


def test_a_run_tells_what_it_only_made(any_house: House) -> None:
    """Where it ended well: an error says more."""
    assert any_house.run(MADE).only_made == ("net",)
    assert any_house.run(MADE + "net(torch.ones(1, 4))").only_made == ()
    assert any_house.run(MADE + "raise OSError").only_made == ()


@pytest.mark.parametrize(
    ("code", "only"),
    [(NET, True), (NET + "Net()", False), ("print(1)", False), (NET + "raise OSError", False)],
)
def test_a_run_tells_it(any_house: House, code: str, only: bool) -> None:
    """True only of a run that came to its end."""
    assert any_house.run(code).only_definitions is only


@pytest.mark.parametrize(
    ("code", "exit_code", "error"),
    [
        ("import os; os._exit(3)", 3, None),
        ("import sys; sys.exit(1)", 1, "SystemExit"),
        ("import sys; sys.exit('no data')", 1, "SystemExit"),
        ("raise SystemExit(1)", 1, "SystemExit"),
        ("quit(2)", 2, "SystemExit"),
        ("import sys; sys.exit(0)", 0, None),
        ("import os; os._exit(0)", 0, None),
    ],
)
def test_an_exit_is_told_from_an_error(
    any_house: House, code: str, exit_code: int, error: str | None
) -> None:
    """The exit code is the kernel's; SystemExit is named, and os._exit leaves no error to name."""
    result = any_house.run(code)

    assert result.outcome is (Outcome.OK if exit_code == 0 else Outcome.ERROR)
    assert (result.exit.code, result.exit.signal) == (exit_code, None)
    assert (result.error.type if result.error else None) == error
    assert not result.only_definitions
