"""Which names are slips of the pen for which."""

import pytest

from knowledge.repair.toolkit.spelling import misspelt, slips


@pytest.mark.parametrize(
    ("written", "meant", "is_slip"),
    [
        ("Conv2D", "Conv2d", True),  # another case
        ("maxpool2d", "MaxPool2d", True),
        ("MaxPol2D", "MaxPool2d", True),
        ("MT5Tokenizer", "MyT5Tokenizer", False),  # so few letters before a number are a name
        ("con1", "conv1", True),  # of a layer, at the end
        ("argmx", "argmax", True),  # a letter too few
        ("reshapee", "reshape", True),  # one too many
        ("DataLaoder", "DataLoader", True),  # two in the other order
        ("CrossEntrophyLos", "CrossEntropyLoss", True),  # two slips in a long name
        ("batch_frist", "batch_first", True),
        ("MaxPooling2d", "MaxPool2d", True),  # one library writes the word out
        ("clip_gradient_norm_", "clip_grad_norm_", True),
        ("BatchNormalization1d", "BatchNorm2d", False),
        ("share_memory", "share_memory_", True),  # the method writes in place
        ("reshape_", "reshape", False),  # that one would have written in place
        ("reshape", "reshape", False),  # it is the name
        ("fc3", "fc2", False),  # short
        ("layer3", "layer2", False),  # another number
        ("conv1d", "conv2d", False),
        ("nanmax", "amax", False),  # two slips in a short name
        ("sun", "sum", False),  # short names are near to many others
        ("events", "acc_events", False),
        ("list", "dist", False),  # the first letter is another one
        ("agrmax", "argmax", True),
        ("rfom_numpy", "from_numpy", True),  # the first two, swapped
        ("", "_", False),
    ],
)
def test_a_slip_is_told_from_another_name(written: str, meant: str, is_slip: bool) -> None:
    assert misspelt(written, meant) is is_slip


@pytest.mark.parametrize(
    ("a", "b", "number"),
    [
        ("", "", 0),
        ("abc", "abc", 0),
        ("abc", "", 3),
        ("abc", "acb", 1),  # swapped
        ("abc", "abd", 1),  # replaced
        ("abc", "ab", 1),  # left out
        ("abcd", "badc", 2),
        ("kitten", "sitting", 3),
    ],
)
def test_slips_are_counted(a: str, b: str, number: int) -> None:
    """They are as many one way as the other."""
    assert slips(a, b) == slips(b, a) == number
