"""executor/inside/probes/: what is seen in a run, and that looking changes nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from executor.protocol import Outcome, Probe
from tests.executor.conftest import House

BARE = {
    "loop": "for i in range(3):\n    print(i, end=' ')\nprint()",
    "classes": "class A:\n    def __repr__(self): return 'A!'\nprint(A(), __name__)",
    "caught": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print('caught', e)\nfinally:\n"
    "    print('done')",
    "nested": "def f(n):\n    try:\n        return 10 // n\n    except ArithmeticError:\n"
    "        raise ValueError(n) from None\ntry:\n    f(0)\nexcept ValueError as e:\n"
    "    print(repr(e), e.__cause__, e.__suppress_context__)",
    "group": "try:\n    raise ExceptionGroup('g', [ValueError(1), KeyError(2)])\n"
    "except* ValueError as g:\n    print(g.exceptions)\n"
    "except* KeyError as g:\n    print(len(g.exceptions))",
    "suppress": "import contextlib\n"
    "with contextlib.suppress(KeyError):\n    {}['x']\nprint('after')",
    "generator": "def g():\n    try:\n        yield 1\n"
    "    except GeneratorExit:\n        print('closed')\n"
    "        raise\nx = g(); print(next(x)); x.close()",
    "training": "import torch\ntorch.manual_seed(0)\nm = torch.nn.Linear(3, 1)\n"
    "o = torch.optim.SGD(m.parameters(), 0.1)\nfor _ in range(3):\n    o.zero_grad()\n"
    "    loss = m(torch.ones(2, 3)).pow(2).mean()\n    loss.backward()\n    o.step()\n"
    "print(loss.item())",
    "inspect": "import inspect\ndef f():\n    try:\n        pass\n"
    "    except OSError:\n        pass\n"
    "print(inspect.getsource(f))",
    "exit": "import sys\nprint('before')\nsys.exit(0)",
}


@pytest.mark.parametrize("name", list(BARE))
def test_output_is_that_of_bare_python(any_house: House, name: str, tmp_path: Path) -> None:
    script = tmp_path / "snippet.py"
    script.write_text(BARE[name])
    bare = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    probed = any_house.run(BARE[name], probes=(Probe.INPLACE, Probe.GRADIENTS), wall_s=60)

    assert probed.stdout == bare.stdout
    assert (probed.exit.code == 0) == (bare.returncode == 0)


def test_a_run_without_probes_sees_only_its_error(any_house: House) -> None:
    """It is what the probes are measured against; how it ended is still told."""
    code = """
        import warnings
        try:
            1 / 0
        except ZeroDivisionError:
            warnings.warn("mine")
        print([][0])
        """
    probed, bare = any_house.run(code), any_house.run(code, probes=(Probe.NONE,))

    assert (len(probed.caught), len(probed.warnings)) == (1, 1)
    assert (bare.caught, bare.warnings, bare.handlers) == ((), (), 0)
    assert bare.error is not None and probed.error == bare.error


def test_caught_exceptions_are_seen(any_house: House) -> None:
    result = any_house.run(
        """
        import contextlib
        print("x")
        try:
            {}["key"]
        except KeyError:
            pass
        with contextlib.suppress(ValueError):
            int("no")
        for _ in range(5):
            try:
                1 / 0
            except ZeroDivisionError:
                continue
        """
    )

    seen = [(c.type, c.line, c.handler_line) for c in result.caught]
    assert [s[0] for s in seen] == ["KeyError", "ValueError", "ZeroDivisionError"]
    assert seen[0][1:] == (5, 6)
    assert result.caught[0].stdout_bytes == 2
    assert result.handlers == 2


def test_warnings_have_the_snippets_line(any_house: House) -> None:
    result = any_house.run(
        "import warnings, torch\n\nwarnings.warn('mine')\n"
        "torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2, 1))"
    )

    assert [(w.category, w.line) for w in result.warnings] == [
        ("UserWarning", 3),
        ("UserWarning", 4),
    ]


def test_frames_show_tensors_by_their_facts(any_house: House) -> None:
    result = any_house.run(
        "import torch\ndef f(x):\n    w = torch.ones(3, 5)\n    return x @ w\nf(torch.ones(2, 2))"
    )

    assert [f.function for f in result.frames] == ["<module>", "f"]
    assert result.frames[1].locals["w"].shape == (3, 5)
    assert result.error is not None
    assert result.error.code == "x @ w"


IN_PLACE = {
    "plain": ("y = x.exp()\ny.add_(1)\ny.sum().backward()", 3, 4),
    "view": ("y = x.exp()\nv = y[:2]\nv.mul_(2)\ny.sum().backward()", 3, 5),
    "loop": (
        "y = x\nfor _ in range(2):\n    y = y.sigmoid()\n    y += 1\ny.sum().backward()", 5, 6,
    ),
    "function": (
        "def spoil(t):\n    t.zero_()\ny = x.tanh()\nspoil(y)\ny.sum().backward()", 5, 4,
    ),
    "module": (
        "class M(torch.nn.Module):\n    def forward(self, t):\n        h = t.exp()\n"
        "        h.clamp_(0, 1)\n        return h\nM()(x).sum().backward()", 5, 6,
    ),
    "item": ("y = x.sqrt()\ny[0] = 0\ny.sum().backward()", 3, 4),
}  # fmt: skip


@pytest.mark.parametrize("name", list(IN_PLACE))
def test_both_ends_of_an_in_place_error(any_house: House, name: str) -> None:
    code, saved, modified = IN_PLACE[name]
    head = "import torch\nx = torch.ones(4, requires_grad=True)\n"
    result = any_house.run(head + code, probes=(Probe.INPLACE,))

    assert result.outcome is Outcome.ERROR
    assert result.autograd is not None
    assert (result.autograd.saved_line, result.autograd.modified_line) == (saved, modified)


def test_training_inspector_tells_what_never_learns(any_house: House) -> None:
    result = any_house.run(
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.hidden = [nn.Linear(2, 2)]
                self.gain = torch.ones(2, requires_grad=True)
                self.out = nn.Linear(2, 1)
                self.unused = nn.Linear(2, 1)

            def forward(self, x):
                return self.out(self.hidden[0](x) * self.gain)

        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.ones(3, 2)).sum().backward()
        optimizer.step()
        """
    )
    kinds = {(f.kind, f.line) for f in result.findings}

    assert ("unregistered_module", 8) in kinds
    assert ("unregistered_parameter", 9) in kinds
    assert any(f.kind == "no_gradient" and "unused" in f.name for f in result.findings)
    assert result.trained
    assert any("out" in name for name in result.moved)


def test_code_that_is_no_python_is_told_with_its_line(house: House):
    """A SyntaxError has no frame of the snippet's, and is no failure of ours."""
    result = house.run("x = 1\nfor i in x:\n    # …\n")

    assert result.outcome is Outcome.ERROR and result.exit.code == 1
    assert result.error is not None and result.error.type == "IndentationError"
    assert result.error.line == 3
