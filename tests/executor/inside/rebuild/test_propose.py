"""executor/inside/rebuild/: what a name is first taken for, and what is changed next."""

from __future__ import annotations

import ast

import pytest

from executor.inside.placeholders.imports import KNOWN
from executor.inside.placeholders.names import undefined_names
from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.drive import drives
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.mutate import steps
from executor.inside.rebuild.propose import Proposals
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Batches, Tensor, Text, Value
from executor.protocol import PostedError, PostedFrame, RebuildOrder
from tests.executor.inside.rebuild.test_judge import posted

NET = """
class Net(nn.Module):
    def __init__(self, hidden, depth=2):
        super().__init__()
        self.fc = nn.Linear(12, hidden)
    def forward(self, x):
        return self.fc(x)
"""


APPLIED = """\
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        return x * by
    @staticmethod
    def backward(ctx, g):
        return g
"""


def proposals(code: str, message: str = "x") -> Proposals:
    """For a snippet and a posted error."""
    undefined = undefined_names(code, "s") - {"torch", "nn", "F", "np"}
    return Proposals(ast.parse(code), undefined, posted(message, code=code))


@pytest.mark.parametrize(
    ("code", "name", "expression"),
    [
        (NET + "model(torch.ones(2, 12))", "model", "Net(hidden=_stubs.given(\"Net.hidden\"))"),
            (NET + "model(torch.ones(2, 12))", "Net.hidden", "4"),  # of the posted class
        ("net.train()\nnet(z)", "net", "_stubs.Model(10)"),
        # What such a loss is given are probabilities: that of raw scores would be our mistake.
        ("nn.BCELoss()(model(a), b)", "model", "_stubs.Model(1, bounded=True)"),
        ("nn.MSELoss()(model(a), b)", "model", "_stubs.Model(1)"),
        ("loss = criterion(a, b)", "criterion", "torch.nn.MSELoss()"),
        ("y = mish(z)", "mish", "torch.nn.functional.mish"),
        ("y = my_layer(z)", "my_layer", "_stubs.same"),
        ("class A(Base): pass", "Base", '_stubs.stub_class("Base")'),
        ("t.utils.data.DataLoader", "t", '__import__("importlib").import_module("torch")'),
        ("y = f.relu(x)", "f", '__import__("importlib").import_module("torch")'),
        ("p = scores.softmax(dim=1)", "scores", "torch.rand((8, 20))"),  # a tensor's own
        ("p = scores.softmax(-1)", "scores", "torch.rand((8, 20))"),
        ("pixels.astype('f')", "pixels", "np.random.rand(*(8, 20)).astype(np.float32)"),
        ("y = x if not exporting else 1", "exporting", "False"),
        ("f'{args.net}.pt'", "args.net", '"net"'),
        ("'{}.pt'.format(args.net)", "args.net", '"net"'),
        ("y = x * cfg.deep.bins", "cfg.deep.bins", "4"),
        ("print(args.lr)", "args", '_stubs.Namespace("args")'),
        ("print(args.lr)", "args.lr", "0.01"),
        ("print(cfg['lr'])", "cfg", '_stubs.Namespace("cfg")'),
        ("print(cfg['lr'])", "cfg.lr", "0.01"),
        ("wide = cfg['width']\nnn.Linear(3, wide)", "cfg.width", "4"),
        ("for _ in range(steps): pass", "steps", "4"),
        ("torch.matmul(q, k)", "k", "torch.rand((8, 20))"),  # no index here
        ("kept.append(1)", "kept", "[]"),
        ("pack(x, lengths)", "lengths", "torch.arange(1, 9)"),
        ("image, label = batch", "batch",
         "(torch.rand((8, 20)), torch.randint(0, 10, (8,)),)"),
        ("for p in paths: read(p)", "paths", '["paths_0.png", "paths_1.png"]'),
        ("self.fc(x)", "self", '_stubs.Namespace("self")'),
        ("y = self.lstm(x)", "self.lstm", "torch.nn.LSTM(20, 8, batch_first=True)"),
        ("d = D(image)", "D", "_stubs.Model(10)"),
        ("def f(a, n):\n    for _ in range(n): a.append(1)\nf(a, n)", "a", "[]"),
        ("def f(a, n):\n    for _ in range(n): a.append(1)\nf(a, n)", "n", "4"),
        ("w = torch.load(model_file)", "model_file", '"model_file"'),
        ("n = len(classes)", "classes", "range(10)"),
        ("w.grad.zero_()", "w", "torch.rand((8, 20)).requires_grad_()"),
        ("total.backward()\nw.grad", "total", "(w ** 2).sum()"),
        ("scores.update(train.values)", "train", "_stubs.Table(np.random.rand(*(8, 20)))"),
        ("q = torch.from_numpy(pixels)", "pixels",
         "np.random.rand(*(8, 20)).astype(np.float32)"),
        ("class Up(nn.Module):\n    def __init__(self):\n        self.two = twice(3, 4)", "twice",
         "torch.nn.Identity"),
        ("def f(t):\n    return t.iloc[0, 1]\nf(notes)", "notes", "_stubs.Rows()"),
        ("class A:\n    def __init__(self, files, labels):\n        self.files = files\n"
         "    def __getitem__(self, i):\n        return read(self.files[i])\nA(train_files, y)",
         "train_files", '[f"train_files_{n}.png" for n in range(4)]'),
        ("class A:\n    def __init__(self, labels):\n        self.labels = labels\n"
         "    def __getitem__(self, i):\n        return self.labels[i]\nA(train_labels)",
         "train_labels", "[0, 1, 0, 1]"),
        ("out, h = walker(x, h)", "walker", "_stubs.all_again"),  # a function; no model's name
        ("a = walker(x, h)", "walker", "_stubs.same"),
        ("a, b, c = walker(x, h)", "walker", "_stubs.several(False, False, False)"),
        ("loss, best = check(net, data)", "check", "_stubs.several(True, False)"),
        # What is read of several dimensions is a tensor of that many, whatever its name.
        ("loss = f(label[:, 2], z)", "label", "torch.rand((8, 20))"),
        ("loss = f(label[:, (0, 30)], z)", "label", "torch.rand((8, 31))"),
        ("seq = labels[i:i + 4, :, :]", "labels", "torch.rand((4, 12, 20))"),
        ("y = labels[i]", "labels", "[0, 1, 0, 1]"),
        ("y = labels[i].unsqueeze(0)", "labels", "torch.randint(0, 10, (8,))"),
        ("y = labels[i].title()", "labels", "[0, 1, 0, 1]"),
        ("for i in range(len(X_train)): f(X_train[i])", "X_train", "torch.rand((8, 20))"),
        ("t = a + ' [SEP] ' + b", "a", '"a"'),
        ("t = a + ' [SEP] ' + b", "b", '"b"'),
        ("t = a + c + b", "b", "torch.rand((8, 20))"),
        ("out, h = rnn_model(x, h)", "rnn_model", "_stubs.Recurrent(10)"),
        ("out, attention = model(x, mask)", "model",  # no state of its own
         "_stubs.Model(10, gives=(False, False))"),
        ("loss, scores = model(x, labels=y)", "model", "_stubs.Model(10, gives=(True, False))"),
        ("scores = model(x, labels=y)", "model", "_stubs.Model(10)"),
        ("image, label = parts['val'][k]", "parts",
         "{'val': [(torch.rand((3, 32, 32)), torch.randint(0, 10, ()),) for _ in range(4)]}"),
        ("image, label = samples[k]", "samples",
         "[(torch.rand((3, 32, 32)), torch.randint(0, 10, ()),) for _ in range(4)]"),
        ("sound, label = samples[k]", "samples",
         "[(torch.rand((20,)), torch.randint(0, 10, ()),) for _ in range(4)]"),
        ("for x, x_len, label in stream: x + x_len", "stream",
         "[(torch.rand((8, 20)), torch.randint(1, 9, (8,)), torch.randint(0, 10, (8,)),) "
         "for _ in range(2)]"),
        ("feed = DataLoader(Birds('a'), 4)\nfor n, (song, label) in enumerate(feed): song + 1",
         "Birds", "_stubs.dataset_of([(torch.rand((20,)), torch.randint(0, 10, ()),) "
         "for _ in range(8)])"),
        ("def fit(rows):\n    for song, label in rows:\n        song + 1\n"
         "held = Birds('a')\nfeed = DataLoader(held, 4)\nfit(feed)", "Birds",
         "_stubs.dataset_of([(torch.rand((20,)), torch.randint(0, 10, ()),) for _ in range(8)])"),
        ("feed = DataLoader(Birds('a'), 4)", "Birds", '_stubs.stub_class("Birds")'),
        ("tower = make_tower(s).to(d)\ntower.train()\ntower.parameters()", "make_tower",
         "lambda *_, **__: _stubs.Model(10)"),
        ("class A(nn.Module):\n    def __init__(self):\n        self.body = grown('a')\n"
         "        self.top = nn.Linear(self.body.out_features, 2)", "grown", "_stubs.Backbone"),
        ("class A(nn.Module):\n    def __init__(self):\n        self.body = grown('a')\n",
         "grown", "torch.nn.Identity"),
        ("run(Q['lr'], Q['epochs'], Q['which'])", "Q", '_stubs.Namespace("Q")'),
        ("run(Q['lr'], Q['left'], Q['right'])", "Q",
         "{'lr': torch.rand((8, 20)), 'left': torch.rand((8, 20)), 'right': torch.rand((8, 20))}"),
        ("run(Q['lr'], Q['epochs'], Q['which'])", "Q.which", "4"),
        # Options, by what is asked of them; an optimizer, by the same.
        ("def run(a):\n    for x, label in a:\n        pass\nrun(stream)", "stream",
         "[(torch.rand((8, 20)), torch.randint(0, 10, (8,)),) for _ in range(2)]"),
        ("def run(a):\n    for b in a:\n        b['ids'] + b['label']\nrun(stream)", "stream",
         "[{'ids': torch.rand((8, 20)), 'label': torch.randint(0, 10, (8,))} for _ in range(2)]"),
        # A class that compares is a loss, and no model.
        ("class Focal(nn.Module):\n    def forward(self, x, labels):\n        return x\n"
         "model.train()\nmodel(y)", "model", "_stubs.Model(10)"),
        ("m = tool.make(3)\nm.parameters()\nm(y)", "tool.make",
         "lambda *_, **__: _stubs.Model(10)"),
        ("step(opt.width, opt.depth)", "opt", '_stubs.Namespace("opt")'),
        ("print(opt.param_groups)", "opt",
         "torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.01)"),
        ("if opt.model == 'cnn':\n    run(1)", "opt.model", "'cnn'"),
        ("if kind == 'a':\n    run(1)\nelif kind == 'b':\n    run(2)", "kind", "'a'"),
        # What a class asks for is no instance of it.
        ("class Lit(nn.Module):\n    def __init__(self, net):\n        self.net = net\n"
         "    def forward(self, x):\n        return self.net(x)\nlit(x)", "Lit.net",
         "_stubs.Model(10)"),
        (APPLIED + "loss.backward()", "loss",
         'Twice.apply(torch.rand(8, 20, requires_grad=True), _stubs.given("Twice.by")).sum()'),
        (APPLIED + "Twice.apply(w, 2)\nloss.backward()", "loss",
         "torch.rand(()).requires_grad_()"),
        ("y = pair['a'] + pair['label']", "pair",
         "{'a': torch.rand((8, 20)), 'label': torch.randint(0, 10, (8,))}"),
        ("tower = make_tower(3)\ntower.load_state_dict(w)", "make_tower",
         "lambda *_, **__: _stubs.Model(10)"),
        ("cost = criterion(a, b, c)\ncost.backward()", "criterion", "_stubs.loss"),
        ("nn.Sequential(nn.ReLU(), Gate(3))", "Gate", '_stubs.stub_class("Gate", "Module")'),
        ("seen = Gate(3)", "Gate", '_stubs.stub_class("Gate")'),
        ("nn.Sequential(nn.ReLU(), BatchNorm(3))", "BatchNorm", "torch.nn.BatchNorm2d"),
        ("for n, b in enumerate(stream, 0):\n    image, label = b", "stream",
         "[(torch.rand((8, 20)), torch.randint(0, 10, (8,)),) for _ in range(2)]"),
        ("image, label = next(iter(stream))", "stream",
         "[(torch.rand((8, 20)), torch.randint(0, 10, (8,)),) for _ in range(2)]"),
        ("it = iter(stream)\nimage, label = it.next()", "stream",
         "[(torch.rand((8, 20)), torch.randint(0, 10, (8,)),) for _ in range(2)]"),
        ("Folder('a', transform=test_transform)", "test_transform",
         '__import__("torchvision").transforms.ToTensor()'),
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
        ("Expected 2D input but got 3D", Outcome(ok=True, read=READ), Tensor((4, 12, 20))),
        ("Calculated padded input size per channel: (3 x 3). Kernel size: (5 x 5). Kernel size "
         "can't be greater than actual input size", Outcome(ok=True, read=READ),
         Tensor((4, 3, 3, 3))),
        ("x", Outcome(type="IndexError", read=READ, message="Dimension out of range (expected to "
                      "be in range of [-2, 1], but got 2)"), Tensor((4, 12, 20))),
        ("x", Outcome(type="RuntimeError", read=READ,
                      message="shape '[4, 9]' is invalid for input of size 160"), Tensor((4, 9))),
        ("x", Outcome(type="RuntimeError", read=READ,
                      message="Expected hidden size (1, 2, 4), got [8, 20, 1]"), Tensor((1, 2, 4))),
        ("x", Outcome(type="RuntimeError", read=READ, message="element 0 of tensors does not "
                      "require grad and does not have a grad_fn"), Tensor((8, 20), grad=True)),
        ("x", Outcome(type="RuntimeError", read=READ, message="`lengths` argument should be a 1D "
                      "CPU int64 tensor, but got 2D cpu Float tensor"),
         Tensor((8,), "int64", low=1, high=9)),
        ("x", Outcome(type="IndexError", read=READ, message="index 17 is out of bounds for "
                      "dimension 0 with size 8"), Tensor((18, 20))),
        ("x", Outcome(type="RuntimeError", read=READ, message="grad can be implicitly created "
                      "only for scalar outputs"), Tensor(())),
    ],
)  # fmt: skip
def test_one_property_is_changed_at_a_time(message, seen, tensor):
    """It is among the first that are tried."""
    assert X.with_value("x", tensor, "message") in changed(message, X, seen)[:6]


