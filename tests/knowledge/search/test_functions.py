"""knowledge/search/functions.py: the function that does what is asked for, on the real torch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.how_to import read
from knowledge.reference.model import Documented, Reference
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.functions import FunctionSearch, _parts, entries, open_functions
from knowledge.search.off_field import is_foreign


@pytest.fixture(scope="module")
def functions(indexed: Path, model: EmbeddingModel) -> FunctionSearch:
    kept = json.loads((indexed / "reference" / "functions.json").read_text())
    reference = Reference.model_validate(kept["reference"])
    return open_functions(indexed / "reference", reference, model)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("How can I repeat each row of a matrix n times?", "torch.repeat_interleave"),
        ("stack list of tensors along new axis", "torch.stack"),
        ("gradient clipping", "torch.nn.utils.clip_grad_norm_"),
        ("how does `torch.where` work with three arguments", "torch.where"),
        ("What does .contiguous() do and when do I need it?", "torch.Tensor.contiguous"),
        ("what is nn.Identity good for", "torch.nn.Identity"),
        ("what does F.one_hot return", "torch.nn.functional.one_hot"),
        ("when do I call optimizer.zero_grad()", "torch.optim.Optimizer.zero_grad"),
        ("what does torch.clip do", "torch.clamp"),  # by its other name
        ("what does unsqueeze do", "torch.unsqueeze"),  # which nothing marks as a name
        ("how does squeeze work", "torch.squeeze"),
        ("when to use detach", "torch.Tensor.detach"),
        ("put values into bins like np.digitize, in torch", "torch.bucketize"),  # a name elsewhere
        ("tf.reduce_max with pytorch", "torch.amax"),
        ("numpy.flip for tensors", "torch.flip"),  # which both have
        ("the PyTorch layer for Conv2D of Keras", "torch.nn.Conv2d"),
    ],
)
def test_a_function_is_found_by_its_name_and_by_what_it_is_for(
    functions: FunctionSearch, text: str, name: str
):
    """The right one comes first, and is sure enough to be shown."""
    found = functions.search(text)

    assert found.hits[0].function.name == name
    assert not found.abstained


@pytest.mark.parametrize("text", ["difference between cat and stack", "torch: cat vs stack?"])
def test_both_plain_names_of_a_comparison_come_first(functions: FunctionSearch, text: str):
    """Nothing but their place in the sentence tells that they are names."""
    hits = functions.search(text).hits[:2]

    assert {hit.function.name for hit in hits} == {"torch.cat", "torch.stack"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the opposite of unsqueeze", "torch.squeeze"),
        ("how can I undo torch.stack", "torch.unbind"),
    ],
)
def test_what_undoes_a_function_and_what_is_called_come_first(
    functions: FunctionSearch, text: str, name: str
):
    """Whether it is sure enough is another matter: little else is said."""
    assert functions.search(text).hits[0].function.name == name


def test_a_parameter_is_no_function_that_is_asked_about(functions: FunctionSearch):
    """`dim` and `size` are methods too, and what most functions take."""
    assert functions.search("what does dim mean in torch.sum").hits[0].function.name == "torch.sum"


def test_both_names_of_a_comparison_come_first(functions: FunctionSearch):
    """And it is known that they were named."""
    hits = functions.search("What is the difference between torch.cat and torch.stack?").hits[:2]

    assert {hit.function.name for hit in hits} == {"torch.cat", "torch.stack"}
    assert all(hit.named for hit in hits)


@pytest.mark.parametrize(
    "text",
    [
        "how long do I have to knead pizza dough",
        "how do I flatten a nested array in JavaScript",
        "pandas: drop rows that have a NaN in a certain column",
        "how do I freeze a layer in Keras with model.trainable",
        "what does a machine learning engineer earn in Berlin",
        "what does np.stack do",
        "",
        "   ",
        "?",
    ],
)
def test_what_is_off_the_field_is_left_alone(functions: FunctionSearch, text: str):
    """Better silent than a function that only sounds alike."""
    assert functions.search(text).abstained


def test_most_how_to_questions_name_the_right_function_first(functions: FunctionSearch):
    """Of the sixty four in five, and at most three of sixty off the field are answered."""
    right = 0
    for names, text in read("how_to.tsv"):
        found = functions.search(text)
        numbers = {functions.number(name) for name in names.split()} - {None}
        if not found.abstained and functions.number(found.hits[0].function.name) in numbers:
            right += 1
    answered = [t for _, t in read("off_field.tsv") if not functions.search(t).abstained]

    assert right >= 48
    assert len(answered) <= 3, answered


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("how do I do this in pandas", True),
        ("tf.GradientTape: a second derivative", True),
        ("how do I reverse a list in Python", True),
        ("fit a linear model in R", True),
        ("convert a numpy array to a tensor", False),
        ("convert a Keras model to PyTorch", False),
        ("the R squared of r", True),
        ("what is a react", True),
        ("reaction of nn.Linear in Python", False),
        ("flatten everything but the batch", False),
        ("load a saved tokenizer\n\nI use PyTorch", True),
        ("a Dataset for nn.Embedding, tokenized\n\nwith tokenizers", False),
        ("my model\n\nI use PyTorch Lightning and torch", False),
    ],
)
def test_another_tool_is_known_by_its_name(text: str, foreign: bool):
    """Unless something of PyTorch is named too; a library built on it is enough in a title."""
    assert is_foreign(text) is foreign


def test_an_entry_has_the_words_that_people_use():
    """Name and first sentence, the prose where it says more, and how people ask, by any name."""
    function = Documented(
        name="torch.clamp",
        kind="function",
        signature="(x)",
        paragraphs=("Clamps. Always.", "More is said here, of some length, than in one sentence."),
        summary="Clamps.",
        aliases=("torch.clip",),
    )
    reference = Reference(libraries={"torch": "2"}, functions=(function,))

    (entry,) = entries(reference, {"torch.clip": ("limit values",), "torch.gone": ("nothing",)})

    assert [(p.kind, p.text) for p in entry.passages] == [
        ("paragraph", "clamp: Clamps."),
        ("paragraph", "Clamps. Always. More is said here, of some length, than in one sentence."),
        ("also_asked_as", "limit values"),
    ]
    assert entry.source.id == "torch.clamp"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The loss is negative, what does it mean?", False),
        ("what do the two outputs mean here", False),
        ("what does torch.mean do", True),
        ("how do I compute the mean of each row", True),
        ("what does a weighted mean of the rows give?", True),
        ("what would compute the mean?", True),
    ],
)
def test_what_something_means_is_no_average(text: str, kept: bool):
    """The verb is not the function."""
    assert ("mean" in _parts(text)[0]) is kept
