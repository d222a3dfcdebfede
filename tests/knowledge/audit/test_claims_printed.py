"""What a document says that a block prints, and which shapes; and what only sounds like it."""

from __future__ import annotations

import pytest

from knowledge.audit.judge import verdict
from knowledge.audit.model import BlockRun, ClaimKind
from knowledge.documents.verdict import Verdict
from tests.knowledge.audit.audited import claims


def test_printed_text_is_a_claim_beside_and_below_its_print():
    """Over several lines too."""
    code = (
        "print(x.shape)  # Output: torch.Size([2, 3])\n"
        "print(x)\n# Output:\n# tensor([[1, 2],\n#         [3, 4]])"
    )
    found = [c.printed for c in claims(code)]

    assert found == ["torch.Size([2, 3])", "tensor([[1, 2],\n[3, 4]])"]


@pytest.mark.parametrize("said", ["values vary", "e.g. tensor([1])", "tensor([0.1, ...])"])
def test_an_output_that_is_only_an_example_is_no_claim(said: str):
    """It says so itself."""
    assert not claims(f"print(x)  # Output: {said}")


def test_random_numbers_refute_nothing_but_a_shape_does():
    """The numbers are whatever they are; the shape is a promise."""
    code = "x = torch.rand(2)\nprint(x)  # tensor([0.1, 0.2])\nprint(x.shape)  # torch.Size([3])"

    assert [c.pointed for c in claims(code)] == [False, True]


@pytest.mark.parametrize(
    ("comment", "printed"),
    [
        ("Output Shape 1: torch.Size([1, 16])", "torch.Size([1, 16])"),
        ("Output: Total: 24", "24"),
        ("Output: 24", "24"),
        ("Output: cpu", "cpu"),
        ("Output is a score", None),
        ("Output: 2 because there are two", None),
        ("the gradient is now None", "None"),
        ("Shape is [1, 10]", "[1, 10]"),
        ("True, since both are zero", "True"),
        ("Rows: 3", None),
        ("Rows x: 3", "3"),
        ("Output: 2 4 6", "2 4 6"),
        ("Output shape: (None, -1, 32)", "(None, -1, 32)"),
        ("Produces: Rows: [2, 4]", "[2, 4]"),
        ("Output: torch.Size([2, 4]) because rows come first", "torch.Size([2, 4])"),
        ("Output: array([2, 4])", "array([2, 4])"),
        ("Torch.Size([2, 4])", "Torch.Size([2, 4])"),
        ("No leaf, its gradient is None", "None"),
        ("This will print true", "true"),
        ("True (or similar)", None),
    ],
)
def test_a_label_before_the_value_is_no_part_of_it(comment: str, printed: str | None):
    """And a number in a sentence is no value."""
    found = [c.printed for c in claims(f"print('Rows x:', x)  # {comment}") if c.pointed]

    assert found == ([printed] if printed else [])


def test_an_output_that_stands_above_its_print_is_read():
    """Below another print it belongs to that one."""
    assert [c.line for c in claims("# Output: tensor([2, 4])\nprint(x)")] == [2]
    assert [c.line for c in claims("print(y)\n# Output: tensor([2, 4])\nprint(x)")] == [1]


def test_an_output_with_a_blank_line_in_it_is_read_to_its_end():
    """So are tensors of three dimensions printed."""
    code = "print(x)\n# Output: tensor([[[0, 1],\n#   [2, 3]],\n\n#  [[4, 5],\n#   [6, 7]]])"
    (claim,) = claims(code)

    assert claim.printed.endswith("[6, 7]]])")
    assert claim.pointed


@pytest.mark.parametrize("printed", ["None", "True", "Error: no rows"])
def test_random_numbers_leave_words_as_they_are(printed: str):
    """What holds no number is as sure as without them."""
    code = f"print('Error:', torch.rand(2).grad)  # Output: {printed}"

    assert [c.pointed for c in claims(code)] == [True]