@pytest.mark.parametrize(
    ("message", "shapes"),
    [
        (
            "input.size(-1) must be equal to input_size. Expected 64, got 16",
            [(8, 1, 112, 28), (8, 1, 28, 112)],
        ),  # 56 x 56 comes first
        ("mat1 and mat2 shapes cannot be multiplied (8x98 and 392x10)", [(8, 1, 56, 56)]),
        ("Expected hidden[0] size (1, 8, 64), got [1, 32, 64]", [(32, 1, 28, 28)]),
    ],
)
def test_a_picture_is_as_large_as_what_comes_of_it_needs(message, shapes):
    """Sides in proportion to the sizes of the trial's own message; its batch is the state's."""
    tensor = Tensor((8, 1, 28, 28))
    before = Candidate().with_value("x", tensor, "use")
    seen = Outcome(type="RuntimeError", message=message, read=READ)
    tried = [c.get("x").value.shape for c in changed("x", before, seen)[:6]]
    assert set(shapes) <= set(tried)


def test_the_channels_of_a_one_dimensional_convolution_come_second():
    """Of a batch, and first of a single sample."""
    sound = X.with_value("x", Tensor((4, 3, 48)), "use")
    message = (
        "Given groups=1, weight of size [96, 40, 5], expected input[4, 3, 48] to have 40 channels, "
        "but got 3 channels instead"
    )
    seen = Outcome(type="RuntimeError", read=READ, message=message)
    given = [c.get("x") for c in changed("x", sound, seen)[:6]]
    assert {(4, 40, 48), (40, 3, 48)} <= {
        g.value.shape for g in given if g is not None and isinstance(g.value, Tensor)
    }


