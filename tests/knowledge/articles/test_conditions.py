"""knowledge/articles/conditions.py: a paragraph is told only where it holds for the error."""

from __future__ import annotations

import re

import pytest

from executor.errors import all_families
from executor.protocol import (
    Culprit,
    Explanation,
    Frame,
    JobResult,
    Layer,
    Operand,
    TensorRef,
    Variable,
)
from knowledge.articles.article import Article, pieces_of
from knowledge.articles.conditions import NAMES, Condition, facts_of
from tests.built import failed
from tests.our_articles import OUR_ARTICLES as ARTICLES

DERIVED = ("extra", "negative", "swapped", "batches_differ")  # values that a family computes


def layer(type: str, input: tuple[int, ...], repr: str = "") -> Layer:
    """The layer that an error came out of."""
    return Layer(name="self.l", type=type, repr=repr, line=1, input=input, dtype="float32")


def takes(*shapes: tuple[int, ...], dtype: str = "float32") -> tuple[Operand, ...]:
    """What the failing expression works on."""
    made = (Variable(type="Tensor", shape=shape, dtype=dtype) for shape in shapes)
    return tuple(Operand(name="x", value=value) for value in made)


HIDDEN = "Expected hidden size (1, {}, 8), got [1, {}, 8]"
CHANNELS = (
    "Given groups=1, weight of size [8, 3, 3, 3], expected input[1, 4, 9, 9] to have 3 channels, "
    "but got 4 channels instead"
)
MASK = "Expected key_padded_mask.shape[0] to be {}, but got {}"
BATCHES = (
    "Expected size for first two dimensions of batch2 tensor to be: [{}, 4] but got: [{}, {}]."
)
SAVED = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [4, 4]], which is output 0 of AsStrided"
)
PICKLED = "Can't pickle <function <lambda> at 0x7f>: attribute lookup <lambda> on __main__ failed"
SIZE = "Using a target size (torch.Size({})) that is different to the input size (torch.Size({}))"


