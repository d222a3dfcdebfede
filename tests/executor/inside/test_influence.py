"""executor/inside/probes/influence/: what a run shows about the meaning of its lines."""

from __future__ import annotations

import pytest

from executor.protocol import Influence, ModuleTrial, Outcome, Probe
from tests.executor.conftest import House

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def looked(any_house: House, code: str) -> Influence:
    """What the probe saw in a run that ended well; the head has three lines."""
    result = any_house.run(HEAD + code, probes=(Probe.INFLUENCE,), wall_s=60)
    assert result.outcome is Outcome.OK, result.error
    assert result.influence is not None
    assert result.influence.notes == ()
    return result.influence


def kinds(seen: Influence) -> list[tuple[str, str, int]]:
    return [(o.kind, o.name, o.line) for o in seen.operations]


def test_only_who_asks_for_it_pays_for_it(any_house: House) -> None:
    """A run without the probe has nothing of it."""
    assert any_house.run(HEAD + "nn.Linear(3, 2)(torch.ones(4, 3))").influence is None


def test_nothing_is_printed_twice(any_house: House) -> None:
    """The modules are called again when the run is over, and nobody hears of it."""
    code = """
class Net(nn.Module):
    def forward(self, x):
        print("forward")
        import warnings, sys, os
        warnings.warn("mine")
        sys.stderr.write("err\\n")
        os.write(1, b"raw\\n")
        return x * 2
net = Net()
x = torch.ones(2, 2)
print(net(x).sum())
net.n = 3
print(net.training)
"""
    plain = any_house.run(HEAD + code)
    seen = any_house.run(HEAD + code, probes=(Probe.GRADIENTS, Probe.INFLUENCE))

    assert (seen.stdout, seen.outcome, seen.caught, len(seen.warnings)) == (
        plain.stdout, Outcome.OK, plain.caught, len(plain.warnings),
    )  # fmt: skip
    assert seen.stderr.count("err\n") == plain.stderr.count("err\n") == 1
    assert seen.values is not None and set(seen.values.tensors) == {"x"}
    assert seen.influence is not None and len(seen.influence.trials) == 1