@pytest.mark.parametrize(
    ("after", "printed", "pointed"),
    [
        ("Therefore `x.grad` is `None`.", "None", True),
        ("Therefore `y.grad` is `None`.", None, False),
        ("The output will be a 1D tensor with the elements [3, 5, 8].", "[3, 5, 8]", False),
        ("The loss soon becomes NaN.", "nan", False),
        ("The exponentials grow too large, resulting in `inf`.", "inf", True),
        ("Clamping prevents exponentials from resulting in `inf`.", None, False),
        ("The result is scaled to the range [0, 1].", None, False),
    ],
)
def test_a_value_in_a_sentence_can_be_printed(after: str, printed: str | None, pointed: bool):
    """Only of an expression that the block prints is it sure."""
    found = [(c.printed, c.pointed) for c in claims("print(x.grad)", after) if c.printed]

    assert found == ([(printed, pointed)] if printed else [])


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("y = f(x)  # (2, 3)", (2, 3)),
        ("y = f(x)  # output shape: [2, 3]", (2, 3)),
        ("batch = 4\ny = f(x)  # y has shape (batch, 2 * batch)", (4, 8)),
        ("batch, rows = 4, 5\ny = f(x)\n# y.shape: (batch, rows)", (4, 5)),
        ("rows = 5\ny, (h, c) = f(x)\n# y shape: (rows, 2)", (5, 2)),
        ("rows = 5\ny = g(x, rows, keep=True)  # (rows, 2)", (5, 2)),
        ("sizes = [4, 8]\ny = f(x)  # (sizes[0], sizes[-1] // 2)", (4, 4)),
        ("def g(y):\n    y = y + 1\n    return y\ny = f(x)  # (2, 3)", (2, 3)),
        ("y = stack([\n    a, b,\n    c])  # (3, 7)", (3, 7)),
        ("y = stack([\n    a,  # (2, 3)\n    c])", None),
        ("y = f(x)\ny = g(y)\n# Now y has shape (2, 3) for the layer", (2, 3)),
        ("y = f(x)\n# y has a common shape (e.g., 2, 3) for a layer.", (2, 3)),
        ("y = f(x)\n# y shape: (2, 3)\ny = g(y)", None),
        ("for x in loader:\n    y = f(x)\n    y = g(y)\n    # y shape: (2, 3)", None),
        ("rows = 4\n# It will have the shape (rows, columns)\ny = f(x)\nprint(y.shape)", None),
        ("rows = 4\ny = f(x)\n# It will have the shape (rows, columns)\nprint(y.shape)", (4, -1)),
        ("y = f(x)  # shape: (batch, 3, 4)", None),
        ("y = f(x)  # shape: (batch, 3)", None),
        ("y = f(x)  # kernel shape (2, 3)", None),
        ("rows = 2\ny = f(x)\n# y: (rows, 3)", (2, 3)),
        ("rows = 2\ny = f(x)\n# z: (rows, 3)", None),
        ("y = f(x)  # Add a channel, shape (1, 2, 3)", (1, 2, 3)),
        ("y = f(x)  # Add a channel, (1, 2, 3)", None),
        ("y = f(x)  # Of the original, shape (1, 2, 3)", None),
        ("y = f(x)  # All of it: 2x3", (2, 3)),
        ("y = f(x)  # the input shape is (2, 3)", None),
    ],
)
def test_a_shape_may_be_written_with_the_constants_of_the_block(
    code: str, shape: tuple[int, ...] | None
):
    """Of another tensor than the one on its line it says nothing."""
    assert [c.shape for c in claims(code)] == ([shape] if shape else [])


