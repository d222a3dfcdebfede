"""executor/inside/remarks: files.py, modes.py, asked.py, and what two parts share or are given."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from executor.inside.remarks import found

KINDS = {
    "listed_apart", "loaded_unread", "compared_in_training", "evaluated_as_trained", "drawn_anew",
    "flag_of_one", "expanded_copy", "groups_shared", "unshifted", "passes_alike",
}  # fmt: skip


def kinds(code: str) -> set[str]:
    """Which of these rules speak of a program."""
    text = f"import torch\n{dedent(code)}"
    return {r.kind for r in found(ast.parse(text), text)} & KINDS


ZIPPED = """
x_files = glob.glob(a + '/*.npy')
y_files = glob.glob(b + '/*.npy')
for x, y in zip(x_files, y_files):
    use(x, y)
"""
LISTED = """
class Pairs(Dataset):
    def __init__(self, a, b):
        self.images = [os.path.join(a, f) for f in os.listdir(a)]
        self.masks = list(os.listdir(b))
    def __getitem__(self, i):
        return read(self.images[i]), read(self.masks[i])
"""


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (ZIPPED, True),
        (LISTED, True),
        (ZIPPED.replace("glob.glob(b + '/*.npy')", "sorted(glob.glob(b + '/*.npy'))"), False),
        (ZIPPED.replace("for x", "x_files.sort()\nfor x"), False),
        (ZIPPED.replace("glob.glob(b + '/*.npy')", "[name_of(x) for x in x_files]"), False),
        (ZIPPED.replace("b +", "a +"), False),  # one folder, listed twice
        (ZIPPED.replace("zip(x_files, y_files)", "enumerate(x_files)"), False),
        (LISTED.replace("self.masks[i]", "self.masks[0]"), False),
        (LISTED.replace("list(os.listdir(b))", "[f for f in os.listdir(b) if f in a]"), False),
    ],
)
def test_two_listings_that_are_taken_for_pairs(code: str, speaks: bool):
    """glob and listdir give files in no set order."""
    assert ("listed_apart" in kinds(code)) is speaks


LOADED = """
net = Net().cuda()
sd = torch.load(path, map_location='cpu')['model']
net = net.eval()
print(net(x))
"""


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (LOADED, True),
        (LOADED.replace("['model']", ""), True),
        (LOADED.replace("print(net(x))", "print(net(x), sd.keys())"), False),
        (LOADED.replace("net = net.eval()", "net.load_state_dict(sd)\nnet.eval()"), False),
        (LOADED.replace("net = net.eval()\n", ""), False),  # nothing is used after it
        (LOADED.replace("sd =", "self.sd ="), False),  # others may read it
        (LOADED.replace("torch.load(path, map_location='cpu')['model']", "read(path)"), False),
    ],
)
def test_a_checkpoint_that_goes_nowhere(code: str, speaks: bool):
    """The model keeps the weights that it was made with."""
    assert ("loaded_unread" in kinds(code)) is speaks


COMPARED = """
tr = torch.nn.Transformer()
with torch.no_grad():
    a = tr(src, tgt)
    b = tr(src, tgt)
assert torch.allclose(a, b)
"""


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (COMPARED, True),
        (COMPARED.replace("Transformer()", "Dropout(0.5)"), True),
        (COMPARED.replace("with torch", "tr.eval()\nwith torch"), False),
        (COMPARED.replace("Transformer()", "Transformer(dropout=0)"), False),
        (COMPARED.replace("Transformer()", "Linear(2, 2)"), False),
        (COMPARED.replace("assert torch.allclose(a, b)", "print(a, b)"), False),
        (COMPARED.replace("a = tr", "torch.manual_seed(0)\n    a = tr"), False),
        (COMPARED + "a.sum().backward()\n", False),
    ],
)
def test_outputs_that_dropout_makes_differ(code: str, speaks: bool):
    """no_grad does not switch it off."""
    assert ("compared_in_training" in kinds(code)) is speaks


JUDGED = """
for epoch in range(3):
    for x, y in loader:
        loss = criterion(cnn(x), y); loss.backward(); opt.step()
    acc = float(evaluate(cnn, held_out))

def evaluate(net, data):
    correct = 0
    for x, y in data:
        correct += (net(x).argmax(1) == y).sum()
    return correct
"""
SMALL = "cnn = torch.nn.Sequential(torch.nn.Linear(2, 2))\n"


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (JUDGED, True),
        (SMALL.replace("Linear(2, 2)", "Dropout()") + JUDGED, True),
        (SMALL + JUDGED, False),  # the mode decides nothing in it
        (JUDGED.replace("correct = 0", "net.eval(); correct = 0"), False),
        (JUDGED.replace("    acc =", "    cnn.eval()\n    acc ="), False),
        (JUDGED.replace("== y", "- y"), False),
        (JUDGED.replace("correct = 0", "net.train(False); correct = 0"), False),
        (JUDGED.replace("loss.backward();", ""), False),
        (JUDGED.replace("evaluate(cnn, held_out)", "evaluate(other(), held_out)"), False),
        (
            JUDGED.replace("    for x, y in data:", "    with torch.no_grad():\n      x, y = data")
            .replace("        correct +=", "      correct +="),
            False,
        ),
    ],
)  # fmt: skip
def test_a_function_that_judges_a_model_in_training_mode(code: str, speaks: bool):
    """It is called from the training, and nothing switches the mode."""
    assert ("evaluated_as_trained" in kinds(code)) is speaks


FED = """
for src, trg in loader:
    pred = model(src, trg)
    loss = crit(pred.view(-1, n), trg.view(-1))
    loss.backward()