def test_layouts_are_noted_with_what_they_were_asked_for(any_house: House) -> None:
    """On the snippet's own lines only, and also where they fail."""
    seen = looked(
        any_house,
        """x = torch.arange(24.).reshape(2, 3, 4)
y = x.view(2, -1)
try:
    x.view(5, 5)
except RuntimeError:
    pass
z = torch.flatten(x, 1), x.T, x.expand(2, 2, 3, 4)
for _ in range(3):
    x.permute(0, 2, 1)
nn.Flatten()(x)
""",
    )
    views = [(o.name, o.line, o.inputs, o.output, o.sizes) for o in seen.operations]
    assert ("view", 5, ((2, 3, 4),), (2, 12), (2, -1)) in views
    assert ("view", 7, ((2, 3, 4),), None, (5, 5)) in views
    assert ("flatten", 10, ((2, 3, 4),), (2, 12), (1,)) in views
    assert ("T", 10, ((2, 3, 4),), (4, 3, 2), ()) in views
    assert ("expanded", "expand", 10) in kinds(seen)
    assert kinds(seen).count(("layout", "permute", 12)) == 1
    assert not any(o.line == 13 for o in seen.operations)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("torch.ones(3, 1) * torch.ones(4)", "outer"),
        ("torch.ones(3, 1) + torch.ones(3)", "outer"),
        ("torch.sub(torch.ones(3, 1), torch.ones(3))", "outer"),
        ("torch.ones(3, 4) * torch.ones(4)", ""),
        ("torch.ones(3, 1) * 2", ""),
        ("torch.ones(3, 1) @ torch.ones(1, 3)", ""),
        ("torch.tensor([1.5, 2.0]).long()", "lossy_cast"),
        ("torch.tensor([1.5, 2.0]).to(torch.int32)", "lossy_cast"),
        ("torch.tensor([300]).to(torch.uint8)", "lossy_cast"),
        ("torch.tensor([1e30]).half()", "lossy_cast"),
        ("torch.tensor([0.5]).bool()", "lossy_cast"),
        ("torch.tensor([1 + 2j]).to(torch.float32)", "lossy_cast"),
        ("torch.tensor([1.2, 2.8], dtype=torch.long)", "lossy_cast"),
        ("torch.tensor([[1.0], [2.8]], dtype=torch.int32)", "lossy_cast"),
        ("torch.tensor([1.0, 2.0], dtype=torch.long)", ""),
        ("torch.tensor([1.2, 2.8])", ""),
        ("torch.tensor([1.0, 2.0]).long()", ""),
        ("torch.tensor([0.1]).double()", ""),
        ("torch.tensor([0.1], dtype=torch.float64).float()", ""),
        ("torch.tensor([1, 2]).float()", ""),
        ("torch.tensor([1, 0]).bool()", ""),
        ("torch.tensor([0.3, 1.2]) == torch.tensor([0, 1])", "labels_compared"),
        ("torch.tensor([0, 1]).eq(torch.tensor([0.3, 1.2]))", "labels_compared"),
        ("torch.tensor([[2], [0], [1]]) == torch.eye(3)[[2, 0, 0]].long()", "labels_compared"),
        ("torch.tensor([0.0, 1.0]) == torch.tensor([0, 1])", ""),
        ("torch.tensor([0.5, 1.2]) == torch.tensor([0.3, 1.2])", ""),
        ("torch.tensor([0.5, 1.2]) == 1", ""),
        ("F.mse_loss(nn.Linear(2, 1)(torch.ones(4, 2)).expand(4, 3), torch.ones(4, 3))",
         "expanded_prediction"),
        ("nn.MSELoss()(nn.Linear(2, 1)(torch.ones(4, 2)).repeat(1, 3), target=torch.ones(4, 3))",
         "expanded_prediction"),
        ("F.mse_loss(nn.Linear(2, 3)(torch.ones(4, 2)), torch.ones(4, 3))", ""),
        ("torch.ones(2, requires_grad=True).grad", "no_grad"),
        ("(torch.ones(2) * torch.ones(2)).requires_grad_()", "result_gradient"),
        ("nn.Embedding(3, 2).requires_grad_(False)(torch.tensor([1])).requires_grad_()",
         "result_gradient"),
        ("torch.ones(2).requires_grad_()", ""),
        ("torch.ones(2).view(2, 1).requires_grad_()", ""),
        ("(torch.ones(2) * torch.ones(2)).requires_grad_(False)", ""),
        ("t = torch.ones(2); F.mse_loss(torch.ones(2), t); t.requires_grad_()", "target_gradient"),
        ("t = torch.ones(2); nn.L1Loss()(torch.ones(2), t); t.requires_grad = True",
         "target_gradient"),
        ("t = torch.ones(2); t.requires_grad_(); nn.L1Loss()(torch.ones(2), t)", "target_gradient"),
        (
            "t = torch.ones(2, requires_grad=True); nn.L1Loss()(torch.ones(2), t)",
            "target_gradient",
        ),
        ("t = torch.ones(2, requires_grad=True); nn.L1Loss()(t, torch.ones(2))", ""),
        ("t = torch.ones(2); nn.L1Loss()(t, torch.ones(2)); t.requires_grad_()", ""),
    ],
)  # fmt: skip
def test_what_a_line_does_to_values(any_house: House, line: str, kind: str) -> None:
    """A size, a value or a gradient that is not what it was."""
    found = [o.kind for o in looked(any_house, line).operations]
    told = [k for k in found if k not in ("layout", "expanded")]

    assert told == ([kind] if kind else [])


def test_training_calls_are_counted(any_house: House) -> None:
    """Whatever makes them."""
    seen = looked(
        any_house,
        """net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(4):
    net.zero_grad()
    net(torch.ones(2, 3)).sum().backward()
    opt.step()
opt.zero_grad()
torch.autograd.grad(net(torch.ones(2, 3)).sum(), net.weight)
F.mse_loss(net(torch.ones(2, 3)), torch.ones(2, 1))
""",
    )

    assert (seen.backwards, seen.steps, seen.zero_grads) == (5, 4, 5)
    assert (seen.doubled, seen.leaf_losses, seen.target_rows) == ((), (), (2,))


@pytest.mark.parametrize(
    ("between", "doubled"),
    [("pass", (7,)), ("w.grad = None", ()), ("w.grad.zero_()", ()), ("loss = f()", ())],
)
def test_a_second_backward_of_one_loss(any_house: House, between: str, doubled: tuple[int]) -> None:
    """It doubles the gradients, unless they were reset or the loss is another."""
    code = f"""w = torch.ones(3, requires_grad=True); f = lambda: (w * 2).sum(); loss = f()
loss.backward(retain_graph=True)
{between}
loss.backward()
"""
    assert looked(any_house, code).doubled == doubled