def test_what_one_tensor_lacks_all_like_it_get():
    """What one of them lacks, all of them may."""
    pair = X.with_value("y", Tensor((8, 20)), "use")
    seen = Outcome(type="IndexError", read=READ, message="Dimension out of range (expected to be "
                   "in range of [-2, 1], but got 2)")  # fmt: skip
    both = pair.with_value("x", Tensor((4, 12, 20)), "use")
    both = both.with_value("y", Tensor((4, 12, 20)), "use")
    assert both in changed("x", pair, seen)[:6]


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


def test_a_name_of_data_is_no_library_that_is_not_installed():
    """Its use says which: `signal.butter` is, `torch.relu(signal)` is not."""
    name = next(name for name, (_, attribute) in KNOWN.items() if attribute is None)
    for code in (f"torch.relu({name})", f"{name}.view(2)", f"{name}[0]"):
        assert "StubModule" not in proposals(code).of(name).value.expression


PICTURES = """
class Pictures(Dataset):
    def __init__(self, names):
        self.names = names
    def __getitem__(self, n):
        return torch.ones(len(self.names[n]))
for picture in feed:
    pass
"""


@pytest.mark.parametrize(
    ("function", "expression"),
    [
        ("default_collate", 'torch.utils.data.DataLoader(Pictures(names=_stubs.given("Pictures.'
         'names")), batch_size=4)'),
        ("forward", "[torch.rand((8, 20)) for _ in range(2)]"),
    ],
)  # fmt: skip
def test_a_loader_reads_the_posted_data_set_where_the_error_comes_out_of_one(function, expression):
    """The frames below the person's own say so."""
    own = PostedFrame(file="a.py", code="for picture in feed:")
    below = PostedFrame(file="/x/torch/y.py", function=function, own=False)
    error = PostedError(type="RuntimeError", message="m", frames=(own, below))
    order = RebuildOrder(code=PICTURES, error=error)
    seen = Posted(order, ast.parse(PICTURES))
    made = Proposals(ast.parse(PICTURES), {"feed"}, seen).of("feed")
    assert made.value.expression == expression


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("a = torch.argmax(x, 1)\nb = a.float() * 2", [("b.sum().backward()",)]),
        ("a = torch.argmax(x, 1)\naccuracy = a.float() * 2", []),  # nobody goes back from it
        ("b = x.detach()\nb.backward()", []),
        ("b = net(x)\nloss = f(b)", []),
    ],
)
def test_a_backward_is_asked_of_what_is_computed_last(code, after):
    """Where the message speaks of one, and the code has none."""
    message = "element 0 of tensors does not require grad and does not have a grad_fn"
    assert [d.after for d in drives(ast.parse(code), posted(message, code=code))] == after


