"""executor/inside/rebuild/printed.py: tensors that a message shows, by their names."""

from __future__ import annotations

import ast

import pytest

from executor.inside.placeholders.names import undefined_names
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.printed import Printed, printed_tensors
from executor.inside.rebuild.propose import Proposals
from executor.inside.rebuild.values import Batches, Tensor
from executor.protocol import PostedError, RebuildOrder

NAMES = ("scores", "labels", "x", "batch")


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("# scores\ntensor([0.5, -1.0])", "scores", Printed((2,), "float32", False, "[0.5, -1.0]")),
        (
            "scores:\n\ntensor(0.08, device='cuda:0', grad_fn=<SumBackward0>)",
            "scores",
            Printed((), "float32", True, "0.08"),
        ),
        ("labels = tensor([[0, 1],\n        [1, 0]])", "labels",
         Printed((2, 2), "int64", False, "[[0, 1],\n        [1, 0]]")),
        ("(Pdb) x\ntensor([1.], dtype=torch.float64)", "x",
         Printed((1,), "float64", False, "[1.]")),
        ("(Pdb) x\ntensor([[1., 2.]], grad_fn=<A", "x",
         Printed((1, 2), "float32", True, "[[1., 2.]]")),
        (
            "labels are now:\n\n  0  1\n  1  0\n[torch.cuda.LongTensor of size 2x2 (GPU 0)]",
            "labels",
            Printed((2, 2), "int64", False, "[[0.0, 1.0], [1.0, 0.0]]"),
        ),
        ("labels\n 3\n 1\n[torch.LongTensor of size 2]", "labels",
         Printed((2,), "int64", False, "[3.0, 1.0]")),
        ("print(x.shape) gives torch.Size([4, 32, 32, 3]), it was torch.Size([4, 3, 32, 32])", "x",
         Printed((4, 32, 32, 3))),
        ("x.size() is torch.Size([2])", "x", Printed((2,))),
        # Whose it is, or what it holds, is not said.
        ("scores and labels\ntensor([0.5])", "scores", None),
        ("it prints\ntensor([0.5])", "scores", None),
        ("# scores\ntensor([[1., ..., 2.]])", "scores", None),
        ("the scores that the model gives for all of the pictures of a batch are these now\n"
         "tensor([0.5])", "scores", None),
        ("the shape is torch.Size([4, 3])", "x", None),
        ("# scores\ntensor([[1.0], [2.0, 3.0]])", "scores", None),
        ("# scores\ntensor(" + "[" * 5000, "scores", None),
    ],
)  # fmt: skip
def test_a_tensor_is_read_where_its_name_stands(text: str, name: str, expected: Printed | None):
    assert printed_tensors(text, NAMES).get(name) == expected


def test_the_first_one_counts():
    shown = printed_tensors("# x\ntensor([1.0])\n# x\ntensor([2.0])", NAMES)

    assert shown["x"].entries == "[1.0]"


def proposals(code: str, text: str) -> Proposals:
    """For a snippet, and what is said beside it."""
    order = RebuildOrder(code=code, error=PostedError(type="E", message="m"), text=text)
    posted = Posted(order, ast.parse(code))
    return Proposals(ast.parse(code), undefined_names(code, "s") - {"torch"}, posted)


def test_a_name_stands_for_what_was_printed_of_it():
    made = proposals("total = torch.cat((first, x))", "# first\ntensor(0.5)\n").of("first")

    assert made.value == Tensor((), entries="0.5")
    assert made.value.expression == "torch.tensor(0.5, dtype=torch.float32)"
    assert made.evidence == "posted"


def test_the_parts_of_a_batch_have_as_many_samples_as_the_printed_one():
    code = "for i, item in enumerate(loader):\n    x, y = item['image'], item['class']\n"
    made = proposals(code, "x.shape is torch.Size([5, 8, 8, 3])").of("loader").value

    assert isinstance(made, Batches)
    assert [(key, part.shape[0]) for key, part in made.parts] == [("image", 5), ("class", 5)]
    assert made.parts[0][1].shape == (5, 8, 8, 3)


def test_the_entries_count_for_their_shape_alone():
    tensor = Tensor((2,), "int64", entries="[4, 7]")

    assert tensor.expression == "torch.tensor([4, 7], dtype=torch.int64)"
    assert "[4, 7]" not in tensor.with_rows(3).expression
