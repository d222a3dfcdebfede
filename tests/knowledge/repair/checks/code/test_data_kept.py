"""knowledge/repair/checks/code/data_kept.py: no data is lost or made up in silence."""

from __future__ import annotations

import pytest

from executor.protocol import Variable
from knowledge.repair.checks.code.data_kept import check
from tests.knowledge.repair.checks.code.changed import refused, saw, tensor

LIVE = saw(
    x=tensor(4, 1, 6),
    whole=tensor(3, repr="[1.0, 2.0, 3.0]"),
    parts=tensor(3, repr="[1.0, 2.5, 3.0]"),
    numbers=tensor(3, dtype="int64"),
    pair=Variable(type="tuple"),
)
SHAPED = LIVE.model_copy(update={"shapes": {"f(x)": (4, 2), "(x, y)[0]": (3,)}})

CUT = [
    ("f(x)\n", "f(x[:2])\n"),
    ("f(x)\n", "f(x[1:])\n"),
    ("f(x)\n", "f(x[::2])\n"),
    ("f(x)\n", "f(x[:, :, :3])\n"),
    ("f(x)\n", "f(x[..., :3])\n"),
    ("f(x)\n", "f(x[..., 0])\n"),
    ("f(x)\n", "f(x[0])\n"),
    ("f(x)\n", "f(x[-1])\n"),
    ("f(x)\n", "f(x[None, 0])\n"),
    ("f(x)\n", "f(x[:n])\n"),
    ("f(x)\n", "f(other[:n])\n"),
    ("f(x)\n", "y = x[:2]\nf(x)\n"),
    ("f(x)\n", "f(x.narrow(0, 0, 2))\n"),
    ("f(x)\n", "f(torch.index_select(x, 0, y))\n"),
    ("f(x)\n", "f(f(x)[:, :1])\n"),
    ("DataLoader(d)\n", "DataLoader(d, drop_last=True)\n"),
    ("f(x)\n", "f(x[x < 3])\n"),
    ("f(x)\n", "f(x[~(x < 3)])\n"),
    ("loss(x, y)\n", "loss(x, y, ignore_index=3)\n"),
]
NOT_CUT = [
    ("f(x)\n", "f(x[:4])\n"),  # all of it
    ("f(x)\n", "f(x[0:9])\n"),
    ("f(x)\n", "f(x[-4:])\n"),
    ("f(x)\n", "f(x[:, 0])\n"),  # there is only one
    ("f(x)\n", "f(x[..., None])\n"),
    ("f(x)\n", "f(x[None])\n"),
    ("f(x)\n", "f(x[...])\n"),
    ("f(x)\n", "f(x[:])\n"),
    ("f(x)\n", "f(x[::-1])\n"),
    ("f(x)\n", "f(x[..., :6])\n"),
    ("f(x)\n", "f(x[True])\n"),
    ("f(x)\n", "f(x[mask])\n"),
    ("f(x)\n", "f(pair[0])\n"),  # one of a tuple's parts
    ("f(x)\n", "f(other[0])\n"),  # what that is nobody saw
    ("f(x)\n", "f(x.shape[1:])\n"),
    ("f(x)\n", "f(x.size()[1:])\n"),
    ("f(x)\n", "x[:2] = 0\nf(x)\n"),
    ("f(x[:2])\n", "f(x[:3])\n"),  # the person's own
    ("f(x[:2])\n", "f(x[:2].t())\n"),
    ("f(x)\n", "f(f(x)[:, :2])\n"),
    ("DataLoader(d)\n", "DataLoader(d, drop_last=False)\n"),
]


@pytest.mark.parametrize(("old", "new"), CUT)
def test_data_are_not_cut(old: str, new: str):
    """Nor is a part left out under another name, unless the title says so."""
    assert "leaves a part of the data out" in refused(check, old, new, SHAPED)
    assert not refused(check, old, new, SHAPED, title="what is too long is cut")
    assert not refused(check, old, new, SHAPED, intent="the last rows are left out")
    assert refused(check, old, new, SHAPED, title="it is made to fit")


@pytest.mark.parametrize(("old", "new"), NOT_CUT)
def test_what_leaves_nothing_out(old: str, new: str):
    """An index that takes everything, by the live shape, or that is of no data."""
    assert not refused(check, old, new, SHAPED)