@pytest.mark.parametrize(
    ("after", "claim"),
    [
        ("In this example `rows` is a 2x3 tensor.", (ClaimKind.SHAPE, "rows", (2, 3), None, False)),
        ("Here, `rows` is a 2D tensor.", (ClaimKind.DIMENSIONS, "rows", None, 2, True)),
        ("`rows` has dimensions `(2, 3)`.", (ClaimKind.SHAPE, "rows", (2, 3), None, True)),
        ("`rows` will also have two dimensions.", (ClaimKind.DIMENSIONS, "rows", None, 2, True)),
        ("Each batch has a shape `[16]`.", (ClaimKind.SHAPE, "", (16,), None, False)),
        ("This produces an output of shape (4, 3).", (ClaimKind.SHAPE, "", (4, 3), None, False)),
        (
            "The shape of the last `rows` here is `(n, 3)`.",
            (ClaimKind.SHAPE, "rows", (6, 3), None, False),
        ),
        (
            "The resulting `rows` has dimensions `(n, m)`.",
            (ClaimKind.SHAPE, "rows", (6, -1), None, False),
        ),
        ("Both `rows` tensors are 2x3.", (ClaimKind.SHAPE, "rows", (2, 3), None, False)),
        (
            "The result is brought back to `(n, n // 2)`.",
            (ClaimKind.SHAPE, "", (6, 3), None, False),
        ),
        ("Here we make a 1x2x3 sparse tensor.", (ClaimKind.SHAPE, "", (1, 2, 3), None, False)),
        ("The `rows` variable is a scalar tensor.", (ClaimKind.DIMENSIONS, "rows", None, 0, True)),
        ("It turns the list into a 2D tensor.", (ClaimKind.DIMENSIONS, "", None, 2, False)),
        ("The `rows` are now `rows`, shaped (2, 3).", None),
        ("Now `rows` is shaped `(2, 3)`.", (ClaimKind.SHAPE, "rows", (2, 3), None, True)),
        ("This makes a list into a (2, 3) tensor.", (ClaimKind.SHAPE, "", (2, 3), None, False)),
        ("It is reshaped from (6, 1) to (2, 3).", (ClaimKind.SHAPE, "", (2, 3), None, False)),
        ("The result is a 6x4 score matrix.", (ClaimKind.SHAPE, "result", (6, 4), None, False)),
        ("Here we slide a 3x3 kernel over each image tensor.", None),
        ("The result has the shape (n, m).", None),
    ],
)
def test_prose_tells_shapes_too(after: str, claim: tuple[object, ...] | None):
    """Of a name, of the result, or only how many dimensions it has."""
    found = [
        (c.kind, c.name, c.shape, c.dimensions, c.pointed)
        for c in claims("n = 6\nrows = f(x)", after)
        if c.kind not in (ClaimKind.PRINTS, ClaimKind.EFFECT)
    ]

    assert found == ([claim] if claim else [])


def test_the_introduction_may_tell_a_shape():
    """The last sentences of it; what was said long before is of something else."""
    before = "Here `rows` has the shape (2, 3). " + "And so on. " * 3
    near = "And so on. Here `rows` has the shape (2, 3). We look at it."

    assert not claims("rows = f(x)", before=before)
    assert [c.shape for c in claims("rows = f(x)", before=near)] == [(2, 3)]


def test_a_shape_told_in_a_loop_may_be_that_of_an_earlier_turn():
    """The last batch may be smaller."""
    code = "for x in loader:\n    y = f(x)  # (2, 3)"

    assert [c.pointed for c in claims(code)] == [False]


def test_an_output_of_many_prints_is_read_label_by_label():
    """Up to the first line that no print writes."""
    code = (
        "print('Rows:', x.shape)\nprint('Sum:', x.sum())\n"
        "# Output:\n# Rows: torch.Size([2])\n# Sum: 7\n# As was to be shown: 8"
    )

    assert [c.printed for c in claims(code) if c.pointed] == ["torch.Size([2])", "7"]


@pytest.mark.parametrize(
    ("after", "kinds"),
    [
        ("The output shows that each batch has one class.", {ClaimKind.OUTPUT}),
        ("We can see that the values move.", {ClaimKind.OUTPUT}),
        ("The output will vary from run to run.", set()),
        ("Note that a list would do as well.", set()),
    ],
)
def test_what_the_output_is_said_to_show(after: str, kinds: set[ClaimKind]):
    """Not what differs from run to run, nor what is only to be noted."""
    assert {c.kind for c in claims("print(f(x))", after)} - {ClaimKind.EFFECT} == kinds


