"""executor/inside/rebuild/: what a name is first taken for, and what is changed next."""

from __future__ import annotations

import ast

import pytest

from executor.inside.placeholders.imports import KNOWN
from executor.inside.placeholders.names import undefined_names
from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.drive import drives
from executor.inside.rebuild.mutate import steps
from executor.inside.rebuild.propose import Proposals
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Batches, Tensor
from tests.executor.inside.rebuild.test_judge import posted

NET = """
class Net(nn.Module):
    def __init__(self, hidden, depth=2):
        super().__init__()
        self.fc = nn.Linear(12, hidden)
    def forward(self, x):
        return self.fc(x)
"""


def proposals(code: str, message: str = "x") -> Proposals:
    """For a snippet and a posted error."""
    undefined = undefined_names(code, "s") - {"torch", "nn", "F", "np"}
    return Proposals(ast.parse(code), undefined, posted(message, code=code))


@pytest.mark.parametrize(
    ("code", "name", "expression"),
    [
        (NET + "model(torch.ones(2, 12))", "model", "Net(hidden=_stubs.resolve(\"Net.hidden\"))"),
            (NET + "model(torch.ones(2, 12))", "Net.hidden", "4"),  # of the posted class
        ("net.train()\nnet(z)", "net", "_stubs.Model(10)"),
        ("loss = criterion(a, b)", "criterion", "torch.nn.MSELoss()"),
        ("y = mish(z)", "mish", "torch.nn.functional.mish"),
        ("y = my_layer(z)", "my_layer", "_stubs.same"),
        ("class A(Base): pass", "Base", '_stubs.stub_class("Base")'),
        ("t.utils.data.DataLoader", "t", '__import__("importlib").import_module("torch")'),
        ("print(args.lr)", "args", '_stubs.Namespace("args")'),
        ("print(args.lr)", "args.lr", "0.01"),
        ("w = torch.load(model_file)", "model_file", '"model_file"'),
        ("n = len(classes)", "classes", "range(10)"),
        ("w.grad.zero_()", "w", "torch.rand((8, 20)).requires_grad_()"),
        ("total.backward()\nw.grad", "total", "(w ** 2).sum()"),
        ("scores.update(train.values)", "train", "_stubs.Table(np.random.rand(*(8, 20)))"),
        ("q = torch.from_numpy(pixels)", "pixels",
         "np.random.rand(*(8, 20)).astype(np.float32)"),
        ("for b in stream: b['ids'] + b['label']", "stream",
         "[{'ids': torch.rand((8, 20)), 'label': torch.randint(0, 10, (8,))} for _ in range(2)]"),
    ],
)  # fmt: skip
def test_a_name_is_what_its_use_says(code, name, expression):
    """One row for each rule."""
    assert proposals(code).of(name).value.expression == expression


def test_every_supplied_library_that_is_not_installed_is_a_module():
    """`pd.read_csv` is no function of a class `pd`."""
    name = next(n for n in ("torchaudio", "cv2", "nx") if n in KNOWN)
    made = proposals(f"{name}.load('a')").of(name).value.expression
    assert made == f'_stubs.StubModule("{name}")'


def changed(message: str, candidate: Candidate, seen: Outcome) -> list[Candidate]:
    """What is tried next, the likeliest first."""
    error = posted(message)
    return [s.candidate for s in sorted(steps(candidate, seen, error), key=lambda s: s.weight)]


X = Candidate().with_value("x", Tensor((8, 20)), "use")
READ = frozenset({"x", "y", "loader"})


@pytest.mark.parametrize(
    ("message", "seen", "tensor"),
    [
        # What the posted message dictates: a shape, a dtype, that it requires grad.
        ("Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [9, 7]",
         Outcome(ok=True, read=READ), Tensor((9, 7))),
        ("expected scalar type Float but found Double", Outcome(ok=True, read=READ),
         Tensor((8, 20), "float64")),
        ("a leaf Variable that requires grad is being used in an in-place operation.",
         Outcome(ok=True, read=READ), Tensor((8, 20), grad=True)),
        # What the trial's own error asks for, so that it gets further.
        ("x", Outcome(type="RuntimeError", read=READ,
                      message="mat1 and mat2 shapes cannot be multiplied (8x20 and 12x4)"),
         Tensor((8, 12))),
        ("x", Outcome(type="RuntimeError", read=READ, message="grad can be implicitly created "
                      "only for scalar outputs"), Tensor(())),
    ],
)  # fmt: skip
def test_one_property_is_changed_at_a_time(message, seen, tensor):
    """It is among the first that are tried."""
    assert X.with_value("x", tensor, "message") in changed(message, X, seen)[:6]


def test_what_is_not_read_is_not_changed():
    """A name that the trial never reached has no part in its error."""
    assert not changed("expected scalar type Float but found Double", X, Outcome(ok=True))


def test_a_loader_of_more_parts_is_tried_where_unpacking_failed():
    """The posted error says that there were too many."""
    pair = Batches((("", Tensor((8, 20))), ("", Tensor((8,), "int64"))))
    loader = Candidate().with_value("loader", pair, "use")
    made = changed("too many values to unpack (expected 2)", loader, Outcome(ok=True, read=READ))
    given = [c.get("loader") for c in made]
    assert any(g is not None and len(getattr(g.value, "parts", ())) == 3 for g in given)


@pytest.mark.parametrize(
    ("code", "after"),
    [
        (NET, ("net = _new_Net", "net(x)")),
        (NET + "model = Net(4)", ("model(x)",)),
        ("def scale(a, b=2):\n    return a * b", ("scale(a)",)),
        ("def scale(a):\n    return a\nscale(1)", None),  # it is called already
    ],
)
def test_what_is_only_defined_is_called(code, after):
    """With the names of its parameters."""
    found = [d.after for d in drives(ast.parse(code), posted("x", code=code))]
    assert (found[:1] == [after]) if after else not found