@pytest.mark.parametrize(
    ("code", "after"),
    [
        (NET, ("net = _new_Net", "net(x)")),
        (NET + "model = Net(4)", ("model(x)",)),
        (APPLIED, ("Twice.apply(x.requires_grad_(), by).sum().backward()",)),
        # The code's own value of the name first, then one that is made up.
        (NET + "x = torch.ones(2, 12)", ("net = _new_Net", "net(x)")),
        (
            NET + "class Two(nn.Module):\n    def __init__(self):\n        self.a = Net(3)\n"
            "    def forward(self, y):\n        return self.a(y)",
            ("two = _new_Two", "two(y)"),
        ),
        (
            "class Two(nn.Module):\n    def __init__(self):\n        self.a = Net(3)\n"
            "    def forward(self, y):\n        return self.a(y)\n" + NET,
            ("two = _new_Two", "two(y)"),
        ),
        ("def scale(a, b=2):\n    return a * b", ("scale(a)",)),
        ("def run(a):\n    a.backward()", ("run(a)",)),
        ("def scale(a):\n    return a\nscale(1)", None),  # it is called already
    ],
)
def test_what_is_only_defined_is_called(code, after):
    """With the names of its parameters."""
    found = [d.after for d in drives(ast.parse(code), posted("x", code=code))]
    assert (found[:1] == [after]) if after else not found


