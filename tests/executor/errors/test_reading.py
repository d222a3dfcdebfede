"""executor/errors/reading.py: an error in plain words, and the code that it fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

import pytest

from executor.errors import all_families, fitting, read_words
from executor.errors.family import ErrorFamily, Sentence
from executor.protocol import Construct, ErrorSeen
from tests.executor.errors.test_catalogue import FAMILIES, RAISED_HERE, raised, split


def error(message: str, type: str = "RuntimeError") -> ErrorSeen:
    """An error with this message."""
    return ErrorSeen(type=type, message=message)


def call(name: str, *arguments: str, line: int = 1, **more: object) -> Construct:
    """A call in a snippet."""
    return Construct(kind="call", name=name, line=line, code=name, arguments=arguments, **more)  # type: ignore[arg-type]


def change(kind: str, name: str, value: str) -> Construct:
    """A change at line 4 of a snippet."""
    return Construct(kind=kind, name=name, line=4, code=name, arguments=(value,))  # type: ignore[arg-type]


def texts(family: ErrorFamily) -> Iterator[str]:
    """All that a family says, with its braces."""
    sentences = (*family.means, *family.remedy, *((family.now,) if family.now else ()))
    yield from (s.text if isinstance(s, Sentence) else s for s in sentences)
    yield from (suspect.says for suspect in family.suspects)


def messages(name: str) -> list[tuple[str, str]]:
    """The messages of a family that are known: what its sample raises, and its examples."""
    own = [raised()[name]] if name in RAISED_HERE else []
    return [*own, *(split(example) for example in FAMILIES[name].examples)]


@pytest.mark.parametrize("name", FAMILIES)
def test_every_sentence_is_filled_in_for_every_known_message(name: str):
    """Whatever the wording, no brace is left, no value is empty, and something is said."""
    for type_, message in messages(name):
        words = read_words(error(message, type_))
        assert words is not None and words.family == name

        assert words.means and not words.means.endswith("."), words
        for said in (words.means, words.remedy, words.now):
            assert not re.search(r"\{\w*\}", said), said
            assert not said.endswith((" ", ".")) and "\n" not in said


@pytest.mark.parametrize("family", all_families(), ids=lambda f: f.id)
def test_a_sentence_names_values_that_there_are(family: ErrorFamily):
    """Each brace is a value of the message, of `derive`, or one that every error has."""
    derived = set()
    for type_, message in messages(family.id):
        seen = family.read(type_, message)
        assert seen is not None
        derived |= set(family.derive(seen, message)) if family.derive is not None else set()
    known = set(family.values) | {f"{v}_dtype" for v in family.values} | {"file", "made"}
    for text in texts(family):
        names = {name for _, name, _, _ in Formatter().parse(text) if name}
        assert family.derive is not None or names <= known, (text, names - known)
        assert names - known <= derived | DERIVED_BY_OTHER_SIZES, (text, names - known)


# Values that no sample has the sizes for; each has a row below.
DERIVED_BY_OTHER_SIZES = {
    "samples",
    "per_row",
    "per_label",
    "bins",
    "n_fft",
    "small",
    "large",
    "made_in",
    "missing_first",
    "missing_count",
    "unexpected_first",
    "unexpected_count",
    "resized_first",
    "saved",
    "current",
    "last",
    "needed",
    "kernel_edge",
    "has",
}


@pytest.mark.parametrize("family", [f for f in all_families() if f.now], ids=lambda f: f.id)
def test_todays_wording_of_an_older_message_is_of_its_family(family: ErrorFamily):
    """What is called today's wording is read by a pattern of today."""
    told = [
        words.now
        for example in family.examples
        if (words := read_words(error(split(example)[1], split(example)[0]))) and words.now
    ]
    for now in told:
        seen = family.read("", now) or family.read(family.types[0], now)
        if seen is None:  # another family took over what this one said
            assert read_words(error(now)) is not None, now
        else:
            assert not seen.is_older, now


