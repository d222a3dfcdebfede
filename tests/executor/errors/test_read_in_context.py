"""What a message's sizes and the words around it choose among its sentences."""

from __future__ import annotations

import pytest

from bot.models import PastedTraceback
from executor.errors import read_words
from executor.errors.around import Around
from executor.protocol import Construct

SIZES = (
    "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}"
)
CAT = (
    "Sizes of tensors must match except in dimension 1. Expected size {} but got size {} for "
    "tensor number 1 in the list."
)
ALLOCATE = (
    "[enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate memory: you "
    "tried to allocate {} bytes"
)
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
DEVICES = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
)
SECOND = (
    "one of the variables needed for gradient computation has been modified by an inplace operation"
)
KEYS = 'Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "a.weight". '
SMALL = "Given input size: (3 x 32 x 3). Calculated output size: (6 x 28 x -1)."
TARGETS = "only batches of spatial targets supported (3D tensors) but got targets of size: : {}"
VIEW = "shape '[{}]' is invalid for input of size {}"
FLAT = "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: {}"
LOSS = (
    "Using a target size (torch.Size({})) that is different to the input size (torch.Size({})) is "
    "deprecated. Please ensure they have the same size."
)
BATCH = "Expected input batch_size ({}) to match target batch_size ({})."
ROW = "index out of range in self"
INDEX = "expecting vector of indices at /x/torch/lib/THC/generic/THCTensorIndex.cu:405"
GATHER = "Index tensor must have the same number of dimensions as input tensor"
OBJECTS = "can't convert np.ndarray of type numpy.object_"
CHANNELS = (
    "Given groups=1, weight of size [8, {0}, 3, 3], expected input[2, {1}, 9, 9] to have {0} "
    "channels, but got {1} channels instead"
)
COLLATE = "default_collate: batch must contain tensors, numpy arrays, numbers; found <class '{}'>"
STACK = "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry 1"
FIVE = (
    "Expected 4-dimensional input for 4-dimensional weight [8, 1, 3, 3], but got 5-dimensional "
    "input of size {} instead"
)
EXPAND = (
    "expand(torch.FloatTensor{{{}}}, size={}): the number of sizes provided (1) must be greater or "
    "equal to the number of dimensions in the tensor (3)"
)
RESIZED = (
    "Error(s) in loading state_dict for Net:\n\tsize mismatch for {}.weight: copying a param with "
    "shape torch.Size([{}]) from checkpoint, the shape in current model is torch.Size([{}])."
)
NO_ROOM = "CUDA out of memory. Tried to allocate 2.00 GiB"
INTS = "expected scalar type Long but found Int"
SCHEDULE = "UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`."
FORK = "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing"


