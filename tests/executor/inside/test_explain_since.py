"""executor/inside/explain: what changed between the failing value's making and the error."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_explain import ran

CUT = """\
n = nn.Linear(3, 4)
opt = torch.optim.{made}
n(torch.ones(1, 3)).sum().backward()
opt.step()
n.weight.data = n.weight.data[:2]
n.weight.grad = torch.ones(2, 3)
opt.step()
"""
GETTER = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.band = 4
    @property
    def window(self):
        return 2 * self.bands
n = Net()
"""


@pytest.mark.parametrize(
    ("code", "said", "unsaid"),
    [
        # requires_grad holds now, and did not when the loss was computed.
        ("x = torch.rand(3)\ny = (x ** 2).sum()\nx.requires_grad_(True)\ny.backward()",
         "line 6 sets requires_grad later", "which requires grad"),
        ("m = nn.Linear(3, 1).requires_grad_(False)\nout = m(torch.rand(2, 3)).sum()\n"
         "for p in m.parameters():\n    p.requires_grad = True\nout.backward()",
         "has no graph", "which requires grad"),
        ("w = torch.rand(3, requires_grad=True)\ny = (w * 2).sum().detach()\ny.backward()",
         "ends the graph of `w` [3] (line 4)", "later"),
        # A gradient that is a constant, and one that was taken without a graph.
        ("x = torch.rand((), requires_grad=True)\n"
         "g = torch.autograd.grad(2 * x, x, create_graph=True)[0]\ntorch.autograd.grad(g, x)",
         "takes a gradient with create_graph=True, and it has no graph because", "ends there"),
        ("x = torch.rand((), requires_grad=True)\n"
         "g = torch.autograd.grad(x * x, x)[0]\ntorch.autograd.grad(g, x)",
         "takes a gradient without create_graph=True", "constant"),
        ("x = torch.rand((), requires_grad=True)\n"
         "g = torch.autograd.grad(x * x, x, create_graph=True)[0].detach()\n"
         "torch.autograd.grad(g, x)", "ends the graph", "constant"),
        # What was made of a tensor and then left lying.
        ("x = torch.rand(3)\nn = torch.rand(3).requires_grad_()\nmoved = x + n\n"
         "loss = (x * 2).requires_grad_().sum()\ntorch.autograd.grad(loss, n)",
         "`moved` (line 6) is made of it, and no line", "input 0"),
        ("x = torch.rand(3)\nn = torch.rand(3).requires_grad_()\nmoved = x + n\nprint(moved)\n"
         "loss = (x * 2).requires_grad_().sum()\ntorch.autograd.grad(loss, n)",
         "plays no part in the graph", "is made of it"),
        # A number of Python's that no float32 is.
        ("x = torch.tensor([0.1, 2.5])\nassert x[0].item() == 0.1",
         "0.1 is no number of float32: the next one is 0.10000000149011612", "int64"),
        ("x = torch.tensor([0.1])\nassert x.item() == 0.2", "does not hold", "is no number"),
        ("x = torch.tensor([0.1], dtype=torch.float64)\nassert x.item() == 0.2",
         "does not hold", "is no number"),
        ("x = torch.tensor([0.5])\nassert x.item() == 0.25", "does not hold", "is no number"),
        # What is no whole number in the brackets, and what has more than one.
        ("f = torch.rand(8, 8)\na, b = torch.tensor([2, 4])\nf[:, a / 2:b]",
         "`a / 2` is no whole number: `/` gives", "values"),
        ("f = list(range(9))\nk = torch.arange(3)\nf[k]", "`k` [3] (line 5) has 3 values", "`/`"),
        ("f = torch.rand(8) / 2\nk = torch.rand(3)\nf[k:]", "`k` [3] (line 5) has 3 values", "`/`"),
        # What a mask chooses is no table where its rows hold different numbers.
        ("x = torch.rand(3, 4)\nm = x > -1\nm[0, :2] = False\nx[m].view(4, -1)",
         "(2 to 4 of them in a row of it", "tensor here"),
        ("x = torch.rand(3, 4)\nm = x > -1\nx[m].view(5, -1)", "where `m` is True", "in a row"),
        ("x = torch.rand(12)\ni = torch.arange(7)\nx[i].view(5, -1)", "7 values; the -1", "True"),
        # A name that another scope binds: a comprehension's own, and one that a function changes.
        ("x = torch.rand(2)\nys = [torch.rand(3)]\n"
         "z = [x + y for y in ys for x in [torch.rand(2)]]", "`x` [2] and `y` [3]", "line 4"),
        ("W = torch.rand(3, 3)\ndef shrink():\n    global W\n    W = torch.rand(2, 2)\nshrink()\n"
         "W @ torch.rand(3)", "`W` [2, 2] gives", "line 4"),
        ("W = torch.rand(2, 2)\nW @ torch.rand(3)", "`W` [2, 2] (line 4)", "?"),
        # An entry that was set since, and a layer that was replaced.
        ("held = {'w': torch.rand(2, 2)}\nheld['w'] = torch.rand(4)\nheld['w'] + torch.rand(3)",
         "`held['w']` [4] and", "line 4"),
        ("held = {'w': torch.rand(4)}\nheld['w'] + torch.rand(3)", "`held['w']` [4] (line 4)", "?"),
        ("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
         "        self.fc = nn.Linear(4, 4)\nnet = Net()\nnet.fc = nn.Linear(5, 2)\n"
         "net.fc(torch.rand(2, 4))", "`net.fc` is Linear(in_features=5", "made at"),
        # What `finally`, or a handler that raised again, gave the name.
        ("x = torch.rand(2)\ntry:\n    x[5]\nfinally:\n    x = torch.rand(7)", "", "[7]"),
        ("x = torch.rand(2)\ntry:\n    x[5]\nexcept IndexError:\n    x = torch.rand(7)\n    raise",
         "", "[7]"),
        ("x = torch.rand(2)\ntry:\n    x[5]\nfinally:\n    y = torch.rand(7)",
         "`x` [2] (line 4) has positions 0 to 1", "[7]"),
        # A function is named by what changed a tensor then, where it was changed before.
        ("w = torch.rand(3, requires_grad=True)\nh = w * 1\nfor n in range(2):\n    y = h * w\n"
         "    h.add_(1)\ny.sum().backward()", "was changed in place once", "made by"),
        ("w = torch.rand(3, requires_grad=True)\ny = w.exp()\ny.add_(1)\ny.sum().backward()",
         "made by exp was changed", "?"),
        # An attribute that was there, and was deleted; a file that is none of torch's.
        ("class Box:\n    def __init__(self):\n        self.value = 3\nb = Box()\ndel b.value\n"
         "b.value", "", "that line has not run"),
        ("open('m.pt', 'wb').write(b'<html>')\ntorch.load('m.pt')", "", "more than tensors"),
        # Of plain values those that a message speaks of, where it speaks of any.
        ("from torch.utils.data import DataLoader\nsize, workers = 16, 0\n"
         "DataLoader([1], batch_size=size, num_workers=workers, prefetch_factor=2)", "", "`size`"),
        ("import math\nvalue = -1\nmath.sqrt(value)", "`value` (line 5) is -1", "?"),
        # Sizes that no order of the letters brings together; matrices that are all sound.
        ("torch.einsum('bi,bj->bij', torch.ones(8, 2), torch.ones(4, 3))", "8 and 4", "order"),
        # A function that is given, and what it calls is not one.
        ("x = torch.ones(2)\ntorch.autograd.functional.hessian(lambda a: x(a), x)", "",
         "takes a function"),
        # The sum that addmm starts from goes into no operand.
        ("torch.addmm(torch.rand(7), torch.rand(2, 3), torch.rand(3, 5))", "", "goes into a part"),
        ("from torch.utils.data import Dataloader", "closest name in it is `DataLoader`", "?"),
        # Names that are there, on the class or as a slot; and no verdict on what is close.
        ("class P:\n    __slots__ = ('value',)\nP().valeu", "closest name is `value`", "no other"),
        ("class Net(nn.Module):\n    hidden = 4\nNet().hiden", "closest name is `hidden`", "other"),
        (GETTER + "n.window", "reads `self.bands` (line 10), which is not set; the closest name is "
         "`band` (line 7)", "sets no"),
        (GETTER + "n.widow", "closest name is `window`", "a property (line"),
        (GETTER.replace("self.bands", "self.band.size") + "n.window", "a property (line 9)",
         "which is not set"),
        # What an optimizer keeps has the size that its parameter had.
        (CUT.format(made="SGD(n.parameters(), 0.1, momentum=0.9)"), "`momentum_buffer` [4, 3] for "
         "`n.weight`, which is [2, 3] now", "?"),
        (CUT.format(made="Adam([n.weight])"), "`exp_avg` [4, 3] for `n.weight`", "?"),
        ("torch.matrix_multiply(1, 2)", "`torch` has no `matrix_multiply`", "close"),
        ("nn.Linear(2, 2).in_channels", "has no `in_channels`", "close"),
        # A keyword that the called function takes, refused by one of that name below it.
        ("import numpy as np\nnp.mean(torch.rand(3, requires_grad=True))", "", "closest"),
        # A layer gets its input, not what its own checks look at.
        ("nn.GRU(4, 8, num_layers=2)(torch.rand(5, 2, 4), torch.zeros(1, 2, 8))",
         "input here is float32 [5, 2, 4]", "?"),
        # vstack makes rows of them before it joins them.
        ("torch.vstack([torch.rand(3), torch.rand(4)])", "", "dimension ;"),
        # A number that is written out says nothing that the line does not.
        ("torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=-0.1)", "", "is -0.1"),
        ("nn.Linear(2, 2).weight = torch.zeros(2, 2)", "is a plain tensor", "an operation"),
    ],
)  # fmt: skip
def test_only_what_held_then_is_said(any_house: House, code: str, said: str, unsaid: str) -> None:
    """A live value is told with a line, or as a cause, only if it was so when it took part."""
    found = ran(any_house, code).explanation
    text = found.text if found is not None else ""

    assert said in text, text
    assert unsaid not in text, text


def test_a_layers_input_is_what_its_forward_got(any_house: House) -> None:
    """Below `forward`, a recurrent layer's checks look at its first state."""
    code = "nn.GRU(4, 8, num_layers=2)(torch.rand(5, 2, 4), torch.zeros(1, 2, 8))"

    layer = ran(any_house, code).layer

    assert layer is not None
    assert layer.input == (5, 2, 4)


def test_a_replaced_layer_was_made_at_no_certain_line(any_house: House) -> None:
    """`net.fc = …` leaves open which of two lines made what `net.fc` is."""
    net = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    net += "        self.fc = nn.Linear(4, 4)\nnet = Net()\n"

    kept = ran(any_house, net + "net.fc(torch.rand(2, 5))").layer
    replaced = ran(any_house, net + "net.fc = nn.Linear(5, 2)\nnet.fc(torch.rand(2, 4))").layer

    assert kept is not None and kept.line == 7
    assert replaced is not None and replaced.line is None