@pytest.mark.parametrize(
    ("code", "printed", "pointed"),
    [
        ("x = torch.rand(3)\nprint(len(x))  # Output: 2", "2", True),
        ("x = torch.rand(3)\nprint('Rows:', x.shape[0])  # Output: 2", "2", True),
        ("x = torch.rand(3)\nprint(len(x[x > 0]))  # Output: 2", "2", False),
        ("x = torch.rand(3).nonzero()\nprint(len(x))  # Output: 2", "2", False),
        ("x = torch.rand(2)\nprint(x.grad)  # tensor([0., 0.])", "tensor([0., 0.])", True),
        ("x = torch.rand(2)\nprint(x.relu())  # tensor([0., 0.])", "tensor([0., 0.])", False),
        ("x = torch.rand(2)\nprint(x)  # tensor([0.0, 0.5])", "tensor([0.0, 0.5])", False),
    ],
)
def test_what_is_counted_or_all_zero_is_not_drawn(code: str, printed: str, pointed: bool):
    """Other random numbers would leave it as it is; what they choose among is another matter."""
    assert [(c.printed, c.pointed) for c in claims(code)] == [(printed, pointed)]


def test_an_array_goes_on_in_comments_below_its_print():
    """Until its brackets are closed."""
    code = "print(x)  # Output: array([[1, 2],\n         #        [3, 4]])\n         # so be it"

    assert [c.printed for c in claims(code)] == ["array([[1, 2],\n[3, 4]])"]


@pytest.mark.parametrize(
    ("printing", "comment", "said"),
    [
        ("x.mean()", "about 2", ("2", "rough", True)),
        ("x.mean()", "Output will be roughly tensor(0.1234)", ("tensor(0.1234)", "rough", True)),
        ("x.mean(), x.std()", "should be close to 3 and 0.5", ("3 and 0.5", "rough", True)),
        ("x.grad", "x.grad is not None", ("None", "absent", True)),
        ("x.grad", "Output: the gradients", ("tensor", "look", False)),
        ("x.grad", "A leaf: its gradient exists", ("None", "absent", True)),
        ("x.loss", "Output: A scalar tensor that holds the loss", ("tensor", "look", False)),
        ("x.grad", "Output: no gradients", None),
        ("x.grad", "Check the gradients", None),
        ("x.device", "still on the CPU", ("cpu", "look", True)),
        ("x.device", "now on the GPU", ("cuda", "look", False)),
        ("x.sum()", "computed on the CPU", None),
        ("type(x)", "it is now a numpy array", ("array", "look", True)),
        ("type(x.item())", "is a standard Python number", ("number", "look", True)),
        ("type(x)", "Print the type of the tensor", None),
        ("x.device", "may be on the CPU", None),
    ],
)
def test_a_printed_value_may_be_told_in_words(
    printing: str, comment: str, said: tuple[str, str, bool] | None
):
    """As far as its print shows it."""
    found = [
        (c.printed or c.look, "rough" if c.rough else "absent" if c.absent else "look", c.pointed)
        for c in claims(f"print({printing})  # {comment}")
        if c.rough or c.absent or c.look
    ]

    assert found == ([said] if said else [])


def test_a_comment_of_its_own_that_says_what_is_done_tells_no_value():
    """Only one that says how it is then."""
    done, then = "# Sum it up on the CPU\nprint(x.device)", "# Now on the CPU\nprint(x.device)"

    assert [[c.look for c in claims(code) if c.look] for code in (done, then)] == [[], ["cpu"]]


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("print('x:\\n', x)\nprint(y)  # Output: 1", (2, 3, 3)),
        ("print()\nprint(f'{x}\\n')\nprint(y)  # Output: 1\nprint(z)", (1, 2, 3)),
        ("def f():\n    print(x)\nif a:\n    print(x)\nprint(y)  # Output: 1", (0, 1, 1)),
        ("try:\n    print(x)\nexcept E:\n    pass\nprint(y)  # Output: 1", (1, 2, 2)),
        ("print(*x)\nprint(y)  # Output: 1", None),
        ("if a: print(x)\nprint(y)  # Output: 1", None),
        ("for x in a:\n    print(y)  # Output: 1", None),
        ("print(x)\n# Output: 1", None),
    ],
)
def test_a_print_has_its_place_in_the_output(code: str, place: tuple[int, int, int] | None):
    """Where all that is written before it can be counted."""
    assert [c.place for c in claims(code)] == [place]