@pytest.mark.parametrize(
    ("message", "words", "told", "is_told"),
    [
        (SIZES.format(734, 512, 1), "I fine-tune BERT", "734 most likely meets 512 learned", True),
        (SIZES.format(734, 512, 1), "two images", "learned positions", False),  # no language model
        (SIZES.format(512, 734, 1), "I fine-tune BERT", "learned positions", False),  # it fits
        (SIZES.format(734, 500, 1), "I fine-tune BERT", "learned positions", False),  # no limit
        (SIZES.format(38, 37, 3), "a U-Net with skip connections", "differ by 1", True),
        (SIZES.format(38, 37, 0), "a U-Net with skip connections", "differ by", False),  # batch
        (SIZES.format(38, 30, 3), "a U-Net with skip connections", "differ by", False),
        (SIZES.format(4, 3, 0), "", "an alpha channel", True),
        (SIZES.format(3, 4, 0), "", "an alpha channel", False),
        (CAT.format(47, 46), "my U-Net", "47 and 46 differ by 1", True),
        (CAT.format(47, 46), "", "skip connection", False),
        (CAT.format(47, 23), "", "differ by", False),
        (ALLOCATE.format(12416), "", "12416 bytes (12.1 KB) are only the last", True),
        (ALLOCATE.format(4 * 10**12), "", "One tensor of 3.64 TB is asked for", True),
        (ALLOCATE.format(4 * 10**12), "", "only the last", False),
        (NO_GRAPH, "the second derivative of u", "create_graph=True", True),
        (NO_GRAPH, "loss.backward() fails", "create_graph", False),
        (DEVICES, "it stops at exp_avg.mul_(beta1)", "The optimizer joins", True),
        (DEVICES, "it stops in forward", "The optimizer joins", False),
        (SECOND, "netG and netD in turns", "of one network, then of the other", True),
        (SECOND, "one network", "of one network", False),
        (KEYS, "Unexpected key(s) in state_dict: 'epoch', 'net'", "a whole checkpoint", True),
        (KEYS, "Unexpected key(s) in state_dict: 'fc.weight'", "a whole checkpoint", False),
        (SMALL, "it prints torch.Size([4, 32, 32, 3])", "permute(0, 3, 1, 2)", True),
        (SMALL, "it prints torch.Size([4, 3, 32, 32])", "permute", False),
        (TARGETS.format("[2, 7, 9, 9]"), "", "dimension 1 has 7 entries", True),
        (TARGETS.format("[2, 1, 9, 9]"), "", "`target.squeeze(1)` takes", True),
        (LOSS.format("[8]", "[8, 3]"), "", "scores of 3 classes", True),
        (LOSS.format("[8]", "[8, 1]"), "", "scores of", False),
        (LOSS.format("[8, 1]", "[16, 1]"), "", "2 times as many rows", True),
        (LOSS.format("[16, 1]", "[8, 1]"), "", "times as many rows", False),
        ("grad can be implicitly created only for scalar outputs", "", "loss.mean()", True),
        (VIEW.format("64, 784", 150528), "", "a factor of 3 is mostly", True),
        (VIEW.format("64, 784", 50000), "", "a factor of 3", False),
        (VIEW.format("-1, 784", 150529), "", "a factor of 3", False),
        (FLAT.format("[64, 784]"), "", "784 is 28 * 28", True),
        (FLAT.format("[64, 785]"), "", " is 28", False),
        (FORK, "in a celery task", "--pool=solo", True),
        (FORK, "under gunicorn", "post_fork", True),
        (FORK, "in my dataset", "set_start_method", True),
        ("expected np.ndarray (got tuple)", "s = env.reset()", "obs, info = env.reset()", True),
        ("too many values to unpack (expected 4)", "env.step(action)", "terminated, trunc", True),
        ("too many values to unpack (expected 3)", "env.step(action)", "terminated", False),
        ("Cannot handle this data type: (1, 1, 512), |u1", "", "it is 512 here", True),
        ("Cannot handle this data type: (1, 1, 3), <f4", "", "gets float32", True),
        ("Cannot handle this data type: (1, 1), |i1", "", "it is", False),
        ("'Engine' object has no attribute 'modl'. Did you mean: 'model'?", "", "`.model`", True),
        (BATCH.format(12, 3), "the output is [3, 12, 8, 8]", "12 is the second dimension", True),
        (BATCH.format(12, 3), "the output is [3, 5, 12, 8]", "second dimension", False),
        (BATCH.format(12, 3), "the image is [3, 12, 8, 8]", "second dimension", False),
        (KEYS, "the names begin with _orig_mod. there", "`torch.compile(model)` puts", True),
        (KEYS, "the names are others", "`torch.compile(model)` puts", False),
        (
            f'{KEYS}Unexpected key(s) in state_dict: "b"',
            "no _orig_mod. left",
            "torch.compile(",
            False,
        ),
        (f'{KEYS}Unexpected key(s) in state_dict: "_orig_mod.a.weight"', "", "removeprefix", True),
        (KEYS.replace("a.w", "_orig_mod.a.w"), "", "_orig_mod.load_state_dict", True),
        (
            KEYS.replace("a.w", "_orig_mod.a.w"),
            "_orig_mod. is new",
            "_orig_mod.load_state_dict",
            True,
        ),
        (KEYS, "", "names of another model, or of another version of it, build", True),  # if so
        (ROW, "it comes with longer texts", "cut the text to what the model takes", True),
        (ROW, "my ids are torch.long, no longer int", "cut the text", False),
        (ROW, "it comes with longer texts", "resize_token_embeddings", False),  # rows untrained
        (INDEX, "", "x[i.view(-1)]", True),
        (INDEX, "", ".item()", False),  # came with 0.4
        (GATHER, "idx = torch.nonzero(a == 1)", "is no index for gather", True),
        (GATHER, "r, c = torch.nonzero(a == 1, as_tuple=True)", "is no index", False),
        (OBJECTS, "array([array([1., 2.]), array([3., 4.])], dtype=object)", "np.stack", True),
        (OBJECTS, "array(['a', 2.5], dtype=object)", "np.stack", False),
        (CHANNELS.format(280, 536), "", "280 is 256 + 24, and 536 is 512 + 24", True),
        (CHANNELS.format(256, 512), "", " is 256 + ", False),  # nothing is joined
        (CHANNELS.format(320, 576), "", " is 256 + ", False),  # 64 is a width itself
        (CHANNELS.format(3, 1), "", "+", False),
        (COLLATE.format("shop.data.PictureDataset"), "", "gives a whole dataset", True),
        (COLLATE.format("PIL.Image.Image"), "", "whole dataset", False),
        (NO_GRAPH, "I added pred.detach() to mend it", "you put in a `detach`", True),
        (NO_GRAPH, "I removed the detach() and it stays", "you put in", False),
        (SCHEDULE, "scaler.step(opt) stands before it", "is what steps the optimizer", True),
        (SCHEDULE, "opt.step() stands before it", "is what steps", False),
        (LOSS.format("[2, 9, 8, 8]", "[2, 6, 8, 8]"), "", "differ in dimension 1 alone", True),
        (LOSS.format("[2, 9, 8, 7]", "[2, 6, 8, 8]"), "", "differ in dimension 1 alone", False),
        (LOSS.format("[2, 1, 8, 8]", "[2, 6, 8, 8]"), "", "target.squeeze(1).long()", True),
        (LOSS.format("[2, 6, 8, 8]", "[2, 1, 8, 8]"), "", "target.squeeze(1).long()", False),
        (STACK.format("[3, 5]", "[1, 1]"), "", "b.expand(3, 1)", True),
        (STACK.format("[3, 5]", "[3, 1]"), "", "expand", False),
        (CHANNELS.format(3, 1).replace("2, 1, 9", "3, 1, 9"), "", "load them with", True),
        (FIVE.format("[4, 2, 1, 9, 9]"), "", "stands third", True),
        (FIVE.format("[4, 1, 2, 9, 9]"), "", "stands third", False),
        (FIVE.format("[1, 2, 1, 9, 9]"), "", "stands third", False),  # which of the two
        (EXPAND.format("[1, 6, 1]", "[6]"), "", "x.flatten()", True),
        (EXPAND.format("[2, 6, 1]", "[6]"), "", "x.flatten()", False),
        (EXPAND.format("[6]", "[]"), "best = q.max(1)", "gives a pair", True),
        (EXPAND.format("[6]", "[]"), "best = torch.max(q.data, axis=1)", "gives a pair", True),
        (EXPAND.format("[6]", "[]"), "best = q.max(1)[0]", "gives a pair", False),
        (EXPAND.format("[6]", "[]"), "best, _ = q.max(1)", "gives a pair", False),
        (EXPAND.format("[6]", "[]"), "best = torch.max(q, other)", "gives a pair", False),
        (RESIZED.format("tok_embed", "90, 8", "95, 8"), "", "the vocabulary is another", True),
        (RESIZED.format("tok_embed", "90, 8", "90, 9"), "", "the vocabulary is another", False),
        (RESIZED.format("head.fc", "1000, 8", "7, 8"), "", "model.head.fc = nn.Linear(8, 7)", True),
        (RESIZED.format("head.fc", "20, 8", "7, 8"), "", "1000 classes", False),
        (LOSS.format("[8, 1]", "[16, 1]"), "x = x.view(-1, 9)", "`x = x.view(-1, 9)` makes", True),
        (LOSS.format("[8, 1]", "[16, 1]"), "x = x.view(n, -1)", "makes as many rows", False),
        (BATCH.format(12, 3), "x = x.reshape(-1, 4 * 9)", "makes as many rows", True),
        (BATCH.format(12, 5), "x = x.reshape(-1, 4 * 9)", "makes as many rows", False),
        (NO_ROOM, "it stops during the validation", "Where only the evaluation", True),
        (NO_ROOM, "it stops in training", "Where only the evaluation", False),
        (NO_ROOM, "it stops after 700 iterations", "jumps, one batch is larger", True),
        (NO_ROOM, "it stops after a few epochs", "jumps, one batch is larger", True),
        (NO_ROOM, "it stops after loading", "jumps, one batch is larger", False),
        (NO_ROOM, "it stops in the first step", "jumps, one batch is larger", False),
        (KEYS.replace("a.w", "module.a.w"), "", "load into the model in it", True),
        (KEYS, "", "load into the model in it", False),
        (NO_GRAPH, "it fails after 7 epochs", "after steps in which it had one", True),
        (NO_GRAPH, "it fails in the 1st step", "after steps in which it had one", False),
        (INTS, "raised by cross_entropy", "int32 on Windows", True),
        (INTS, "raised by my layer", "int32 on Windows", False),
        (INTS.replace("Int", "Double"), "raised by cross_entropy", "int32 on Windows", False),
        ("KeyError: 4571", "a pandas table", "iloc", True),
        ("KeyError: 4571", "a vocabulary", "iloc", False),
    ],
)
def test_sizes_and_words_choose_what_is_said(message: str, words: str, told: str, is_told: bool):
    """A cause is named only where the message's own numbers, or the post, point to it."""
    is_typed = message.startswith(("KeyError", "UserWarning"))
    kind, _, text = message.partition(": ") if is_typed else ("", "", message)
    type_ = kind or next(
        (t for start, t in TYPES.items() if message.startswith(start)), "RuntimeError"
    )
    posted = PastedTraceback(type=type_, message=text, frames=())

    lines = [Construct(kind="call", name="", line=1, code=words)]
    reading = read_words(posted, Around(words=words), lines)

    assert reading is not None
    assert (told in f"{reading.means} {reading.remedy}") is is_told


