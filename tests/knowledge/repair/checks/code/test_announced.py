"""knowledge/repair/checks/code/announced.py: what comments, names and labels announce is kept."""

from __future__ import annotations

import pytest

from knowledge.repair.checks.code.announced import check
from tests.built import failed
from tests.knowledge.repair.checks.code.changed import refused


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        # A comment beside it, above it, or a label that is printed.
        ("y = x.detach()  # detached\n", "y = x  # detached\n", False),
        ("# we detach it\ny = x.detach()\n", "# we detach it\ny = x\n", False),
        ("y = x.detach()\nprint('detached', y)\n", "y = x\nprint('detached', y)\n", False),
        ("print('detached', x.detach())\n", "print('detached', x)\n", False),
        ("# a\n# detached\n# b\ny = x.detach()\n", "# a\n# detached\n# b\ny = x\n", False),
        ("detached = x.detach()\n", "detached = x\n", False),
        ("detached: T = x.detach()\n", "detached: T = x\n", False),
        ("with torch.no_grad():  # without gradients\n    y = x\n",
         "y = x  # without gradients\n", False),
        ("# no gradients\nwith torch.no_grad():\n    y = x\n", "# no gradients\ny = x\n", False),
        # Nobody announces it, or not there.
        ("y = x.detach()\n", "y = x\n", True),
        ("# detached\n\ny = x.detach()\n", "# detached\n\ny = x\n", True),
        ("z = 1  # detached\ny = x.detach()\n", "z = 1  # detached\ny = x\n", True),
        ("y = x.detach()\nprint('detached', z)\n", "y = x\nprint('detached', z)\n", True),
        ("y = x.detach()\nlog('detached', y)\n", "y = x\nlog('detached', y)\n", True),
        ("with torch.no_grad():\n    y = x  # no gradients\n", "y = x  # no gradients\n", True),
        # It is still done, there or on a line that came.
        ("y = x.detach()  # detached\n", "y = x.mean().detach()  # detached\n", True),
        ("y = f(x.detach())  # detached\n", "z = x.detach()\ny = f(z)  # detached\n", True),
        ("y = f(x.detach(), a, b)  # detached\n",
         "z = x.detach()\ny = f(z, a, b)  # detached\n", True),
        # In place.
        ("x += 1  # in-place\n", "x = x + 1  # in-place\n", False),
        ("x.add_(1)  # in place\n", "x = x.add(1)  # in place\n", False),
        ("x[0] = 1  # inplace\n", "x = y  # inplace\n", False),
        ("r = nn.ReLU(inplace=True)  # in-place\n", "r = nn.ReLU()  # in-place\n", False),
        ("r = nn.ReLU(inplace=False)  # in-place\n", "r = nn.ReLU()  # in-place\n", True),
        ("x.add_(1)  # in place\n", "x[:] = x + 1  # in place\n", True),
        ("x += 1  # one more\n", "x = x + 1  # one more\n", True),
        ("x.__iadd__(1)  # in place\n", "x = 1  # in place\n", True),
        # Others.
        ("y = torch.cat(x)  # concatenated\n", "y = x  # concatenated\n", False),
        ("y = torch.cat(x)  # concatenated\n", "y = torch.concat((x,))  # concatenated\n", True),
        ("y = torch.stack(x)  # stacked\n", "y = torch.cat(x)  # stacked\n", False),
        ("y = np.array(x)  # a NumPy array\n", "y = list(x)  # a NumPy array\n", False),
        ("numpy_array = np.array(x)\n", "numpy_array = list(x)\n", False),
        ("y = x.T @ z  # transposed\n", "y = x @ z  # transposed\n", True),  # the sizes decide
        ("f(x, retain_graph=True)  # retain_graph\n", "f(x)  # retain_graph\n", False),
        ("m = S(L(3), A(dim=1))  # dimensions\n", "m = S(L(3))  # dimensions\n", True),
        ("m = S(L(3), A(dim=1))  # dimensions\n", "m = S(L(3), B())  # dimensions\n", False),
        ("m = S(L(3), A(dim=1))  # dimensions\n", "m = S(L(3), A())  # dimensions\n", False),
        ("a = deepcopy(b)  # a deep copy\n", "a = b  # a deep copy\n", False),
        ("y = map(torch.detach, x)  # detached\n", "y = x  # detached\n", False),
        ("y = f(x)  # detached\n", "y = g(x)  # detached\n", True),  # it never was
        # What the comment calls wrong.
        ("y = torch.stack(x)  # Incorrect: just stacked\n",
         "y = pad(x)  # Incorrect: just stacked\n", True),
        ("y = torch.stack(x)  # stacked; nothing in it would be wrong\n",
         "y = pad(x)  # stacked; nothing in it would be wrong\n", False),
        # An argument that is left out.
        ("y = f(x, decimals=2)\nprint('to two decimals', y)\n",
         "y = f(x)\nprint('to two decimals', y)\n", False),
        ("y = f(x, bias=False)  # no bias\n", "y = f(x)  # no bias\n", False),
        ("y = f(x, keep_dims=True)  # keeps them\n", "y = f(x)  # keeps them\n", False),
        ("y = f(x, decimals=2)\nprint('rounded', y)\n", "y = f(x)\nprint('rounded', y)\n", True),
        ("y = f(x, decimals=2)  # two decimals\n", "y = f(x, digits=2)  # two decimals\n", True),
        ("y = f(decimals=2)  # two decimals\n", "y = f(2)  # two decimals\n", True),  # by place
        ("y = f(2, decimals=2)  # decimals\n", "y = f(2)  # decimals\n", False),
        ("y = f(x, decimals=2)  # two decimals\n",
         "y = f(x, decimals=3)  # two decimals\n", True),
        # What a label right below says there is not.
        ("y = f(x)\nprint('no eval() call', y)\n",
         "f.eval()\ny = f(x)\nprint('no eval() call', y)\n", False),
        ("y = f(x)  # without no_grad\n", "y = no_grad(f)(x)  # without no_grad\n", False),
        ("y = f(x)\nprint('eval() call', y)\n",
         "f.eval()\ny = f(x)\nprint('eval() call', y)\n", True),
        ("y = f(x)\na()\nb()\nc()\nd()\nprint('no eval() call', y)\n",
         "f.eval()\ny = f(x)\na()\nb()\nc()\nd()\nprint('no eval() call', y)\n", True),
        ("y = f(x)\nprint('no eval() call', y.eval())\n",
         "y = f(x) + 1\nprint('no eval() call', y.eval())\n", True),
        ("o = f([])  # without model parameters\n",
         "o = f(m.parameters())  # without model parameters\n", True),
        ("o = f([])  # without `parameters`\n",
         "o = f(m.parameters())  # without `parameters`\n", False),
        # A statement that is gone.
        ("y = x.clone()  # cloned\nf(x)\n", "f(x)\n", False),
    ],
)  # fmt: skip
def test_what_is_announced_is_still_done(old: str, new: str, passes: bool):
    """Comments about the line, names that it makes, labels that it is printed with."""
    assert (refused(check, old, new) == "") is passes