@pytest.mark.parametrize(
    ("printing", "after", "said"),
    [
        ("x.device", "The result still remains on the CPU.", "cpu"),
        ("x.device", "Both are now on the GPU.", "cuda"),
        ("x.sum()", "The result remains on the CPU.", None),
        ("x.device", "All of them are placed on the same device.", "one device"),
        ("x.device", "The result is moved to the CPU.", None),
        ("x", "The result is also a complex tensor.", "complex"),
        ("x", "The result is complex to explain.", None),
        ("x > 0", "This returns a boolean mask.", "boolean"),
        ("x > 0", "We use boolean indexing here.", None),
        ("type(x)", "The first returns an `ndarray`.", "array"),
        ("x", "The first returns an `ndarray`.", None),
        ("x.grad_fn", "So it has a `grad_fn`.", "graph"),
        ("x.grad", "Here all gradients remain None.", "None"),
        ("x.grad", "If it is a leaf, its gradients remain None.", None),
    ],
)
def test_a_sentence_may_tell_the_look_of_a_value(printing: str, after: str, said: str | None):
    """A run that prints it bears that out; what none of its prints could show is no claim."""
    found = [c for c in claims(f"print({printing})", after) if c.kind is ClaimKind.PRINTS]

    assert [(c.look or c.printed, c.pointed) for c in found] == ([(said, False)] if said else [])


def test_an_expression_that_is_printed_twice_may_have_changed_between():
    """Then it is not known which of the two a sentence means."""
    after = "Now `x.grad` is not `None`."
    once, twice = claims("print(x.grad)", after), claims("print(x.grad)\nprint(x.grad)", after)

    assert [(c.absent, c.place, c.pointed) for c in once] == [(True, (0, 1, 1), True)]
    assert [(c.absent, c.place, c.pointed) for c in twice] == [(True, None, False)]


def test_a_value_or_one_like_it_can_be_borne_out():
    """It says itself that it may be another."""
    found = claims("print(x.device)  # Output: cpu (or similar)")

    assert [(c.printed, c.pointed) for c in found] == [("cpu", False)]


@pytest.mark.parametrize(
    ("printing", "comment", "said"),
    [
        ("x.shape", "Rows and columns, in this shape: (2, 3)", None),
        ("x.shape", "Its final shape: (2, 3)", ("(2, 3)", True)),
        ("'Size:', x[0].size()", "The shape of one is (2, 3)", ("(2, 3)", True)),
        ("x.shape", "The wrong shape (2, 3)", None),
        ("x", "Its final shape: (2, 3)", None),
        ("x.shape, y.shape", "Its final shape: (2, 3)", None),
    ],
)
def test_a_shape_beside_its_print_is_what_that_prints(
    printing: str, comment: str, said: tuple[str, bool] | None
):
    """Whatever the comment calls it, unless it is another's."""
    found = {(c.printed, c.pointed) for c in claims(f"print({printing})  # {comment}")}

    assert found == ({said} if said else set())


def test_a_print_behind_a_condition_for_a_gpu_is_told_apart():
    """The other branch runs everywhere."""
    code = (
        "if torch.cuda.is_available():\n    print(x)  # Output: [1, 2]\n"
        "else:\n    print(y)  # [3, 4]"
    )

    assert [c.on_gpu for c in claims(code)] == [True, False]


def test_an_output_below_its_label_is_held_by_its_value_and_not_by_the_label():
    """The first line of such a comment is printed whatever comes below it."""
    code = "print(f'rows:\\n{x}')\n# Output: rows:\n# tensor([[1, 4],\n#         [1, 2]])"
    (claim,) = claims(code)
    seen = BlockRun(outcome="ok", stdout="rows:\ntensor([[1, 4],\n        [2, 2]])\n")

    assert verdict([claim], seen)[0] is Verdict.REFUTED