TYPES = {
    "Using a target": "ValueError",
    "expected np": "TypeError",
    "too many": "ValueError",
    "Cannot handle": "TypeError",
    "Expected input": "ValueError",
    "index out": "IndexError",
    "can't convert": "TypeError",
    "default_collate": "TypeError",
}


@pytest.mark.parametrize(
    ("code", "is_one_object"),
    [
        ("w = torch.tensor(np.array(counts.values()))", True),
        ("w = torch.tensor(np.array(map(float, counts)))", True),
        ("w = torch.tensor(np.array(list(counts.values())))", False),
        ("w = torch.tensor(df[columns].values)", False),
    ],
)
def test_an_array_of_a_view_is_one_object(code: str, is_one_object: bool):
    """NumPy reads a dictionary's view as one object, and no list of its own helps then."""
    message = (
        "can't convert np.ndarray of type numpy.object_. The only supported types are: float64"
    )
    posted = PastedTraceback(type="TypeError", message=message, frames=())
    line = Construct(kind="call", name="np.array", line=1, code=code)

    reading = read_words(posted, Around(), [line])

    assert reading is not None
    assert ("holds one object" in reading.means) is is_one_object


@pytest.mark.parametrize(
    ("type_", "message", "line", "told", "is_told"),
    [
        (
            "RuntimeError",
            "inconsistent tensor sizes at /x/THC.cu:1",
            "y = cat((a, b), 0)",
            "torch.cat is",
            True,
        ),
        (
            "RuntimeError",
            "inconsistent tensor sizes at /x/THC.cu:1",
            "y = a + b",
            "torch.cat is",
            False,
        ),
        (
            "IndexError",
            "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
            "y = torch.cat((a, b), 1)",
            "unsqueeze(0)` gives it back",
            True,
        ),
        (
            "IndexError",
            "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
            "y = a.sum(1)",
            "unsqueeze(0)` gives it back",
            False,
        ),
        (
            "RuntimeError",
            "dimension 1 out of range of 0D tensor",
            "self.out = nn.Linear(a, n)",
            "made with a size of 0",
            True,
        ),
        (
            "RuntimeError",
            "dimension 1 out of range of 0D tensor",
            "y = x.sum(1)",
            "made with a size of 0",
            False,
        ),
        (
            "RuntimeError",
            "matrix and matrix expected",
            "x = self.fc1(x)",
            "flatten them before the layer",
            True,
        ),
        (
            "RuntimeError",
            "matrix and matrix expected",
            "x = torch.mm(a, b)",
            "flatten them before the layer",
            False,
        ),
        (
            "RuntimeError",
            "grad can be implicitly created only for scalar outputs",
            "g = torch.autograd.grad(y, x)",
            "grad_outputs",
            True,
        ),
        (
            "AttributeError",
            "'dict' object has no attribute '_metadata'",
            "net.state_dict(saved)",
            "load_state_dict is meant",
            True,
        ),
        (
            "AttributeError",
            "'dict' object has no attribute '_metadata'",
            "saved.shape",
            "load_state_dict is meant",
            False,
        ),
        (
            "ValueError",
            "operands could not be broadcast together with shapes (9,9,64) (3,) ",
            "a * b",
            "meet 64 channels",
            True,
        ),
        (
            "ValueError",
            "operands could not be broadcast together with shapes (9,9,4) (3,) ",
            "a * b",
            "channels",
            False,
        ),
    ],
)
def test_the_line_chooses_what_is_said(
    type_: str, message: str, line: str, told: str, is_told: bool
):
    """The line that the traceback quotes tells which of several operations it was."""
    posted = PastedTraceback(type=type_, message=message, frames=())

    reading = read_words(posted, Around(line=line))

    assert reading is not None
    assert (told in f"{reading.means} {reading.remedy}") is is_told