@pytest.mark.parametrize(
    ("code", "asked"),
    [
        ("def scale(a):\n    return a * 2", True),
        ("def scale(a):\n    print(a * 2)", False),  # nothing to compare with a target
        ("def train(a):\n    (a * 2).backward()\n    return a", False),  # it goes back itself
    ],
)
def test_a_loss_is_asked_of_what_a_function_gives(code, asked):
    """Where the message speaks of a backward()."""
    message = "element 0 of tensors does not require grad and does not have a grad_fn"
    found = drives(ast.parse(code), posted(message, code=code))
    assert any("backward" in statement for d in found for statement in d.after) is asked


def test_an_optimizer_without_parameters_is_made_of_the_posted_class():
    """Its error comes of the class alone."""
    message = "optimizer got an empty parameter list"
    first = drives(ast.parse(NET), posted(message, code=NET, type="ValueError"))[0]
    assert first.after[-1] == "__import__('torch').optim.SGD(net.parameters(), lr=0.01)"


def dictated(code: str, message: str, **values: Value) -> list[dict[str, str]]:
    """The values of each candidate that follows one which ran to its end."""
    candidate = Candidate()
    for name, value in values.items():
        candidate = candidate.with_value(name, value, "use")
    error = posted(message, code, code=code)
    found = steps(candidate, Outcome(ok=True, read=frozenset(values)), error)
    return [{n: g.value.expression for n, g in step.candidate.values} for step in found]