@pytest.mark.parametrize(
    ("slug", "run", "told"),
    [
        # The layer counts the batch in the wrong place only where the input has it in the other.
        ("rnn-hidden-state-size", failed(HIDDEN.format(5, 2), layer=layer("GRU", (2, 5, 4))),
         "batch first and the layer does not know"),
        ("rnn-hidden-state-size", failed(HIDDEN.format(5, 3), layer=layer("GRU", (2, 5, 4))),
         "!batch first and"),
        ("rnn-hidden-state-size",
         failed(HIDDEN.format(5, 2), layer=layer("GRU", (2, 5, 4), "GRU(4, 8, batch_first=True)")),
         "!batch first and"),
        ("rnn-hidden-state-size",
         failed("Expected hidden size (1, 2, 8), got [2, 1, 8]",
                layer=layer("GRU", (2, 5, 4), "GRU(4, 8, batch_first=True)")),
         "never the state"),
        ("rnn-hidden-state-size",
         failed(HIDDEN.format(2, 5), layer=layer("GRU", (2, 5, 4), "GRU(4, 8, batch_first=True)")),
         "!never the state"),
        # A library's own view is no line of theirs.
        ("view-invalid-for-size",
         failed("shape '[32, 8, 64]' is invalid for input of size 163840",
                traceback='  File "snippet.py", line 9\n  File "/torch/functional.py", line 3\n'),
         ""),
        ("view-invalid-for-size",
         failed("shape '[5]' is invalid for input of size 6",
                traceback='  File "snippet.py", line 9\n'), "arrange the elements"),
        ("rnn-hidden-state-size", failed(HIDDEN.format(5, 2), layer=layer("GRU", (2, 5, 4))),
         "!never the state"),
        ("attention-sizes",
         failed(MASK.format(6, 3), "AssertionError", layer=layer("MultiheadAttention", (3, 6, 8))),
         "Without `batch_first=True`"),
        ("attention-sizes",
         failed(MASK.format(3, 5), "AssertionError", layer=layer("MultiheadAttention", (3, 6, 8))),
         "!Without"),
        # A sample without a batch has its channels in front.
        ("conv-input-channels", failed(CHANNELS, layer=layer("Conv2d", (4, 9, 9))),
         "single sample"),
        ("conv-input-channels", failed(CHANNELS, layer=layer("Conv2d", (1, 4, 9, 9))),
         "!single sample"),
        ("conv-input-channels", failed(CHANNELS, layer=layer("Conv2d", (1, 4, 9, 9))),
         "second place"),
        ("conv-input-channels", failed(CHANNELS, layer=layer("Conv2d", (4, 9, 9))),
         "!second place"),
        # Batches that differ are no sizes that do not meet.
        ("matmul-inner-sizes", failed(BATCHES.format(2, 3, 4)), "equally many"),
        ("matmul-inner-sizes", failed(BATCHES.format(2, 3, 4)), "!last dimension"),
        ("matmul-inner-sizes", failed(BATCHES.format(2, 2, 5)), "last dimension"),
        # A column and a row, and two other shapes.
        ("loss-target-size", failed(SIZE.format([4], [4, 1]), "ValueError"), "gives a column"),
        ("loss-target-size", failed(SIZE.format([4, 1], [4]), "ValueError"), "!gives a column"),
        ("loss-target-size", failed(SIZE.format([4], [5]), "ValueError"), "!gives a column"),
        # min() and max() keep their input; nothing is said where another operation kept it.
        ("in-place-write-to-a-view-saved-for-backward",
         failed(SAVED, autograd=Culprit(
             saved_code="row.max()", tensor=TensorRef(name="row", shape=(4,), dtype="float32",
             is_view=True, saved_version=0, found_version=1))), "keep their input"),
        ("in-place-write-to-a-view-saved-for-backward",
         failed(SAVED, autograd=Culprit(
             saved_code="torch.exp(row)", tensor=TensorRef(name="row", shape=(4,), dtype="float32",
             is_view=True, saved_version=0, found_version=1))), ""),
        ("in-place-write-to-a-view-saved-for-backward",
         failed(SAVED, autograd=Culprit(
             saved_code="x.max()", tensor=TensorRef(name="x", shape=(4,), dtype="float32",
             is_view=False, saved_version=0, found_version=1))), ""),
        # What is saved to a file goes to no worker.
        ("lambda-sent-to-a-worker", failed(PICKLED, "PicklingError", code="dumps(f)"), ""),
        ("lambda-sent-to-a-worker", failed(PICKLED, "PicklingError", code="iter(loader)"),
         "by a name"),
        # A skip connection is a sum in a forward.
        ("skip-connection-changes-shape",
         failed("The size of tensor a (8) must match the size of tensor b (3) at non-singleton "
                "dimension 1", code="x + y", frames=(Frame(function="forward", line=1),)),
         "skip connection adds"),
        ("skip-connection-changes-shape",
         failed("The size of tensor a (8) must match the size of tensor b (3) at non-singleton "
                "dimension 1", code="x + y", frames=(Frame(function="<module>", line=1),)), ""),
        ("skip-connection-changes-shape",
         failed("The size of tensor a (8) must match the size of tensor b (3) at non-singleton "
                "dimension 1", code="x * y", frames=(Frame(function="forward", line=1),)), ""),
        # Neighbours with the same message, by what the live values showed.
        ("rnn-returns-a-tuple",
         failed("linear(): argument 'input' (position 1) must be Tensor, not tuple", "TypeError",
                explanation=Explanation(family="", text="`x` is a tuple of 1 (tensors)")), ""),
        ("rnn-returns-a-tuple",
         failed("linear(): argument 'input' (position 1) must be Tensor, not tuple", "TypeError",
                explanation=Explanation(family="", text="`x` is a tuple of 2 (tensors)")),
         "more than one thing"),
        ("tensor-called-like-a-function",
         failed("'Tensor' object is not callable", "TypeError", code="loss(model(x), labels)"), ""),
        ("tensor-called-like-a-function",
         failed("'Tensor' object is not callable", "TypeError", code="loss(out, y)"), ""),
        ("tensor-called-like-a-function",
         failed("'Tensor' object is not callable", "TypeError", code="x(i, -1)"), "square ones"),
        ("class-index-out-of-bounds", failed("Target -1 is out of bounds.", "IndexError"),
         "negative number"),
        ("class-index-out-of-bounds", failed("Target 3 is out of bounds.", "IndexError"),
         "!negative"),
        ("weights-only-load-failed",
         failed("Weights only load failed. Unsupported operand 60", "UnpicklingError"), ""),
        # A container of layers has no forward to misspell.
        ("forward-not-defined",
         failed('Module [ModuleList] is missing the required "forward" function',
                "NotImplementedError"), "only hold layers"),
        ("forward-not-defined",
         failed('Module [Net] is missing the required "forward" function', "NotImplementedError"),
         "under exactly that name"),
        # What an error mostly comes from is no reason where a run shows what it came from.
        ("dataset-without-samples",
         failed("num_samples should be a positive integer value, but got num_samples=0",
                "ValueError"), "!Mostly"),
        ("cross-entropy-target-shape",
         failed("Expected target size [2, 11], got [2, 7]", operands=takes((2, 7, 11)),
                explanation=Explanation(
                    family="", text="in this input the classes would be the last dimension (11).")),
         "for sequences"),
        ("cross-entropy-target-shape",
         failed("Expected target size [2, 7, 7], got [2, 8, 8]", operands=takes((2, 11, 7, 7))),
         "!for sequences"),
    ],
)  # fmt: skip
def test_what_a_run_shows_decides(slug: str, run: JobResult, told: str):
    """`told` is in the reason, or with `!` is not; empty means that there is no reason."""
    assert run.error is not None
    reason = ARTICLES[slug].reason(facts_of((run.error.type, run.error.message), run))

    if not told:
        assert reason == ""
    elif told.startswith("!"):
        assert told[1:] not in reason
    else:
        assert told in reason


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ({"layer": "GRU"}, True),
        ({"layer": "GR"}, False),  # from end to end
        ({"layer": "LSTM|GRU", "rank": "3"}, True),
        ({"layer": "GRU", "rank": "4"}, False),  # all of them
        ({"not layer": "LSTM"}, True),
        ({"not layer": "GRU"}, False),
        ({"kept": ".*"}, False),  # what is not known matches nothing
        ({"not kept": ".*"}, True),
        ({"file": "rnn.py", "through": "module.py"}, True),
        ({"through": "snippet.py"}, False),  # the person's own code is no library
        ({"not run": "yes"}, False),
    ],
)
def test_a_condition(wanted: dict[str, str], holds: bool):
    """All of its patterns match one value each; those with `not` match none."""
    run = failed(
        HIDDEN.format(5, 2),
        layer=layer("GRU", (2, 5, 4)),
        operands=takes((2, 5, 4)),
        traceback='  File "snippet.py", line 1\n  File "/t/module.py", line 2\n'
        '  File "/t/rnn.py", line 3\n',
    )
    facts = facts_of(("RuntimeError", HIDDEN.format(5, 2)), run)

    assert Condition(1, tuple(wanted.items())).holds(facts) is holds