@pytest.mark.parametrize(
    ("function", "is_weight"),
    [("ReluBackward0", False), ("TBackward0", True), ("ViewBackward0", None)],
)
def test_what_made_a_tensor_tells_whether_it_is_a_weight(function: str, is_weight: bool | None):
    """The result of an activation is none; of a view it is not known."""
    message = (
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [torch.FloatTensor [2, 3]], which is output 0 of {function}, is at version 1; "
        "expected version 0 instead."
    )
    reading = read_words(PastedTraceback(type="RuntimeError", message=message))

    assert reading is not None
    assert ("It is no weight" in reading.means) is (is_weight is False)
    assert ("optimizer.step() changed the weights" in reading.means) is (is_weight is True)


def test_weights_inside_a_pickle_are_read_by_an_unpickler():
    """map_location of the outer load does not reach them."""
    message = (
        "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False."
    )
    lines = [
        Construct(kind="call", name="pickle.load", line=1, code="a = pickle.load(f)"),
        Construct(kind="call", name="torch.load", line=2, code="torch.load(f, map_location='cpu')"),
    ]
    posted = PastedTraceback(type="RuntimeError", message=message)

    written = Construct(kind="call", name="pk.dump", line=1, code="pk.dump(a, f)")
    both, one = read_words(posted, Around(), lines), read_words(posted, Around(), lines[1:])
    other = read_words(posted, Around(), [written, lines[1]])

    assert both is not None and "Unpickler" in both.remedy
    assert other is not None and "Unpickler" in other.remedy
    assert one is not None and "Unpickler" not in one.remedy


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("net = Net().to(rank)", "", {"of that number"}),
        ("x = x.to(0)", "", {"of that number"}),
        ("loader = it(data)", "DataLoader(d, pin_memory=True)", {"pin_memory=False"}),
        ("loader = it(data)", "DataLoader(d, pin_memory=False)", set()),
        ("s = torch.cuda.Stream()", "", set()),
    ],
)
def test_pinned_memory_is_named_only_where_it_is_asked_for(line: str, code: str, told: set[str]):
    """A number for a device asks for a GPU as well."""
    posted = PastedTraceback(
        type="RuntimeError",
        message="Cannot access accelerator device when none is available.",
        frames=(),
    )
    lines = [Construct(kind="call", name="", line=1, code=code)]
    reading = read_words(posted, Around(line=line), lines)

    assert reading is not None and "is_available()" in reading.remedy
    said = {t for t in ("of that number", "pin_memory=False") if t in reading.remedy}
    assert said == told