def test_a_second_backward_that_fails_adds_nothing(any_house: House) -> None:
    """PyTorch had freed the graph."""
    code = """w = torch.ones(3, requires_grad=True); loss = (w * w).sum()
loss.backward()
try:
    loss.backward()
except RuntimeError:
    pass
"""
    assert looked(any_house, code).doubled == ()


@pytest.mark.parametrize("side", ["torch.ones(4, 4)", "torch.tensor([[0, 1, 2], [1, 2, 3]])"])
def test_nodes_of_a_graph_are_no_batch(any_house: House, side: str) -> None:
    """They are there to change each other."""
    (trial,) = trials(any_house, "x - x.mean(0)", f"Net()(torch.randn(4, 3), {side})")

    assert (trial.apart, trial.mixed, trial.note) == ((), (), "")


def test_a_loss_that_is_a_leaf(any_house: House) -> None:
    """Its backward reaches nothing but the loss itself."""
    code = "loss = torch.ones(3).sum()\nloss.requires_grad_().backward()\n"

    assert looked(any_house, code).leaf_losses == (5,)


def trials(any_house: House, forward: str, call: str, made: str = "") -> list[ModuleTrial]:
    """The trials of a module with this forward."""
    code = f"""class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {made or "pass"}
    def forward(self, x, mask=None):
        return {forward}
{call}
"""
    return list(looked(any_house, code).trials)


LSTM = "self.l = nn.LSTM(3, 2{})"
ENCODER = "self.l = nn.TransformerEncoderLayer(8, 2, 16, batch_first={})"


@pytest.mark.parametrize(
    ("forward", "shape", "made", "apart", "mixed"),
    [
        ("x * 2", (4, 3), "", (0, 1), ()),
        ("x - x.mean(0)", (4, 3), "", (1,), (0,)),
        ("self.l(x)", (4, 3), "self.l = nn.Linear(3, 2)", (0,), ()),
        ("self.l(x)", (4, 3), "self.l = nn.BatchNorm1d(3)", (0, 1), ()),
        ("x + torch.arange(4)[:, None]", (4, 3), "", (0, 1), ()),  # each row has its own place
        ("x @ mask if mask is not None else x.flip(0)", (4, 3), "", (1,), (0,)),
        ("self.l(x.flatten(1))", (4, 3, 2), "self.l = nn.Linear(6, 2)", (0,), ()),
        ("self.l(x.t().reshape(4, 6))", (6, 4), "self.l = nn.Linear(6, 2)", (1,), ()),
        ("self.l(x.permute(1, 2, 0).reshape(4, 6))", (4, 3, 2), "self.l = nn.Linear(6, 2)",
         (), (0,)),
        ("self.l(x)[0]", (4, 5, 3), LSTM.format(", batch_first=True"), (0,), (1,)),
        ("self.l(x)[0]", (4, 5, 3), LSTM.format(""), (1,), (0,)),
        ("self.l(x)[0]", (4, 3), LSTM.format(""), (), (0,)),  # the batch is one sequence
        ("self.l(x)", (4, 5, 8), ENCODER.format("True"), (0,), (1,)),
        ("self.l(x)", (4, 5, 8), ENCODER.format("False"), (1,), (0,)),
        ("x.sum()", (4, 3), "", (), ()),  # no rows come out
        ("x.view(4, 3) * 2", (4, 3), "", (0, 1), ()),  # its batch size is written into it
        ("x[:1]", (1, 1), "", (), ()),
    ],
)  # fmt: skip
def test_which_rows_mix(
    any_house: House, forward: str, shape: tuple[int, ...], made: str,
    apart: tuple[int, ...], mixed: tuple[int, ...],
) -> None:  # fmt: skip
    """Rows are apart along a dimension if permuting them permutes the output, and one alone..."""
    (trial,) = trials(any_house, forward, f"Net()(torch.randn{shape})", made)

    assert (trial.apart, trial.mixed, trial.note) == (apart, mixed, "")


@pytest.mark.parametrize(
    ("mask", "apart"),
    [("mask", (0,)), ("mask.t()", ())],
)
def test_side_inputs_go_with_their_rows(
    any_house: House, mask: str, apart: tuple[int, ...]
) -> None:
    """A mask that is turned belongs to other rows: samples then change each other."""
    code = """
mask = torch.zeros(4, 4).bool()
mask[0, 2:] = mask[1, 3:] = mask[2, 1:] = True
Net()(torch.randn(4, 4, 8), mask)
"""
    forward = f"self.l(x, src_key_padding_mask={mask})"
    (trial,) = trials(any_house, forward, code, ENCODER.format("True"))

    assert (trial.apart, trial.note) == (apart, "")


