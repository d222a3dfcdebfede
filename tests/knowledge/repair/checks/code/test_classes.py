"""knowledge/repair/checks/code/classes.py: class indices do not become probabilities."""

from __future__ import annotations

import pytest

from executor.protocol import Variable
from knowledge.repair.checks.code.classes import check
from tests.knowledge.repair.checks.code.changed import refused, saw, tensor

LOSS = "loss = F.cross_entropy(out, {})\n"
MADE = "criterion = nn.CrossEntropyLoss()\nloss = criterion(out, {})\n"
NLL = "loss = F.nll_loss(input=out, target={})\n"
BCE = "loss = F.binary_cross_entropy_with_logits(out, {})\n"
MSE = "loss = F.mse_loss(out, {})\n"
CLASSES = tensor(4, dtype="int64", repr="[0, 2, 1, 2]")
ZEROS_AND_ONES = tensor(4, dtype="int64", repr="[0, 1, 1, 0]")
ONE_HOT = tensor(2, 3, dtype="int64", repr="[[0, 0, 1], [1, 0, 0]]")
ONE_HOT_EACH = tensor(1, 2, 3, dtype="int64", repr="[[[0, 0, 1], [1, 0, 0]]]")
COLUMN = tensor(2, 1, dtype="int64", repr="[[1], [1]]")
TWOS = tensor(2, 2, dtype="int64", repr="[[0, 2], [2, 0]]")
COUNTS = tensor(2, 2, dtype="int64", repr="[[1, 1], [0, 1]]")


@pytest.mark.parametrize(
    ("code", "y", "passes"),
    [
        (LOSS, CLASSES, False),
        (MADE, CLASSES, False),
        (NLL, CLASSES, False),
        (LOSS, ZEROS_AND_ONES, False),
        (LOSS, COLUMN, False),
        (LOSS, COUNTS, False),
        (LOSS, TWOS, False),
        (LOSS, tensor(2, 3, dtype="int64"), False),  # nobody knows the numbers
        (LOSS, ONE_HOT, True),
        (LOSS, ONE_HOT_EACH, True),
        (LOSS, tensor(4), True),
        (BCE, CLASSES, False),
        (BCE, ZEROS_AND_ONES, True),
        (BCE, tensor(4, dtype="int64"), True),
        (MSE, CLASSES, True),  # numbers to come close to
    ],
)
@pytest.mark.parametrize(
    "cast", ["y.float()", "y.double()", "y.to(torch.float32)", "y.type(torch.half)"]
)
def test_class_indices_of_a_loss_stay_whole(code: str, y: Variable, passes: bool, cast: str):
    """As floats they are taken for probabilities, or fit no binary decision."""
    said = refused(check, code.format("y"), code.format(cast), saw(y=y))
    assert (said == "") is passes


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        # Where they are made, or on the way.
        ("y = torch.randint(0, 5, (4,))\n" + LOSS.format("y"),
         "y = torch.randint(0, 5, (4,)).float()\n" + LOSS.format("y"), False),
        ("y = torch.randint(0, 5, (4,))\n" + LOSS.format("y"),
         "y = torch.randint(0, 5, (4,), dtype=torch.float32)\n" + LOSS.format("y"), False),
        ("t = scores.argmax(1)\n" + LOSS.format("t"),
         "t = scores.argmax(1)\n" + LOSS.format("t.float()"), False),
        ("y = torch.randint(0, 5, (4,))\n" + BCE.format("y"),
         "y = torch.randint(0, 5, (4,)).float()\n" + BCE.format("y"), False),
        ("y = torch.randint(0, 2, (4,))\n" + BCE.format("y"),
         "y = torch.randint(0, 2, (4,)).float()\n" + BCE.format("y"), True),
        ("y = torch.randint(0, 1, (4,))\n" + BCE.format("y"),
         "y = torch.randint(0, 1, (4,)).float()\n" + BCE.format("y"), True),
        ("a = 1\n" + LOSS.format("y"), "a = 2\n" + LOSS.format("y.float()"), False),
        # The code says that they are probabilities.
        ("t = F.one_hot(y)\n" + LOSS.format("t"),
         "t = F.one_hot(y)\n" + LOSS.format("t.float()"), True),
        ("soft_labels = rows.argmax(1)\n" + LOSS.format("soft_labels"),
         "soft_labels = rows.argmax(1)\n" + LOSS.format("soft_labels.float()"), True),
        # Nothing says what they are.
        ("t = load()\n" + LOSS.format("t"), "t = load()\n" + LOSS.format("t.float()"), True),
        ("k = scores.argmax(1)\nt = load()\n" + LOSS.format("t"),
         "k = scores.argmax(1)\nt = load()\n" + LOSS.format("t.float()"), True),
        # Another cast, another value, no target.
        (LOSS.format("y"), LOSS.format("y.to(device)"), True),
        (LOSS.format("y"), LOSS.format("float(y)"), True),
        (LOSS.format("y"), LOSS.format("t"), True),
        ("y = torch.randint(0, 5, (4,))\n" + LOSS.format("y"),
         "y = torch.randint(0, 5, (4,), dtype=torch.int32)\n" + LOSS.format("y"), True),
        ("F.cross_entropy(out, t, y)\n", "F.cross_entropy(out, t, y.float())\n", True),
        (LOSS.format("y"), LOSS.format("y.long()"), True),
        ("y = y.float()\n" + LOSS.format("y"), "y = y.float()\n" + LOSS.format("y.long()"), True),
        ("z = y + 1\n" + LOSS.format("t"), "z = y.float() + 1\n" + LOSS.format("t"), True),
        ("f(y)\n", "f(y.float())\n", True),
        ("F.cross_entropy(y, t)\n", "F.cross_entropy(y.float(), t)\n", True),
    ],
)  # fmt: skip
def test_where_class_indices_are_made_floats(old: str, new: str, passes: bool):
    """At the loss, where they are made, or where something is made of them."""
    assert (refused(check, old, new, saw(y=CLASSES)) == "") is passes