@pytest.mark.parametrize(
    ("type_", "message", "advice"),
    [
        ("UserWarning", "paint is deprecated. Use torch.draw instead.", "Write `torch.draw`"),
        ("UserWarning", "invalid index of a 0-dim tensor. Use tensor.item()", "`.item()`"),
        ("UserWarning", "something else is odd", ""),
        ("UserWarning", "switch to torch.sign instead of the old one", "Write `torch.sign`"),
    ],
)
def test_a_warning_names_what_to_write(type_: str, message: str, advice: str):
    """Or an error of the same words does; and it is told as a warning all the same."""
    reading = read_words(PastedTraceback(type=type_, message=message))

    assert reading is not None and "no error" in reading.means
    assert advice in reading.remedy and bool(advice) is bool(reading.remedy)


def test_the_first_key_of_an_old_message_is_not_called_the_only_one():
    """torch 0.1 to 0.3 stopped at the first one."""
    error = PastedTraceback(
        type="KeyError", message="'unexpected key \"module.fc.weight\" in state_dict'"
    )
    reading = read_words(error)

    assert reading is not None
    assert "at least 1 such" in reading.means and "removeprefix" in reading.remedy


@pytest.mark.parametrize(
    ("message", "told", "is_told"),
    [
        ("__call__() missing 1 required positional argument: 'mask'", "type(x).__module__", True),
        ("forward() missing 1 required positional argument: 'target'", "`criterion(output", True),
        ("forward() missing 1 required positional argument: 'x'", "`criterion(output", False),
        ("step() missing 1 required positional argument: 'closure'", "type(x)", False),
    ],
)
def test_what_is_called_without_an_argument(message: str, told: str, is_told: bool):
    """An object of another class, a loss without its target, or something else."""
    reading = read_words(PastedTraceback(type="TypeError", message=message))

    assert reading is not None
    assert (told in reading.remedy) is is_told