@pytest.mark.parametrize(
    ("forward", "call", "note"),
    [
        ("x + torch.randn(3)", "Net()(torch.ones(4, 3))", "its output is random"),
        ("x.tolist()", "Net()(torch.ones(4, 3))", "no tensor goes in, or none comes out"),
        ("x if self.training else 1 / 0", "Net()(torch.ones(4, 3))",
         "ZeroDivisionError: division by zero"),
        ("x if self.training else exit(3)", "Net()(torch.ones(4, 3))", "SystemExit: 3"),
    ],
)  # fmt: skip
def test_what_cannot_be_tried_says_why(
    any_house: House, forward: str, call: str, note: str
) -> None:
    """And the run is as it was."""
    (trial,) = trials(any_house, forward, call)

    assert (trial.note, trial.apart, trial.mixed, trial.slices) == (note, (), (), ())


def test_a_module_that_hangs_is_left(any_house: House) -> None:
    """The report comes all the same."""
    (trial,) = trials(
        any_house,
        "x if self.training else [0 for _ in iter(int, 1)]",
        "Net()(torch.ones(4, 3))",
    )

    assert "took too long" in trial.note


@pytest.mark.parametrize(
    ("forward", "used"),
    [
        ("x * 2", {("0", 0): (3, 3), ("0", 1): (3, 3)}),
        ("x * 0 + 1", {("0", 0): (0, 3), ("0", 1): (0, 3)}),
        ("x[:, 1:]", {("0", 0): (3, 3), ("0", 1): (2, 3)}),
        ("x[:1]", {("0", 0): (1, 3), ("0", 1): (3, 3)}),
        ("torch.ones(4, 3) if mask is None else x", {("0", 0): (0, 3), ("0", 1): (0, 3)}),
    ],
)
def test_which_slices_matter(
    any_house: House, forward: str, used: dict[tuple[str, int], tuple[int, int]]
) -> None:
    """A slice matters if the output changes with it."""
    (trial,) = trials(any_house, forward, "Net()(torch.randn(4, 3))")

    assert {(s.argument, s.dim): (s.used, s.tried) for s in trial.slices} == used


def test_whole_numbers_stay_indices(any_house: House) -> None:
    """Tokens are changed for tokens that occur."""
    seen = looked(any_house, "nn.Embedding(5, 2)(torch.tensor([[0, 4, 4], [4, 0, 4]]))\n")

    assert [(s.used, s.tried) for s in seen.trials[0].slices] == [(2, 2), (3, 3)]


def test_a_traced_constant_depends_on_nothing(any_house: House) -> None:
    """Tracing it kept what its example gave."""
    seen = looked(
        any_house,
        """class Net(nn.Module):
    def forward(self, x):
        return torch.tensor(x.tolist()) * 2
import warnings; warnings.simplefilter("ignore")
traced = torch.jit.trace(Net(), torch.ones(4, 3))
traced(torch.ones(4, 3))
""",
    )

    assert all(s.used == 0 and s.tried for s in seen.trials[-1].slices)


def test_layers_of_sequences_are_noted_with_their_masks(any_house: House) -> None:
    """Wherever they are called."""
    (trial,) = trials(any_house, "self.l(x, src_key_padding_mask=mask)",
                      "Net()(torch.randn(4, 5, 8), torch.zeros(4, 5).bool())",
                      ENCODER.format("True"))  # fmt: skip
    seen = looked(
        any_house,
        "m = nn.GRU(3, 2, batch_first=True)\nm(torch.randn(4, 3))\nm(input=torch.ones(1, 2, 3))\n",
    )

    assert trial.inputs == ((4, 5, 8), (4, 5))
    calls = [(c.module, c.line, c.inputs, c.batch_first) for c in seen.sequences]
    assert calls == [("GRU", 5, ((4, 3),), True), ("GRU", 6, ((1, 2, 3),), True)]


def test_compiled_code_is_not_looked_at(any_house: House) -> None:
    """torch.compile must see none of it."""
    result = any_house.run(HEAD + "f = torch.compile\n", probes=(Probe.INFLUENCE,))

    assert result.influence is None


def test_the_shape_that_a_line_makes_last_is_noted(any_house: House) -> None:
    """To be compared with what a comment says of the line."""
    code = """\
a = torch.ones(4, 3)
y = (a @ a.t()).sum(1)
n = len(a)
z = torch.cat((a, a), dim=1)
"""
    assert looked(any_house, code).results == {4: (4, 3), 5: (4,), 7: (4, 6)}