@pytest.mark.parametrize(
    ("code", "message", "values", "expected"),
    [
        ("torch.cat([a, b], dim=1)",
         "Sizes of tensors must match except in dimension 1. Expected size 9 but got size 7 for "
         "tensor number 1 in the list.", {"a": Tensor((8, 20)), "b": Tensor((8, 20))},
         {"a": "torch.rand((4, 3, 9, 9))", "b": "torch.rand((4, 3, 7, 7))"}),
        ("torch.cat([up(a), a], dim=1)",
         "Sizes of tensors must match except in dimension 1. Expected size 9 but got size 8 for "
         "tensor number 1 in the list.", {"a": Tensor((8, 3, 32, 32))},
         {"a": "torch.rand((8, 3, 9, 9))"}),
        ("up(a) - a", "The size of tensor a (25) must match the size of tensor b (28) at "
         "non-singleton dimension 3", {"a": Tensor((8, 3, 32, 32))},
         {"a": "torch.rand((8, 3, 28, 28))"}),
        ("pack_padded_sequence(a, n)", "Length of all samples has to be greater than 0, but found "
         "an element in 'lengths' that is <= 0", {"n": Tensor((8,))},
         {"n": "torch.full((8,), 0)"}),
        ("torch.bmm(a, b)",
         "Expected size for first two dimensions of batch2 tensor to be: [6, 5] but got: [6, 4].",
         {"a": Tensor((8, 20)), "b": Tensor((8, 20))},
         {"a": "torch.rand((6, 8, 5))", "b": "torch.rand((6, 4, 5))"}),
        ("a @ b", "mat1 and mat2 shapes cannot be multiplied (3x8 and 5x2)",
         {"a": Tensor((8, 20)), "b": Tensor((8, 20))},
         {"a": "torch.rand((3, 8))", "b": "torch.rand((5, 2))"}),
        ("a.unsqueeze_(1)\nc(a)", "Given groups=1, weight of size [64, 3, 7, 7], expected input"
         "[3, 1, 9, 9] to have 3 channels, but got 1 channels instead", {"a": Tensor((8, 20))},
         {"a": "torch.rand((3, 9, 9))"}),
        ("for b in a: b.to(0)", "'list' object has no attribute 'to'",
         {"a": Batches((("", Tensor((8, 20))),), "tensor")},
         {"a": "[[torch.rand(8, 20), torch.rand(8, 20)], [torch.rand(8, 20), torch.rand(8, 20)]]"}),
        ("s = a(b)", "stack expects each tensor to be equal size, but got [3, 5] at entry 0 and "
         "[3, 6] at entry 1", {"a": Text("_stubs.same")},
         {"a": "_stubs.in_turn((3, 5), (3, 6))"}),
        ("a.view(-1, 9)", "shape '[-1, 9]' is invalid for input of size 640",
         {"a": Tensor((8, 20))}, {"a": "torch.rand((32, 20))"}),
        ("a.view(-1, 9)", "shape '[-1, 9]' is invalid for input of size 6464",
         {"a": Tensor((8, 20))}, {"a": "torch.rand((64, 101))"}),
        ("a.view(3)", "'tuple' object has no attribute 'view'", {"a": Tensor((8, 20))},
         {"a": "(torch.rand(8, 20), torch.rand(8, 20))"}),
        ("x, y = a", "'str' object has no attribute 'to'",
         {"a": Batches((("x", Tensor((8, 20))), ("y", Tensor((8,)))))},
         {"a": "[{'x': torch.rand((8, 20)), 'y': torch.rand((8,))} for _ in range(2)]"}),
        ("next(a)", "'DataLoader' object is not an iterator", {"a": Tensor((8, 20))},
         {"a": "torch.utils.data.DataLoader([(torch.rand(20), 0)] * 8, batch_size=4)"}),
        ("cost(a, b)", "Target 3 is out of bounds.",
         {"a": Tensor((8, 20)), "b": Tensor((8,), "int64")},
         {"a": "torch.rand((8, 3))", "b": "torch.full((8,), 3)"}),
        ("net(a, b)", "Expected more than 1 value per channel when training, got input size "
         "torch.Size([1, 512])", {"a": Tensor((8, 20)), "b": Tensor((8, 3, 9, 9))},
         {"a": "torch.rand((1, 20))", "b": "torch.rand((1, 3, 9, 9))"}),
        ("embed(a)", "index out of range in self", {"a": Tensor((8,), "int64")},
         {"a": "torch.full((8,), 1000000)"}),
        ("c(a, b)", "Found dtype Double but expected Float",
         {"c": Text("torch.nn.MSELoss()")}, {"c": "torch.nn.BCELoss()"}),
        ("f(n)", "embed_dim must be divisible by num_heads", {"n": Text("4")}, {"n": "7"}),
        ("c(m, a)", "only batches of spatial targets supported (3D tensors) but got targets of "
         "size: : [8, 3, 6, 5]", {"m": Text("_stubs.Model(10)")},
         {"m": "_stubs.Model(10, 6, 5)"}),
    ],
)  # fmt: skip
def test_what_the_message_dictates_is_tried(code, message, values, expected):
    """One row for each kind of message."""
    assert expected in dictated(code, message, **values)