COLLATE_FRAMES = "dataloader.py default_collate\nfunctional.py stack"
CUDA = "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor"
PAIR = "'tuple' object has no attribute 'cuda'"
SURPLUS = "forward() takes {} positional arguments but {} were given"
PARALLEL = "parallel_apply.py _worker\nmodule.py _call_impl\nnet.py forward"
GPUS = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
SIDES = "Expected input batch_size ({}) to match target batch_size ({})."
OTHER = "Expected object of backend CPU but got backend CUDA for argument #2 'other'"
MIXED = (
    "mul_ received an invalid combination of arguments - got (torch.cuda.FloatTensor), but "
    "expected one of:\n * (float value)\n * (torch.FloatTensor other)"
)
OF_CUDA = MIXED.replace("(torch.FloatTensor other)", "(torch.cuda.FloatTensor other)")
LONG = (
    "FloatClassNLLCriterion_updateOutput received an invalid combination of arguments - got (int, "
    "torch.FloatTensor, torch.DoubleTensor), but expected (int state, torch.FloatTensor input, "
    "torch.LongTensor target)"
)
EQUAL = "invalid argument 3: sizes do not match at /x/THCTensorMathCompareT.cuh:65"
CUT = "shape '[4, 6]' is invalid for input of size 72"


def printed(*sizes: str) -> str:
    """Tensors as torch before 0.4 printed them."""
    return "\n".join(f" 0  1\n[torch.FloatTensor of size {size}]" for size in sizes)