@pytest.mark.parametrize(
    ("old", "new", "kind", "title"),
    [
        ("f(x)\n", "f(F.pad(x, (0, 2)))\n", "makes data up", "filled up with zeros"),
        ("f(x)\n", "f(nn.utils.rnn.pad_sequence(x))\n", "makes data up", "padded to the longest"),
        ("f(x)\n", "f(torch.cat([x, torch.zeros(2)]))\n", "makes data up", "padded"),
        ("f(x)\n", "f(torch.stack([x, x.new_ones(2)]))\n", "makes data up", "filled"),
        ("f(x)\n", "f(torch.cat([x, y]))\n", "", ""),
        ("f(x)\n", "f(torch.zeros(2))\n", "", ""),
        ("f(F.pad(x, p))\n", "f(F.pad(x, q))\n", "", ""),
        ("f(x)\n", "f(x.expand(4, 4, 6))\n", "several times", "repeated for each row"),
        ("f(x)\n", "f(x.repeat(2, 1, 1))\n", "several times", "each row is taken twice"),
        ("f(x)\n", "f(x.mean(1))\n", "one number of several", "the mean of the rows"),
        ("f(x)\n", "f(torch.sum(x))\n", "one number of several", "the sum"),
        ("f(x)\n", "f(sum(x))\n", "", ""),
        ("f(x)\n", "f(x.clamp(0, 3))\n", "other values", "limited to 3"),
        ("f(x)\n", "f(torch.clip(x, 0, 3))\n", "other values", "clipped"),
        ("f(x)\n", "f(x % 3)\n", "other values", "they wrap around"),
        ("f(x[0])\n", "f(x[0] % 3)\n", "other values", "they wrap around"),
        ("f(x)\n", "f(pair % 3)\n", "", ""),
        ("f(x)\n", "f(other % 3)\n", "", ""),
        ("f(x)\n", "f(x / 3)\n", "", ""),
        ("f(x)\n", "f(torch.zeros_like(x))\n", "makes data up", "filled with zeros"),
        ("f(x)\n", "f(torch.randn_like(x))\n", "makes data up", "filled with numbers"),
        ("x.backward()\n", "x.backward(torch.ones_like(x))\n", "", ""),
        ("grad(x, y)\n", "grad(x, y, torch.ones_like(x))\n", "", ""),
        ("f(x)\n", "f(torch.empty(0))\n", "holds nothing", "an empty one"),
        ("f(x)\n", "f(torch.tensor([]))\n", "holds nothing", "an empty one"),
        ("f(x)\n", "f(torch.zeros(0, 3))\n", "holds nothing", "an empty one"),
        ("f(x)\n", "f(torch.zeros(3))\n", "", ""),
        ("f(x)\n", "f(torch.tensor(0))\n", "", ""),
        ("f(x)\n", "f(torch.full((3,), 0))\n", "", ""),
        ("f(x)\n", "f(other(0))\n", "", ""),
        ("f(x)\n", "f(torch.zeros())\n", "", ""),
    ],
)
def test_data_are_not_made_up_or_put_together(old: str, new: str, kind: str, title: str):
    """Nor is anything empty passed on, unless the title says so."""
    told = refused(check, old, new, LIVE)

    assert kind in told and bool(kind) is bool(told)
    assert not refused(check, old, new, LIVE, title=title)


@pytest.mark.parametrize(
    ("old", "new", "refuses"),
    [
        ("f(parts)\n", "f(parts.long())\n", True),
        ("f(parts)\n", "f(parts.to(torch.int32))\n", True),
        ("f(parts)\n", "f(parts.type(torch.long))\n", True),
        ("f(parts)\n", "f(torch.tensor(parts, dtype=torch.long))\n", True),
        ("f(parts)\n", "f(parts.round())\n", True),
        ("f(parts)\n", "f(torch.floor(parts))\n", True),
        ("f(parts)\n", "f(np.floor(parts))\n", True),
        ("f(parts)\n", "f(parts.double())\n", False),
        ("f(parts)\n", "f(parts.to(torch.float64))\n", False),
        ("f(parts)\n", "f(parts.to(device))\n", False),
        ("f(parts.long())\n", "f(parts.int())\n", False),  # the person's own
        ("f(whole)\n", "f(whole.long())\n", False),
        ("f(numbers)\n", "f(numbers.int())\n", False),
        ("f(x)\n", "f(other.long())\n", False),  # nobody saw its values
        # By its making, where nobody saw its values.
        ("f([1.2, 2.8])\n", "f(torch.tensor([1.2, 2.8], dtype=torch.long))\n", True),
        ("f([1.0, 2.0])\n", "f(torch.tensor([1.0, 2.0], dtype=torch.long))\n", False),
        ("f([1.2, 2.8])\n", "f(torch.LongTensor([1.2, 2.8]))\n", True),
        ("a = torch.randn(3)\nf(a)\n", "a = torch.randn(3)\nf(a.long())\n", True),
        ("a = torch.randint(9, (3,))\nf(a)\n", "a = torch.randint(9, (3,))\nf(a.int())\n", False),
        ("a = torch.rand(3).round()\nf(a)\n", "a = torch.rand(3).round()\nf(a.int())\n", False),
        ("a = g()\na = torch.rand(3)\nf(a)\n", "a = g()\na = torch.rand(3)\nf(a.int())\n", True),
        ("f(g(x))\n", "f(torch.sigmoid(g(x)).long())\n", True),
        ("f(x)\n", "f(round())\n", False),
    ],
)
def test_no_cast_loses_what_comes_after_the_point(old: str, new: str, refuses: bool):
    """By the live values where the run kept them, else by how the value is made."""
    told = refused(check, old, new, LIVE)

    assert ("drops what comes after the point" in told) is refuses is bool(told)
    assert not refused(check, old, new, LIVE, title="rounded to whole numbers")


def test_counting_what_is_true_reduces_no_data():
    """`mask.sum()` is how many places the mask has."""
    masked = saw(mask=tensor(4, dtype="bool"), x=tensor(4))
    assert not refused(check, "f(4)\n", "f(int(mask.sum()))\n", masked)
    assert refused(check, "f(4)\n", "f(int(x.sum()))\n", masked)
    assert refused(check, "f(4)\n", "f(int(other.sum()))\n", masked)