def test_a_pasted_error_is_known_by_its_words():
    """Without a run there are its families, its values and the files of its traceback."""
    facts = facts_of(
        ("RuntimeError", HIDDEN.format(5, 2)), traceback='  File "C:\\torch\\nn\\rnn.py", line 3\n'
    )

    assert set(facts["family"]) == {"rnn_hidden_size"}
    assert list(facts["file"]) == ["rnn.py"]
    assert not facts["run"]
    assert "layer" not in facts


@pytest.mark.parametrize(
    ("wanted", "facts", "holds"),
    [
        ({"layer": "GRU"}, {"layer": ("GRU",)}, True),
        ({"layer": "GRU"}, {"layer": ("LSTM",)}, False),
        ({"layer": "GRU"}, {"layer": ()}, False),  # a run saw that there was none
        ({"layer": "GRU"}, {}, True),  # nobody saw it
        ({"not layer": "GRU"}, {"layer": ("GRU",)}, False),
        ({"layer": "GRU", "run": "yes"}, {"run": ()}, False),
    ],
)
def test_a_remedy_is_left_out_where_what_is_known_excludes_it(
    wanted: dict[str, str], facts: dict[str, tuple[str, ...]], holds: bool
):
    """What is not known excludes nothing: an error that was pasted has no run beside it."""
    assert Condition(1, tuple(wanted.items())).may_hold(facts) is holds


@pytest.mark.parametrize(
    ("error", "told", "untold"),
    [
        ("module 'torch.nn' has no attribute 'Conv2D'", "print([name", "`x.clone()`"),
        ("'Tensor' object has no attribute 'astype'", "`x.clone()`", "print([name"),
        (
            "module 'torch' has no attribute 'scatter_'",
            "ends in an underscore is a method",
            "`AdamW`",
        ),
    ],
)
def test_of_a_fix_only_what_is_about_this_error_is_told(error: str, told: str, untold: str):
    """An article that answers many errors has advice for each, and shows that for one."""
    article = ARTICLES["no-such-name-in-torch"]
    remedy = article.remedy(facts_of(("AttributeError", error)))

    assert told in remedy
    assert untold not in remedy
    assert {told in article.remedy(), untold in article.remedy()} == {True}


def test_a_piece_is_a_paragraph_with_what_follows_it():
    """Code, lists and tables belong to the sentence before them, blank lines in a fence too."""
    text = "One:\n\n```python\na = 1\n\nb = 2\n```\n\n- x\n- y\n\nTwo.\n\nThree."

    first, *others = pieces_of(text)

    assert first.endswith("- x\n- y")
    assert others == ["Two.", "Three."]


@pytest.mark.parametrize(
    "article", [a for a in ARTICLES.values() if a.why_if or a.fix_if], ids=lambda a: a.slug
)
def test_conditions_name_known_facts(article: Article):
    """A misspelt fact would keep its paragraph from ever being told."""
    values = {name for family in all_families() for name in family.values}
    for condition in (*article.why_if, *article.fix_if):
        for fact, _ in condition.wanted:
            assert fact.removeprefix("not ") in {*NAMES, *values, *DERIVED}


@pytest.mark.parametrize("article", ARTICLES.values(), ids=lambda a: a.slug)
def test_a_reason_that_is_always_told_names_no_frequent_cause(article: Article):
    """What mostly causes an error is not what caused this one."""
    if article.is_silent or any(c.paragraph == 1 for c in article.why_if):
        return
    reason = article.reason({"run": ("yes",)})

    assert not re.search(r"(?:^|[.;] )(?:Mostly|Often|Typical|The usual)\b", reason), reason