@pytest.mark.parametrize(
    ("type_", "message", "means", "remedy"),
    [
        (
            "RuntimeError",
            "mat1 and mat2 shapes cannot be multiplied (1792x28 and 784x10)",
            "[1792, 28] and [784, 10]",
            "exactly 64 times 784",
        ),
        (
            "RuntimeError",
            "mat1 and mat2 shapes cannot be multiplied (1x214720 and 400x120)",
            "the layer takes 400 features and 214720 arrive",
            "`nn.Linear(214720, 120)`",
        ),
        (
            "RuntimeError",
            "Given groups=1, weight of size [64, 3, 7, 7], expected input[1, 1, 28, 28] to have 3 "
            "channels, but got 1 channels instead",
            "takes 3 channels, and its input [1, 1, 28, 28] has 1",
            "If the images are grey",
        ),
        (
            "RuntimeError",
            "Given groups=1, weight of size [8, 3, 3, 3], expected input[4, 32, 32, 3] to have 3 "
            "channels, but got 32 channels instead",
            "the channels perhaps stand last",
            "permute(0, 3, 1, 2)",
        ),
        (
            "ValueError",
            "Expected input batch_size (8) to match target batch_size (32).",
            "32 labels, 4 for each row",
            "[8, 4]",
        ),
        (
            "ValueError",
            "Expected input batch_size (32) to match target batch_size (8).",
            "4 rows for each label",
            "x.view(x.size(0), -1)",
        ),
        (
            "ValueError",
            "Expected input batch_size (8) to match target batch_size (7).",
            "8 rows and there are 7 labels",
            "Print `output.shape`",
        ),
        ("IndexError", "Target 4 is out of bounds.", "at least 5 columns", "labels - 1"),
        ("IndexError", "Target -1 is out of bounds.", "label is -1", "ignore_index=-1"),
        (
            "RuntimeError",
            "shape '[-1, 4]' is invalid for input of size 10",
            "10 is not a multiple of 4",
            "flatten(1)",
        ),
        (
            "RuntimeError",
            "The size of tensor a (256) must match the size of tensor b (129) at non-singleton "
            "dimension 1",
            "one has 256 and the other 129",
            "129 is 256 // 2 + 1",
        ),
        (
            "RuntimeError",
            "one of the variables needed for gradient computation has been modified by an inplace "
            "operation: [torch.FloatTensor [4, 2]], which is output 0 of TBackward, is at version "
            "2; expected version 1 instead.",
            "the transposed weight of a linear layer",
            "before the first optimizer.step()",
        ),
        (
            "RuntimeError",
            'Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "fc.weight". '
            '\n\tUnexpected key(s) in state_dict: "module.fc.weight".',
            "saved from inside a wrapper",
            "removeprefix('module.')",
        ),
        (
            "RuntimeError",
            "Error(s) in loading state_dict for Net:\n    size mismatch for e.weight:\n    copying "
            "a param with shape torch.Size([7, 6]) from checkpoint,\n    the shape in current "
            "model is torch.Size([9, 6]).",
            "torch.Size([7, 6]) in the file and torch.Size([9, 6]) in the model",
            "`strict=False` does not help",
        ),
        (
            "RuntimeError",
            "Expected object of scalar type Long but got scalar type Float for argument #2 'mat2'",
            "is Long and the weight is Float",
            "x.float()",
        ),
        (
            "RuntimeError",
            "Expected 4-dimensional input for 4-dimensional weight [64, 3, 3, 3], but got input of "
            "size [628, 500, 3] instead",
            "the batch dimension is perhaps missing",
            "unsqueeze(0)",
        ),
        ("TypeError", "must be real number, not str", "A text (str)", "isinstance(v, str)"),
        (
            "RuntimeError",
            "Expected hidden[0] size (1, 4, 8), got [4, 1, 8]",
            "the same numbers in another order",
            "x.size(0)",
        ),
    ],
)
def test_the_numbers_of_a_message_decide_what_is_said(
    type_: str, message: str, means: str, remedy: str
):
    """What a batch, a missing dimension or a flattened label looks like is said in its sizes."""
    words = read_words(error(message, type_))

    assert words is not None
    assert means in words.means and remedy in words.remedy, words


def test_the_layer_is_named_where_the_code_or_the_traceback_does():
    """A matrix product is a Linear layer's if its file, or a layer of that size, says so."""
    message = error("size mismatch, m1: [64 x 256], m2: [400 x 10]")
    linear = call("nn.Linear", "400", "10")

    plain, in_file = read_words(message), read_words(message, "linear.py")
    in_code, other = (
        read_words(message, "", [linear]),
        read_words(message, "", [call("nn.Linear", "10", "400")]),
    )
    assert plain and in_file and in_code and other
    assert "A Linear layer with in_features=400" in in_file.means == in_code.means
    assert plain.means == other.means != in_file.means
    assert in_file.now == "mat1 and mat2 shapes cannot be multiplied (64x256 and 400x10)"


SIZES = "mat1 and mat2 shapes cannot be multiplied (64x256 and 400x10)"
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
DEVICES = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
)
KEYWORD = "forward() got an unexpected keyword argument 'label'"
MEMORY = "CUDA out of memory. Tried to allocate 2.00 GiB"


@pytest.mark.parametrize(
    ("message", "constructs", "lines"),
    [
        (
            SIZES,
            [call("nn.Linear", "400", "10", line=3), call("nn.Linear", "10", "2", line=4)],
            [3],
        ),
        (SIZES, [call("Linear", line=3, keywords={"in_features": "400"})], [3]),
        (SIZES, [call("x.view", "-1", "256", line=5)], [5]),
        (SIZES, [call("nn.Linear", "40", line=3), call("print", "400", line=4)], []),
        (NO_GRAPH, [call("loss.detach", line=2), call("torch.tensor", "x", line=3)], [2]),
        (NO_GRAPH, [call("torch.tensor", "x", line=3)], [3]),
        (
            NO_GRAPH,
            [change("attribute", "p.requires_grad", "False")],
            [4],
        ),
        (
            NO_GRAPH,
            [change("attribute", "p.requires_grad", "True")],
            [],
        ),
        (DEVICES, [call("torch.zeros", "3", line=2)], [2]),
        (DEVICES, [call("torch.zeros", "3", line=2, keywords={"device": "d"})], []),
        (DEVICES, [call("torch.zeros", "3", line=2, then="to")], []),
        (KEYWORD, [call("model", line=7, keywords={"label": "y"}), call("f", line=8)], [7]),
        (
            MEMORY,
            [change("update", "total_loss", "loss")],
            [4],
        ),
        (
            MEMORY,
            [change("update", "total_loss", "loss.item()")],
            [],
        ),
        ("no such error", [call("nn.Linear", "400")], []),
    ],
)
def test_code_fits_by_what_it_is_and_by_its_values(
    message: str, constructs: list[Construct], lines: list[int]
):
    """A layer of that size, a cut of the graph, a tensor without its device; and no other."""
    type_ = "TypeError" if "keyword" in message else "RuntimeError"

    assert [c.line for c, _, _ in fitting(error(message, type_), constructs)] == lines


def test_a_number_longer_than_python_converts_is_read_without_it():
    """A message is a stranger's: nothing is raised, and the rest is said."""
    words = read_words(error(f"mat1 and mat2 shapes cannot be multiplied ({'9' * 5000}x2 and 4x1)"))

    assert words is not None and words.means