def test_a_shape_of_weights_is_no_inputs():
    """Those of a layer that the message names are known."""
    message = "Given groups=1, weight of size [64, 3, 7, 7], expected input[3, 1, 9, 9] to have " \
        "3 channels, but got 1 channels instead"  # fmt: skip
    made = [found["a"] for found in dictated("c(a)", message, a=Tensor((8, 20)))]
    assert "torch.rand((3, 1, 9, 9))" in made
    assert "torch.rand((64, 3, 7, 7))" not in made


@pytest.mark.parametrize(
    ("raised", "added"),
    [
        ("ModuleNotFoundError: No module named 'vi'", [("vi",)]),
        ("AssertionError: Torch not compiled with CUDA enabled", [True]),
        ("AttributeError: '_SingleProcessDataLoaderIter' object has no attribute 'next'",
         [("setattr(__import__('torch').utils.data.dataloader._BaseDataLoaderIter, 'next', "
           "lambda loaded: next(loaded))",)]),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'out/w.pth'",
         [True, ("__import__('os').makedirs('out', exist_ok=True) or "
                 "__import__('torch').save({}, 'out/w.pth')",)]),
    ],
)  # fmt: skip
def test_what_is_not_here_is_added_and_nothing_else_changed(raised, added):
    """No value of a name would do."""
    kind, _, message = raised.partition(": ")
    before = Candidate().with_value("z", Tensor((8, 20)), "use")
    seen = Outcome(type=kind, message=message, read=READ)
    made = [step.candidate for step in steps(before, seen, posted("m"))]
    assert all(candidate.values == before.values for candidate in made)
    assert [c.modules or c.simulate or c.resources or c.first for c in made] == added