@pytest.mark.parametrize(
    ("type_", "message", "around", "told", "is_told"),
    [
        # A copy that DataParallel runs, and no other place; a GPU and the CPU is another matter.
        ("RuntimeError", GPUS.format("cuda:0", "cuda:1"), {"frames": PARALLEL}, "In a copy", True),
        ("RuntimeError", GPUS.format("cuda:0", "cuda:1"), {}, "In a copy", False),
        ("RuntimeError", GPUS.format("cuda:0", "cpu"), {"frames": PARALLEL}, "In a copy", False),
        # The samples of a loader, and no other cat.
        (
            "RuntimeError",
            "inconsistent tensor sizes at /x",
            {"frames": COLLATE_FRAMES},
            "(h, w)",
            True,
        ),
        ("RuntimeError", "inconsistent tensor sizes at /x", {}, "Resize((h, w))", False),
        # The state of an LSTM, and another tuple.
        ("AttributeError", PAIR, {"line": "h = hidden.cuda()", "words": "an LSTM"}, "a pair", True),
        ("AttributeError", PAIR, {"line": "h = hidden.cuda()", "words": "a GRU"}, "a pair", False),
        ("AttributeError", PAIR, {"line": "x = batch.cuda()", "words": "an LSTM"}, "a pair", False),
        # An array of a list, where numbers belong into the list.
        ("TypeError", CUDA, {"line": "y = np.array(self.curve)"}, "values.append(", True),
        ("TypeError", CUDA, {"line": "y = x.numpy()"}, "values.append(", False),
        # What one line gives forward beyond what it takes.
        ("TypeError", SURPLUS.format(3, 4), {"line": "y = net(a, b[0], c)"}, "`c` is too", True),
        ("TypeError", SURPLUS.format(2, 4), {"line": "return net(a, b, c)"}, "`b, c` is", True),
        ("TypeError", SURPLUS.format(3, 5), {"line": "y = net(a, b, c)"}, "is too many", False),
        ("TypeError", SURPLUS.format(1, 4), {"line": "y = net(a, b, c)"}, "is too many", False),
        ("TypeError", SURPLUS.format(3, 4), {"line": "y = net(f(a), b, c)"}, "is too many", False),
        # One step of a flattened sequence.
        ("ValueError", SIDES.format(90, 100), {"line": "f(o, y.view(-1))"}, "9 times 10", True),
        ("ValueError", SIDES.format(100, 90), {"line": "f(o, y.view(-1))"}, "has no label", True),
        ("ValueError", SIDES.format(90, 100), {"line": "f(o, y)"}, "9 times 10", False),
        ("ValueError", SIDES.format(30, 40), {"line": "f(o, y.view(-1))"}, "3 times", False),
        ("ValueError", SIDES.format(99, 100), {"line": "f(o, y.view(-1))"}, "99 times", False),
        # Which of two names lies where.
        (
            "RuntimeError",
            OTHER,
            {"line": "n += a.eq(b.data).cpu().sum()"},
            "`b.data` lies on CUDA",
            True,
        ),
        ("RuntimeError", OTHER, {"line": "n = (a == b).sum()"}, "`b` lies on CUDA", True),
        ("RuntimeError", OTHER, {"line": "n = (a + b) * c"}, "lies on CUDA and `", False),
        ("RuntimeError", OTHER, {"line": "n = f(a)"}, "lies on CUDA and `", False),
        ("RuntimeError", OTHER, {"line": "n += (a == b).sum()"}, "lies on CUDA and `", False),
        # The optimizer's state, in the oldest wording; `.to` came later than that.
        ("TypeError", MIXED, {"line": "optimizer.step()"}, "v.cuda()", True),
        ("TypeError", MIXED, {}, "The optimizer joins", False),
        ("TypeError", OF_CUDA, {"line": "optimizer.step()"}, "The optimizer joins", False),
        # Rows of classes where class numbers are wanted.
        ("TypeError", LONG, {"words": printed("4x6", "4x6")}, "both [4, 6]", True),
        ("TypeError", LONG, {"words": printed("4x6", "4")}, "both", False),
        ("TypeError", LONG, {"words": printed("4x1", "4x1")}, "both", False),
        ("TypeError", LONG, {"words": printed("4x6", "4x6")}, "convert one of them", False),
        # Class numbers compared with rows.
        ("RuntimeError", EQUAL, {"words": printed("3x2", "3"), "line": "a == b"}, "3 rows", True),
        ("RuntimeError", EQUAL, {"words": printed("3x2", "5"), "line": "a == b"}, "rows", False),
        ("RuntimeError", EQUAL, {"words": printed("3x2", "3"), "line": "a + b"}, "rows", False),
        # A one-hot target that is reshaped to class numbers; pictures are another matter.
        ("RuntimeError", CUT, {"words": "one-hot", "line": "target.view(4, 6)"}, "argmax", True),
        ("RuntimeError", CUT, {"words": "one-hot", "line": "x.view(4, 6)"}, "argmax", False),
        ("RuntimeError", CUT, {"words": "masks", "line": "target.view(4, 6)"}, "argmax", False),
        ("RuntimeError", CUT, {"words": "masks", "line": "target.view(4, 6)"}, "pictures", True),
    ],
)
def test_what_stands_around_chooses_what_is_said(
    type_: str, message: str, around: dict[str, str], told: str, is_told: bool
):
    """Each row beside its message: what shows the cause, and what only looks like it."""
    posted = PastedTraceback(type=type_, message=message, frames=())

    reading = read_words(posted, Around(**around))

    assert reading is not None
    assert (told in f"{reading.means} {reading.causes} {reading.remedy}") is is_told, reading


@pytest.mark.parametrize(
    ("module", "given", "told"),
    [
        ("__torch__.torch.nn.modules.activation.Tanh", "int", "The module needs no type"),
        ("__torch__.Net", "int", ""),  # an argument of one's own may want its type
        ("__torch__.torch.nn.modules.linear.Linear", "List[Tensor]", ""),
    ],
)
def test_an_argument_of_torchs_own_module_needs_no_type(module: str, given: str, told: str):
    """What is handed to it has a type of its own: that is what has to change."""
    message = (
        f"forward({module} self, Tensor x) -> Tensor:\nExpected a value of type 'Tensor' for "
        f"argument 'x' but instead found type '{given}'."
    )
    posted = PastedTraceback(type="RuntimeError", message=message, frames=())

    reading = read_words(posted)

    assert reading is not None
    assert told in reading.remedy
    assert bool(told) is bool(reading.remedy)


