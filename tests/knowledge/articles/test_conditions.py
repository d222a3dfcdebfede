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

# Values that a family computes.
DERIVED = (
    *("extra", "negative", "swapped", "batches_differ", "same", "lacks", "more", "open"),
    "prefix",
    "heads",
    "marked",
    "wanted",
)


COVARIANCE = (
    "ValueError: Expected parameter covariance_matrix (Tensor of shape (2, 2)) of distribution "
    "MultivariateNormal() to satisfy the constraint PositiveDefinite(), but found invalid values:\n"
    "tensor([[1., 1.], [1., 1.]])"
)
COUNT = "function FBackward returned an incorrect number of gradients (expected 2, got 1)"
SUBSCRIPT = (
    "einsum(): subscript b has size 8 for operand 1 which does not broadcast with previously seen "
    "size 4"
)
ANOTHER = "with the letters of one of them in another order it would fit"
SCRIPTED = "Expected a value of type 'Tensor' for argument 'self' but instead found type '{}'."
STRIDE = (
    "conv2d() received an invalid combination of arguments - got (Tensor, float), but expected one "
    "of: ...\n      didn't match because some of the arguments have invalid types: (Tensor, {})\n"
)


def explained(message: str, text: str) -> JobResult:
    """A run that raised this, and of whose live values this was said."""
    told = Explanation(family="any", text=text)
    return failed(message).model_copy(update={"explanation": told})


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
STACKED = (
    "RuntimeError: stack expects each tensor to be equal size, but got {} at entry 0 and {} at "
    "entry 1"
)
KEYS = "RuntimeError: Error(s) in loading state_dict for Net:\n\t"
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
        ("einsum-subscript-sizes", explained(SUBSCRIPT, f"8 and 4; {ANOTHER}."), "turns nothing"),
        ("einsum-subscript-sizes", explained(SUBSCRIPT, "`b` is 8 and 4."), "!turns nothing"),
        ("script-takes-untyped-arguments-for-tensors", failed(SCRIPTED.format("int")),
         "without an annotation"),
        ("script-takes-untyped-arguments-for-tensors", failed(SCRIPTED.format("Optional[int]")),
         ""),
        ("number-or-array-where-a-tensor-is-wanted", failed(STRIDE.format("float"), "TypeError"),
         "Functions of torch"),
        ("number-or-array-where-a-tensor-is-wanted",
         failed(STRIDE.format("!tuple of (bool, bool)!"), "TypeError"), ""),
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
    ("slug", "error", "told", "untold"),
    [
        ("no-such-name-in-torch", "AttributeError: module 'torch.nn' has no attribute 'Conv2D'",
         "print([name", "`x.clone()`"),
        ("no-such-name-in-torch", "AttributeError: 'Tensor' object has no attribute 'astype'",
         "`x.clone()`", "print([name"),
        ("no-such-name-in-torch", "AttributeError: module 'torch' has no attribute 'scatter_'",
         "ends in an underscore is a method", "`AdamW`"),
        ("no-such-name-in-torch", "ImportError: cannot import name 'x' from 'torch.nn' (a.py)",
         "print([name", "ends in an underscore is a method"),
        # An article of several families.
        ("attention-sizes", "AssertionError: embed_dim must be divisible by num_heads",
         "heads that divide", "If the sizes in the message"),
        ("attention-sizes", "AssertionError: " + MASK.format(3, 5),
         "If the sizes in the message", "heads that divide"),
        ("attention-sizes", "RuntimeError: The shape of the 3D attn_mask is "
         "torch.Size([16, 12, 12]), but should be (64, 12, 12).", "",
         "If the sizes in the message"),
        ("distribution-with-an-invalid-parameter", COVARIANCE, "", "Against NaN"),
        ("custom-function-returns-too-few-gradients", explained(COUNT, "it returns 1 values."),
         "factor, None", ""),
        ("custom-function-returns-too-few-gradients", explained(COUNT, "it returns nothing: x"),
         "", "factor, None"),
        ("einsum-subscript-sizes", f"RuntimeError: {SUBSCRIPT}", "Write the letters", ""),
        ("einsum-subscript-sizes", explained(SUBSCRIPT, f"8 and 4; {ANOTHER}."),
         "Write the letters", ""),
        ("einsum-subscript-sizes", explained(SUBSCRIPT, "`b` is 8 and 4."), "Print both shapes",
         "Write the letters"),
        ("backward-without-a-graph",
         "RuntimeError: One of the differentiated Tensors does not require grad",
         "requires_grad=True)`", "Print `requires_grad`"),
        ("cat-sizes", "RuntimeError: Tensors must have same number of dimensions: got 2 and 1",
         "one dimension less", "Join along"),
        ("cat-sizes",
         "RuntimeError: zero-dimensional tensor (at position 0) cannot be concatenated",
         "Numbers alone", "one dimension less"),
        ("class-target-dtype",
         "RuntimeError: expected target dtype to be Long or Byte, but got Float",
         "labels.long()", "For one-hot rows"),
        ("class-target-dtype",
         "RuntimeError: Expected object of scalar type Long but got scalar type Float for argument "
         "#2 'target' in call to _thnn_nll_loss_forward", "For one-hot rows", "both `[N]`"),
        ("cross-entropy-target-shape",
         "ValueError: Expected input batch_size (8) to match target batch_size (4).",
         "If a `view(", "A mask of shape"),
        ("cross-entropy-target-shape",
         "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of "
         "dimension: 4", "A mask of shape", "For sequences"),
        ("gather-index-shape",
         "RuntimeError: Size does not match at dimension 0 expected index [5, 1] to be no larger "
         "than self [4, 3] apart from dimension 1", "give that one as `dim`", "Give the vector"),
        ("index-out-of-bounds", "IndexError: too many indices for tensor of dimension 1",
         "an index is too many", "Loops end too late"),
        ("index-tensor-of-the-wrong-dtype",
         "RuntimeError: scatter(): Expected self.dtype to be equal to src.dtype",
         "Bring the values", "Make the indices"),
        ("kernel-larger-than-input",
         "RuntimeError: Calculated padded input size per channel: (3 x 3). Kernel size: (5 x 5). "
         "Kernel size can't be greater than actual input size", "Follow the sizes", "last pooling"),
        ("mask-or-value-shape",
         "IndexError: The shape of the mask [3] at index 0 does not match the shape of the indexed "
         "tensor [4, 3] at index 0", "`x[:, mask]`", "Make the value"),
        ("non-leaf-tensor-in-optimizer",
         "TypeError: optimizer can only optimize Tensors, but one of the params is "
         "Module.parameters", "make one flat list", "First compute"),
        ("normalization-size",
         "RuntimeError: Given normalized_shape=[3], expected input with shape [*, 3], but got "
         "input of size[4, 5]", "nn.LayerNorm(5)", "In a chain"),
        ("packed-lengths-tensor",
         "RuntimeError: Length of all samples has to be greater than 0, but found an element in "
         "'lengths' that is <= 0", "Take out empty", "A mask becomes"),
        ("rnn-hidden-state-size",
         "RuntimeError: For unbatched 2-D input, hx should also be 2-D but got 3-D tensor",
         "`state[:, 0]`", "Take the batch"),
        ("rnn-hidden-state-size",
         "RuntimeError: For batched 3-D input, hx should also be 3-D but got 2-D tensor",
         "Take the batch", "`state[:, 0]`"),
        ("torch-without-cuda", "RuntimeError: Found no NVIDIA driver on your system",
         "`nvidia-smi`", "selector at pytorch.org"),
        ("torch-without-cuda", "AssertionError: Torch not compiled with CUDA enabled",
         "selector at pytorch.org", "`nvidia-smi`"),
        # The values in a message tell causes apart.
        ("batch-of-unequal-samples", STACKED.format("[4]", "[2]"), "Say yourself", "Images get"),
        ("batch-of-unequal-samples", STACKED.format("[3, 20, 20]", "[3, 30, 20]"),
         "Images get", "Say yourself"),
        ("bool-tensor-subtracted",
         "RuntimeError: Subtraction, the `-` operator, with two bool tensors is not supported. Use "
         "the `^` or `logical_xor()` operator instead.", "`a ^ b`", "use `~`"),
        ("bool-tensor-subtracted",
         "RuntimeError: Negation, the `-` operator, on a bool tensor is not supported. If you are "
         "trying to invert a mask, use the `~`", "use `~`", "`a ^ b`"),
        ("cat-of-one-tensor",
         "TypeError: stack(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor",
         "put them into a list", "If its entries"),
        ("cat-of-one-tensor",
         "TypeError: cat(): argument 'tensors' (position 1) must be tuple of Tensors, not "
         "generator",
         "tuple(images)", "leave the call out"),
        ("cat-sizes",
         "RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 4 but got "
         "size 3 for tensor number 1 in the list.", "Join along", "Feature maps"),
        ("cat-sizes",
         "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 32 but "
         "got size 31 for tensor number 1 in the list.", "Feature maps", "Numbers alone"),
        ("checkpoint-file-is-damaged",
         "RuntimeError: PytorchStreamReader failed locating file constants.pkl: file not found",
         "`torch.jit.load` looks", "Look at its size"),
        ("checkpoint-file-is-damaged", "UnpicklingError: invalid load key, '<'.",
         "Look at its size", "os.replace"),
        ("class-index-out-of-bounds", "IndexError: Target -1 is out of bounds.",
         "`ignore_index`", "labels - 1"),
        ("class-index-out-of-bounds", "IndexError: Target 3 is out of bounds.",
         "labels - 1", "`ignore_index`"),
        ("class-of-a-saved-model-is-missing",
         "AttributeError: Can't get attribute 'Net' on <module 'models.net' from 'models/net.py'>",
         "another file may hide", "In a web server"),
        ("collate-of-none-or-objects",
         "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or "
         "lists; found <class 'PIL.Image.Image'>", "`transforms.ToTensor()`", "skip_missing"),
        ("collate-of-none-or-objects",
         "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or "
         "lists; found <class 'NoneType'>", "skip_missing", "`transforms.ToTensor()`"),
        ("conv-input-channels", "RuntimeError: " + CHANNELS, "Another number", "Channels last"),
        ("conv-input-channels",
         "RuntimeError: Given groups=1, weight of size [8, 3, 3, 3], expected input[4, 32, 32, 3] "
         "to have 3 channels, but got 32 channels instead", "Channels last", "No dimension"),
        ("conv-input-channels",
         "RuntimeError: Given groups=1, weight of size [8, 1, 3, 3], expected input[1, 32, 28, 28] "
         "to have 1 channels, but got 32 channels instead", "No dimension", "Never use `view`"),
        ("conv-input-channels",
         "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of "
         "size: [2, 3, 1, 28, 28]", "dimension too many", "dimension is missing"),
        ("distribution-with-an-invalid-parameter",
         "ValueError: Expected parameter loc (Tensor of shape (1,)) of distribution Normal(loc: "
         "tensor([nan]), scale: tensor([1.])) to satisfy the constraint Real(), but found invalid "
         "values", "Against NaN", "Make a deviation"),
        ("gradient-is-nan",
         "RuntimeError: Function 'LogBackward0' returned nan values in its 0th output.",
         "A logarithm", "A root"),
        ("gradient-is-nan",
         "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.",
         "A root", "A division"),
        ("gradient-of-a-result-is-not-kept",
         "AttributeError: 'NoneType' object has no attribute 'zero_'",
         "`w` is a result", "retain_grad"),
        ("grid-sample-coordinates-last",
         "RuntimeError: grid_sampler(): expected grid to have size 2 in last dimension, but got "
         "grid with sizes [1, 2, 4, 5]", "Move the coordinates", "One matrix"),
        ("index-out-of-bounds",
         "IndexError: index 0 is out of bounds for dimension 0 with size 0",
         "an empty tensor", "Loops end too late"),
        ("input-and-weights-on-two-devices",
         "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) "
         "should be the same", "Move the model", "Move the batch"),
        ("input-and-weights-on-two-devices",
         "RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) "
         "should be the same", "Move the batch", "Move the model"),
        ("keyword-the-function-does-not-take",
         "TypeError: Adam.__init__() got an unexpected keyword argument 'learning_rate'",
         "of an optimizer: `lr`", "Leave `verbose` out"),
        ("lambda-sent-to-a-worker", "TypeError: cannot pickle '_thread.lock' object",
         "An open file", "functools.partial"),
        ("lambda-sent-to-a-worker", "PicklingError: " + PICKLED,
         "functools.partial", "defined in a notebook"),
        ("library-built-for-another-torch",
         "RuntimeError: operator torch_sparse::hgt_sample does not exist",
         "operator of another library", "Remove both"),
        ("list-or-function-among-modules", "TypeError: list is not a Module subclass",
         "by a star", "In place of a function"),
        ("list-or-function-among-modules",
         "TypeError: torch.nn.modules.activation.ReLU is not a Module subclass",
         "its brackets", "by a star"),
        ("loss-target-size", "ValueError: " + SIZE.format([8, 1], [8]),
         "`labels.squeeze(1)`", "labels.unsqueeze(1)"),
        ("loss-target-size", "ValueError: " + SIZE.format([8], [8, 1]),
         "labels.unsqueeze(1)", "`labels.squeeze(1)`"),
        ("loss-target-size", "ValueError: " + SIZE.format([8], [8, 3]),
         "Several scores", "labels.unsqueeze(1)"),
        ("matmul-inner-sizes",
         "RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x16 and 7x16)",
         "turn that side", "only you can say"),
        ("matmul-inner-sizes",
         "RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x16 and 7x9)",
         "If no other dimension", "turn that side"),
        ("matmul-inner-sizes", "RuntimeError: size mismatch, m1: [4 x 10], m2: [84 x 7] at a:1",
         "If no other dimension", "turn that side"),
        ("matmul-inner-sizes", "RuntimeError: size mismatch, m1: [4 x 10], m2: [84 x 10] at a:1",
         "turn that side", "only you can say"),
        ("matmul-inner-sizes", "RuntimeError: " + BATCHES.format(2, 3, 4),
         "repeats a single matrix", "turn that side"),
        ("matrix-product-of-two-dtypes",
         "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half",
         "half precision meets", "Convert once"),
        ("matrix-product-of-two-dtypes",
         "RuntimeError: Input type (float) and bias type (double) should be the same",
         "`model.double()`", "Convert once"),
        ("method-takes-fewer-arguments-than-given",
         "TypeError: Net.forward() takes 1 positional argument but 2 were given",
         "`forward` of a module", "class Rows"),
        ("number-or-array-where-a-tensor-is-wanted",
         "TypeError: maximum(): argument 'other' (position 2) must be Tensor, not float",
         "`x.clamp(min=0.0)`", "`math.cos(angle)`"),
        ("number-or-array-where-a-tensor-is-wanted",
         "TypeError: sin(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
         "Turn an array", "`x.clamp(min=0.0)`"),
        ("number-or-array-where-a-tensor-is-wanted",
         "TypeError: conv2d() received an invalid combination of arguments - got (list, Parameter, "
         "NoneType, tuple, tuple, tuple, int), but expected one of: ...",
         "`torch.stack(tensors)`", "Turn an array"),
        ("ragged-or-mixed-list-to-tensor",
         "ValueError: expected sequence of length 2 at dim 1 (got 1)", "pad_sequence", "Words:"),
        ("resize-of-another-number-of-dimensions",
         "ValueError: Input and output must have the same number of spatial dimensions, but got "
         "input with spatial dimensions of [3, 4, 5] and output size of (8, 8).",
         "dimension too many", "Add the batch"),
        ("rnn-input-size",
         "RuntimeError: input.size(-1) must be equal to input_size. Expected 10, got 5",
         "turn the input", "For one number"),
        ("rnn-input-size",
         "RuntimeError: input.size(-1) must be equal to input_size. Expected 1, got 5",
         "For one number", "x.flatten(2)"),
        ("scores-given-to-bce-loss",
         "RuntimeError: all elements of target should be between 0 and 1",
         "Labels have to", "nn.BCEWithLogitsLoss()"),
        ("stack-of-lists-or-arrays",
         "TypeError: expected Tensor as element 0 in argument 0, but got numpy.ndarray",
         "np.stack(arrays)", "Lists of one length"),
        ("state-dict-keys", KEYS + 'Missing key(s) in state_dict: "fc.weight".',
         "only missing", "key.removeprefix"),
        ("state-dict-keys",
         KEYS + 'Missing key(s) in state_dict: "fc.weight". \n\tUnexpected key(s) in state_dict: '
         '"module.fc.weight".', "key.removeprefix", "`model.module.load_state_dict"),
        ("state-dict-keys",
         KEYS + 'Missing key(s) in state_dict: "module.fc.weight". \n\tUnexpected key(s) in '
         'state_dict: "fc.weight".', "`model.module.load_state_dict", "key.removeprefix"),
        ("state-dict-keys",
         KEYS + "size mismatch for fc.bias: copying a param with shape torch.Size([3]) from "
         "checkpoint, the shape in current model is torch.Size([2]).",
         "the sizes in the file", "only missing"),
        ("truth-value-of-several-elements",
         "RuntimeError: Boolean value of Tensor with no values is ambiguous",
         "x.numel()", "Say which"),
        ("view-invalid-for-size",
         "RuntimeError: shape '[-1, 800]' is invalid for input of size 2048",
         "Do not write `view(-1", "not sure of by `-1`"),
        ("view-invalid-for-size",
         "RuntimeError: shape '[32, 800]' is invalid for input of size 2048",
         "not sure of by `-1`", "Do not write `view(-1"),
        ("weights-only-load-failed",
         "UnpicklingError: Weights only load failed. WeightsUnpickler error: Unsupported "
         "operand 60",
         "download it again", "read it once"),
        ("weights-only-load-failed",
         "UnpicklingError: Weights only load failed. WeightsUnpickler error: Unsupported global: "
         "GLOBAL numpy.core.multiarray.scalar was not an allowed global by default.",
         "allow that class", "read it once"),
        # What a run showed.
        ("conv-setting-with-too-many-numbers",
         failed("expected stride to be a single integer value or a list of 1 values to match the "
                "convolution dimensions, but got stride=[2, 2]"),
         "Give a single number", "If the layer is right"),
        ("linear-input-size",
         failed("mat1 and mat2 shapes cannot be multiplied (8x16 and 32x4)",
                layer=layer("Linear", (8, 16))), "nn.Linear(576, 10)", ".flatten(1)"),
        ("linear-input-size",
         failed("mat1 and mat2 shapes cannot be multiplied (8x16 and 32x4)",
                layer=layer("Linear", (4, 2, 16))), ".flatten(1)", ""),
        ("rnn-returns-a-tuple",
         failed("linear(): argument 'input' (position 1) must be Tensor, not tuple", "TypeError",
                traceback='  File "snippet.py", line 9\n  File "/torch/linear.py", line 3\n'),
         "Unpack it", "In `nn.Sequential`"),
        ("rnn-hidden-state-size",
         failed(HIDDEN.format(5, 2), layer=layer("GRU", (2, 5, 4), "GRU(4, 8, batch_first=True)")),
         "Take the batch", "make it with `batch_first=True`"),
        ("iterator-at-its-end", failed("", "StopIteration", code="next(self.parameters())"),
         "`x.device`", "let the `for` loop"),
        ("iterator-at-its-end", failed("", "StopIteration", code="next(batches)"),
         "let the `for` loop", "`x.device`"),
        ("transformer-padding-mask-without-batch-first",
         failed(MASK.format(6, 3), "AssertionError", layer=layer("MultiheadAttention", (3, 6, 8))),
         "Say that your batch", ""),
        ("transformer-padding-mask-without-batch-first",
         failed(MASK.format(3, 5), "AssertionError", layer=layer("MultiheadAttention", (3, 6, 8))),
         "", "Say that your batch"),
        ("transformer-padding-mask-without-batch-first",  # what it was given is not known
         failed(MASK.format(3, 5), "AssertionError", layer=Layer(
             name="self.l", type="MultiheadAttention", repr="", line=1, input=None, dtype=None)),
         "Say that your batch", ""),
        ("tensor-called-like-a-function",
         failed("'Tensor' object is not callable", "TypeError", code="loss(out, y)"),
         "took the name", "square brackets"),
        ("in-place-overwrites-saved",
         failed(SAVED, autograd=Culprit(modified_code="y += 1")),
         "write into a copy", "nn.ReLU"),
        ("scores-given-to-bce-loss",
         failed("all elements of input should be between 0 and 1",
                explanation=Explanation(family="", text="`p` holds NaN")),
         "", "nn.BCEWithLogitsLoss()"),
    ],
)  # fmt: skip
def test_of_a_fix_only_what_is_about_this_error_is_told(
    slug: str, error: str | JobResult, told: str, untold: str
):
    """An article that answers many errors has advice for each, and shows that for one."""
    article = ARTICLES[slug]
    if isinstance(error, str):
        kind, _, message = error.partition(": ")
        facts = facts_of((kind, message))
    else:
        assert error.error is not None
        facts = facts_of((error.error.type, error.error.message), error)
    remedy = article.remedy(facts)

    assert told in remedy
    assert not untold or untold not in remedy
    assert told in article.remedy() and untold in article.remedy()


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