@pytest.mark.parametrize(
    ("message", "only"), [("m", True), ("Expected all tensors to be on the same device", False)]
)
def test_a_wrong_device_is_mended_first(message: str, only: bool):
    """Unless the posted error is about devices: then it may be theirs."""
    before = Candidate(simulate=True).with_value("z", Tensor((8, 20)), "use")
    seen = Outcome(
        type="RuntimeError", read=frozenset("z"),
        message="Expected all tensors to be on the same device, but found at least two devices, "
        "cuda:0 and cpu!",
    )  # fmt: skip
    found = [step.candidate for step in steps(before, seen, posted(message))]
    shapes = {leaf.tensor.shape for candidate in found for leaf in candidate.leaves()}
    assert (shapes == {(8, 20)}) is only


def test_the_parts_of_a_batch_keep_one_length():
    """Where a post prints the shape of one of them."""
    pair = Batches((("image", Tensor((8, 20))), ("label", Tensor((8,), "int64"))))
    before = Candidate().with_value("stream", pair, "use")
    order = RebuildOrder(
        code="f(x)", text="Tensor of size 3x2", error=PostedError(type="RuntimeError", message="m")
    )
    seen = Outcome(ok=True, read=frozenset({"stream"}))
    found = [s.candidate for s in steps(before, seen, Posted(order, ast.parse("f(x)")))]
    shapes = [tuple(leaf.tensor.shape for leaf in candidate.leaves()) for candidate in found]
    assert ((3, 20), (3, 2)) in shapes


def test_tensors_that_are_alike_are_changed_together():
    """Where two inputs of one kind do not fit, one change does for both."""
    before = Candidate().with_value("a", Tensor((8, 20)), "use")
    before = before.with_value("b", Tensor((8, 20)), "use")
    seen = Outcome(
        type="RuntimeError", read=frozenset("ab"),
        message="Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: "
        "[8, 20]",
    )  # fmt: skip
    found = [step.candidate for step in steps(before, seen, posted("m"))]
    shapes = [{leaf.tensor.shape for leaf in candidate.leaves()} for candidate in found]
    assert {(4, 3, 32, 32)} in shapes


def test_a_large_tensor_is_of_zeros():
    """They take no memory until they are read."""
    large = Tensor((1, 2096, 64, 64), "int64")
    assert large.expression == "torch.zeros((1, 2096, 64, 64), dtype=torch.int64)"
    assert large.words == "an all-zero int64 tensor [1, 2096, 64, 64]"


def test_a_size_that_the_message_names_is_not_varied():
    """Another one would be another error."""
    message = "Using a target size (torch.Size([3, 4])) that is different to the input size " \
        "(torch.Size([3, 5])) is deprecated. Please ensure they have the same size."  # fmt: skip
    made = [found["a"] for found in dictated("c(a, b)", message, a=Tensor((3, 4)))]
    assert not {"torch.rand((3, 5, 1))", "torch.rand((3,))", "torch.rand((3, 4, 1))"} & {*made}


def test_names_of_files_are_rows_where_numbers_are_asked_for():
    """A trial that makes a tensor of them says so."""
    before = Candidate().with_value("x", Text('["item"] * 4'), "use")
    seen = Outcome(type="TypeError", message="new(): invalid data type 'str'", read=READ)
    assert any(isinstance(c.get("x").value, Tensor) for c in changed("x", before, seen)[:3])