@pytest.mark.parametrize(
    ("code", "is_told"),
    [
        ("T.Compose([T.ToPILImage(), T.RandomCrop(8)])", True),
        ("T.Compose([T.ToPILImage(), T.RandomCrop(8), T.ToTensor()])", False),
        ("T.Compose([T.RandomCrop(8)])", False),
    ],
)
def test_transforms_that_end_with_a_picture_are_named(code: str, is_told: bool):
    """Only where one makes a picture and none a tensor of it again."""
    posted = PastedTraceback(
        type="AttributeError", message="'Image' object has no attribute 'cuda'", frames=()
    )
    line = Construct(kind="call", name="T.Compose", line=1, code=code)

    reading = read_words(posted, Around(), [line])

    assert reading is not None
    assert "Pillow" in reading.means
    assert ("`ToPILImage` makes a picture" in reading.remedy) is is_told


@pytest.mark.parametrize(
    ("shapes", "is_told"),
    [("4x7 and 9x7", True), ("4x8 and 9x7", False)],
)
def test_a_layer_that_gets_what_it_gives_may_come_twice(shapes: str, is_told: bool):
    """A layer turns its weight itself, so no transposition is advised."""
    posted = PastedTraceback(
        type="RuntimeError",
        message=f"mat1 and mat2 shapes cannot be multiplied ({shapes})",
        frames=(),
    )
    layer = Construct(
        kind="call", name="nn.Linear", line=1, code="fc = nn.Linear(9, 7)", arguments=("9", "7")
    )

    reading = read_words(posted, Around(), [layer])

    assert reading is not None
    assert ("as many as it gives itself" in reading.means) is is_told
    assert ("nothing is to be transposed" in reading.remedy) is is_told


UNPICKLED = "Weights only load failed. … WeightsUnpickler error: Unsupported {}"
CAST = "result type Float can't be cast to the desired output type Long"
ATTENTION = "functional.py multi_head_attention_forward"


@pytest.mark.parametrize(
    ("type_", "message", "given", "told", "is_told"),
    [
        ("UnpicklingError", UNPICKLED.format("operand 118"), {}, "is no checkpoint but text", True),
        ("UnpicklingError", UNPICKLED.format("operand 60"), {}, "is no checkpoint but text", True),
        # The frame of a pickle, and one of its letters: it is a pickle.
        ("UnpicklingError", UNPICKLED.format("operand 149"), {}, "is no checkpoint", False),
        ("UnpicklingError", UNPICKLED.format("operand 99"), {}, "is no checkpoint", False),
        ("UnpicklingError", UNPICKLED.format("class a.B"), {}, "is no checkpoint", False),
        ("AttributeError", "'Net' object has no attribute 'module'", {}, "is in none", True),
        ("AttributeError", "'Net' object has no attribute 'modul'", {}, "is in none", False),
        ("AttributeError", "module 'a' has no attribute 'module'", {}, "is in none", False),
        (
            "RuntimeError",
            "Expected hidden size (2, 10, 6), got [1, 2, 10, 6]",
            {},
            "one dimension of size 1 before",
            True,
        ),
        (
            "RuntimeError",
            "Expected hidden size (2, 10, 6), got [2, 7, 6]",
            {},
            "one dimension of size 1 before",
            False,
        ),
        ("RuntimeError", VIEW.format("-1, 90, 16", 2304), {"frames": ATTENTION}, "keys or", True),
        ("RuntimeError", VIEW.format("-1, 90, 16", 2304), {}, "keys or", False),
        ("KeyError", "0", {}, "by number", True),
        ("KeyError", "'0'", {}, "by number", False),
    ],
)
def test_what_the_message_itself_tells_of_its_cause(
    type_: str, message: str, given: dict[str, str], told: str, is_told: bool
):
    """And the stock sentence of the kind is not told where that would be beside the point."""
    reading = read_words(PastedTraceback(type=type_, message=message), Around(**given))
    assert reading is not None
    assert (told in reading.means + reading.causes) is is_told