@pytest.mark.parametrize("type", ["AttributeError", "ImportError", "NameError"])
def test_what_does_not_exist_may_be_announced(type: str):
    """`x.stacked()  # stack` was never done."""
    old, new = "y = x.stack()  # stack\n", "y = x.numpy()  # stack\n"
    assert refused(check, old, new, failed("no", type)) == ""
    assert refused(check, old, new, failed("no", "TypeError")) != ""


@pytest.mark.parametrize(("keyword", "passes"), [("tqdm", True), ("depth", False)])
def test_an_argument_that_there_is_not_may_be_announced(keyword: str, passes: bool):
    """`load(x, tqdm=False)  # without tqdm`: the error itself says that there is none."""
    said = failed(f"load() got an unexpected keyword argument '{keyword}'", "TypeError")
    old, new = "y = load(x, tqdm=False)  # without tqdm\n", "y = load(x)  # without tqdm\n"
    assert (refused(check, old, new, said) == "") is passes


_CUT = "y = f(x).detach()  # detached\n"
_STEP = "y.backward()\noptimizer.step()\n"


@pytest.mark.parametrize(
    ("rest", "message", "passes"),
    [
        (_STEP, "element 0 of tensors does not require grad and does not have a grad_fn", True),
        ("y.backward()\n", "element 0 of tensors does not require grad and does not have a grad_fn",
         False),
        (_STEP, "grad can be implicitly created only for scalar outputs", False),
    ],
)  # fmt: skip
def test_what_is_to_be_trained_is_not_detached(rest: str, message: str, passes: bool):
    """An optimizer steps behind a backward that the detach left without a graph."""
    old, new = _CUT + rest, _CUT.replace(".detach()", "") + rest
    assert (refused(check, old, new, failed(message)) == "") is passes