"""


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (FED, True),
        (FED.replace("trg", "tgt"), True),
        (FED.replace("(src, trg)\n", "(src, trg[:-1])\n"), False),
        (FED.replace("trg.view", "trg[1:].view"), False),
        (FED.replace("    loss =", "    trg = shift_right(trg)\n    loss ="), False),
        (FED.replace("    loss =", "    trg = trg.roll(1)\n    loss ="), False),
        (FED.replace("trg", "labels"), False),  # of which a model may need them for its loss
        (FED.replace("(src, trg)\n", "(src)\n"), False),
        (FED.replace("trg.view", "out.view"), False),
        (FED.replace("model(", "loss_fn("), False),
    ],
)
def test_a_decoder_that_is_given_what_it_is_to_say(code: str, speaks: bool):
    """Without a shift it learns to copy."""
    assert ("unshifted" in kinds(code)) is speaks


GROUPS = """
groups = [{'params': a.parameters()}, {'params': b.parameters()}]
slow = torch.optim.SGD(groups, lr=0.01)
fast = torch.optim.SGD(groups, lr=0.5)
"""


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (GROUPS, True),
        (GROUPS.replace("lr=0.5", "lr=0.01"), False),
        (GROUPS.replace("'params'", "'lr': 0.1, 'params'"), False),  # they count before, as meant
        (GROUPS.replace("[{'params': a.parameters()}, {'params': b.parameters()}]", "[p]"), False),
        (GROUPS.replace("SGD(groups, lr=0.5)", "SGD([dict(g) for g in groups], lr=0.5)"), False),
        (
            GROUPS.replace("slow =", "if c:\n    slow =").replace("fast", "if not c:\n    fast"),
            False,
        ),
    ],
)
def test_two_optimizers_share_dictionaries(code: str, speaks: bool):
    """The first writes its settings into them."""
    assert ("groups_shared" in kinds(code)) is speaks


EXPANDED = "y = (x.expand(8, 3, 4).permute(1, 0, 2).contiguous() * w).sum(-1)\n"


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (EXPANDED, True),
        (EXPANDED.replace(".permute(1, 0, 2)", ""), True),
        (EXPANDED.replace(".contiguous()", ""), False),
        (EXPANDED.replace(".expand(8, 3, 4)", ""), False),
        (EXPANDED.replace(".permute(1, 0, 2)", ".sum(0)"), False),
    ],
)
def test_a_copy_of_an_expanded_tensor(code: str, speaks: bool):
    """expand costs nothing, and its copy all of it."""
    assert ("expanded_copy" in kinds(code)) is speaks


DRAWN = "tf = T.Compose([T.Resize(64), T.RandomHorizontalFlip(), T.ToTensor()])\n"


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (DRAWN, True),
        (DRAWN.replace("T.RandomHorizontalFlip(), ", ""), False),
        (DRAWN + "loss.backward()\n", False),  # it trains
        (DRAWN.replace("T.Compose", "list"), False),
    ],
)
def test_a_random_transform_where_nothing_is_trained(code: str, speaks: bool):
    """The same picture goes in differently each time."""
    assert ("drawn_anew" in kinds(code)) is speaks


MODE = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.drop = nn.{0}(0.5)\n    def forward(self, x):\n        return self.drop(x)\n"
    "{1}\n"
)


@pytest.mark.parametrize(
    ("code", "speaks"),
    [
        (MODE.format("Dropout", "net = Net()\nnet.training = False"), True),
        (MODE.format("BatchNorm1d", "net = Net().cuda()\nm = net\nm.training = True"), True),
        ("net = nn.Sequential(nn.Linear(2, 2), nn.Dropout())\nnet.training = False", True),
        (
            "class T:\n    def __init__(self):\n"
            "        self.net = nn.Sequential(nn.Dropout(), nn.Linear(2, 2))\n"
            "    def test(self):\n        self.net.training = False",
            True,
        ),
        # Of one layer the flag is all there is; of others nobody knows what they hold.
        ("drop = nn.Dropout()\ndrop.training = False", False),
        (MODE.format("Linear", "net = Net()\nnet.training = False"), False),
        (MODE.format("Dropout", "net = Net()\nnet.training = on"), False),
        ("drop = nn.Dropout()\nstate.training = False", False),
        (MODE.format("Dropout", "net = Net()\nprint(net.training is False)"), False),
    ],
)
def test_a_flag_is_one_modules_own(code: str, speaks: bool) -> None:
    assert ("flag_of_one" in kinds(code)) is speaks
