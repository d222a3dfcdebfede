"""executor/errors/reading.py: an error in plain words, and the code that it fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

import pytest

from executor.errors import Around, all_families, fitting, read_words
from executor.errors.around import AROUND, SEARCHED, before
from executor.errors.family import CAUSES, ErrorFamily, Sentence
from executor.errors.reading import is_conditional
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
    known = set(family.values) | {f"{v}_dtype" for v in family.values} | AROUND | {"made", "quoted"}
    for text in texts(family):
        names = {name for _, name, _, _ in Formatter().parse(text) if name}
        computes = family.derive is not None or family.look_around is not None
        assert computes or names <= known, (text, names - known)
        assert names - known <= derived | DERIVED_BY_OTHER_SIZES, (text, names - known)


# Values that no sample has the sizes for; each has a row below.
DERIVED_BY_OTHER_SIZES = {
    "built_for",
    "first_cuda",
    "gpu",
    "at",
    "free",
    "held",
    "in_file",
    "repeats",
    "today",
    "total",
    "current_rows",
    "layer",
    "row",
    "saved_rows",
    "handed",
    "heads",
    "masks",
    "of_numbers",
    "output_channels",
    "surplus",
    "taken",
    "target_channels",
    "columns",
    "first_name",
    "label_steps",
    "numbers",
    "narrow",
    "rest",
    "row_steps",
    "rows",
    "rows_of",
    "second_name",
    "step",
    "wide",
    "samples",
    "per_row",
    "per_label",
    "bins",
    "classes",
    "features",
    "printed_last",
    "side",
    "times",
    "n_fft",
    "off_by",
    "pixels",
    "positions",
    "small",
    "large",
    "made_in",
    "missing_first",
    "missing_count",
    "beside",
    "unexpected_first",
    "unexpected_count",
    "resized_first",
    "saved",
    "current",
    "last",
    "needed",
    "kernel_edge",
    "has",
    "extra_at",
    "layers",
    "part",
    "channels",
    "of_each",
    "order",
    "c",
    "output",
    "target",
    "batch",
    "channels_last",
    "column",
    "patches",
    "state",
    "state_wanted",
    "steps",
    "unbatched",
    "wanted",
    "without",
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
        ("IndexError", "Target 4 is out of bounds.", "at least 5 columns", "subtract 1"),
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
            "often the weight of a Linear layer",
            "before the first step",
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
            "Error(s) in loading state_dict for DataParallel:\n\tMissing key(s) in state_dict: "
            '"module.features.0.weight", "module.features.0.bias". \n\tUnexpected key(s) in '
            'state_dict: "features.module.0.weight".',
            "differ only in where `module.` stands",
            "k.replace('module.', '')",
        ),
        (
            "RuntimeError",
            "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
            '"features.0.weight". \n\tUnexpected key(s) in state_dict: "layers.0.weight".',
            "the file has `layers.0.weight`",
            "another model",
        ),
        (
            "RuntimeError",
            "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
            '"blocks.0.conv.weight", "blocks.0.conv.bias". \\n\\tUnexpected key(s) in state_dict: '
            '"block1.conv.weight", "block1.conv.bias", "epoch".',
            "begins with `blocks.0.` in the model begins with `block1.` there",
            "k.replace('block1.', 'blocks.0.', 1)",
        ),
        (
            "RuntimeError",
            "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
            '"encoder.fc.weight", "encoder.fc.bias". \\n\\tUnexpected key(s) in state_dict: '
            '"fc.weight", "fc.bias", "epoch".',
            "the model is a part of another one here",
            "{'encoder.' + k: v",
        ),
        (
            "RuntimeError",
            "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
            '"fc.weight", "fc.bias". \\n\\tUnexpected key(s) in state_dict: '
            '"backbone.fc.weight", "backbone.fc.bias", "epoch".',
            "was a part of another one when it was saved",
            "k.removeprefix('backbone.')",
        ),
        (
            "RuntimeError",
            "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
            '"fc.weight", "fc.bias". \\n\\tUnexpected key(s) in state_dict: '
            '"head.weight", "other.bias", "epoch".',
            "the file has `head.weight`",
            "another model",
        ),
        (
            "RuntimeError",
            "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
            '"layers.0.weight", "layers.0.bias", ...',
            "the file has not (at least 2 such keys)",
            "",
        ),
        (
            "TypeError",
            "conv2d() received an invalid combination of arguments - got (Tensor, tuple), but "
            "expected one of:\n * (Tensor input, tuple of ints stride)\n      didn't match "
            "because some of the arguments have invalid types: (Tensor, tuple of (bool, bool))\n",
            "takes tuple of ints for `stride`",
            "`stride`",
        ),
        (
            "TypeError",
            "f() received an invalid combination of arguments - got (Tensor, quant_mx=int), but "
            "expected one of:\n * (Tensor input, int quant_max)\n      didn't match because some "
            "of the keywords were incorrect: quant_mx\n",
            "no argument named quant_mx",
            "spelled",
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
            "never is batch first",
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

    plain, in_file = read_words(message), read_words(message, Around(file="linear.py"))
    in_code, other = (
        read_words(message, constructs=[linear]),
        read_words(message, constructs=[call("nn.Linear", "10", "400")]),
    )
    assert plain and in_file and in_code and other
    assert "A Linear layer with in_features=400" in in_file.means == in_code.means
    assert plain.means == other.means != in_file.means
    assert in_file.now == "mat1 and mat2 shapes cannot be multiplied (64x256 and 400x10)"


SIZES = "mat1 and mat2 shapes cannot be multiplied (64x256 and 400x10)"
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
LOADED = "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False."
NUMPY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
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


def test_what_stands_around_a_message_has_names_of_its_own():
    """No value of a message is called like one of a post, which would hide it."""
    for family in all_families():
        assert not set(family.values) & AROUND, family.id
    assert SEARCHED < AROUND


@pytest.mark.parametrize(
    ("version", "is_before"),
    [("1.9.0+cu111", True), ("1.1", True), ("0.4.1", True), ("1.10.2", False), ("2.0.1", False)],
)
def test_a_version_is_compared_as_numbers(version: str, is_before: bool):
    """1.9 is older than 1.10, and 1.1 is; 2.0 is not."""
    assert (re.fullmatch(before("1.10"), version) is not None) is is_before


ENGINE = "'Engine' object has no attribute 'modl'"
INDEX = "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
ROWS = "0D or 1D target tensor expected, multi-target not supported"
INPUT_ON_GPU = "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be "
WEIGHT_ON_GPU = "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be "


@pytest.mark.parametrize(
    ("message", "around", "told"),
    [
        (DEVICES, Around(), "`model.to(device)` and `x = x.to(device)` move them"),
        (
            DEVICES,
            Around(words="I have already moved the model to the GPU"),
            "look for what is not",
        ),
        (NUMPY, Around(words="I added detach() and get the same error"), "very expression"),
        (NUMPY, Around(words="增加了detach()也一样报错"), "very expression"),
        (LOADED, Around(words="I have GPU and is_available() is True"), "CUDA_VISIBLE_DEVICES"),
        (LOADED, Around(words="It was trained elsewhere"), "Say where they are to go"),
        (NUMPY, Around(words="I plot the loss"), "only shown or measured"),
        (DEVICES, Around(words="even though I use .to(device) on both"), "look for what is not"),
        (DEVICES, Around(words="everything is on the same device"), "look for what is not"),
        (DEVICES, Around(words="I train on the GPU"), "`x = x.to(device)` move them"),
        (ENGINE, Around(), "that `__init__` really sets"),
        (ENGINE, Around(raised_in="deepspeed"), "The class is deepspeed's"),
        (
            DEVICES,
            Around(raised_in="torch_geometric", raising="torch.cat([a, b])"),
            "If they agree, torch_geometric makes the other tensor itself",
        ),
        (
            f"{INPUT_ON_GPU}the same",
            Around(words="I moved all to cuda"),
            "is perhaps no registered",
        ),
        (f"{INPUT_ON_GPU}the same", Around(), "If the model was not moved"),
        (f"{WEIGHT_ON_GPU}the same", Around(words="I moved all to cuda"), "print `x.device`"),
        (f"{WEIGHT_ON_GPU}the same", Around(), "Move the data in the loop"),
        (ROWS, Around(), "Print `output.shape` and `target.shape`"),
        (ROWS, Around(runs=True), "taken since torch 1.10"),
        (ROWS, Around(torch="1.9.1"), "before 1.10 CrossEntropyLoss takes only"),
        (ROWS, Around(torch="1.10.0"), "Print `output.shape` and `target.shape`"),
        (
            ROWS,
            Around(words="outputs is batch_size * 6 and targets is batch_size * 10"),
            "10 labels for each sample",
        ),
        (
            ROWS,
            Around(words="the output is [32, 6] and the labels are [32, 10]."),
            "an output [batch, 6, 10]",
        ),
        (ROWS, Around(words="the output is [32, 6], the labels [32, 6]"), "Print `output.shape`"),
        (ROWS, Around(words="the output is [32, 6], the labels [32, 1]"), "Print `output.shape`"),
        (ROWS, Around(words="the output is [32, 6], the labels [8, 10]"), "Print `output.shape`"),
        (INDEX, Around(line="loss = f(y, torch.max(yt, 1)[1])"), "holds class numbers already"),
        (INDEX, Around(words="at f(y, torch.max(yt, 1)[1])"), "`argmax` of your line"),
        (INDEX, Around(line="loss = f(y, yt)"), "If a single sample goes in"),
        ("mat1 and mat2 shapes cannot be multiplied (96x6 and 12x3)", Around(), "x.flatten(1)"),
        (
            "mat1 and mat2 shapes cannot be multiplied (96x6 and 12x3)",
            Around(words="x.shape is torch.Size([96, 6])"),
            "flattening changes nothing",
        ),
        (
            "mat1 and mat2 shapes cannot be multiplied (96x6 and 7x3)",
            Around(words="x.shape is torch.Size([96, 6])"),
            "look for what gave x this shape",
        ),
        (
            "Given groups=1, weight of size [32, 40, 3], expected input[16, 200, 40] to have 40 "
            "channels, but got 200 channels instead",
            Around(),
            "x.permute(0, 2, 1)",
        ),
        (
            "CUDA out of memory. Tried to allocate 2.00 GiB",
            Around(line="state = torch.load('a.pt')"),
            "map_location='cpu'",
        ),
        (
            "CUDA out of memory. Tried to allocate 2.00 GiB",
            Around(line="model.to(device)"),
            "This line only moves a model",
        ),
        ("CUDA out of memory. Tried to allocate 2.00 GiB", Around(line="y = f(x)"), "or grows"),
        ("CUDA out of memory. Tried to allocate 2.00 GiB", Around(line="x = x.to(d)"), "or grows"),
        (
            "expected scalar type Long but found Float",
            Around(file="linear.py"),
            "the input is Long, so",
        ),
        ("expected scalar type Long but found Float", Around(), "it is the other way round"),
    ],
)
def test_what_a_post_shows_decides_between_the_causes(message: str, around: Around, told: str):
    """What they moved, which version they have, which shapes they print: it is not contradicted."""
    words = read_words(error(message), around)

    assert words is not None
    assert told in f"{words.means} {words.causes} {words.remedy}", words


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x = torch.FloatTensor(x).cuda()", "perhaps in `x = torch.FloatTensor(x).cuda()`"),
        ("x = torch.FloatTensor([1.0]).cuda()", "is on the GPU already, and takes none"),
    ],
)
def test_the_line_of_code_that_decides_is_quoted(code: str, told: str):
    """A sentence that holds because of a line names that line."""
    line = Construct(kind="call", name="torch.FloatTensor", line=1, code=code)
    words = read_words(error("expected CPU (got CUDA)", "TypeError"), constructs=[line])

    assert words is not None and told in words.means


@pytest.mark.parametrize(
    ("message", "type_", "told"),
    [
        ("Plan failed with a cudnnException: CUDNN_STATUS_NOT_SUPPORTED", "UserWarning", "2.3.1"),
        ("an unknown thing is odd", "UserWarning", "the program goes on"),
        ("cuDNN error: CUDNN_STATUS_NOT_SUPPORTED", "UserWarning", "the program goes on"),
        ("`pretrained` is old", "FutureWarning", "works in your version and is to change"),
        ("x.data[0] is old", "DeprecationWarning", "works in your version and is to change"),
        ("cuDNN error: CUDNN_STATUS_NOT_SUPPORTED", "RuntimeError", "cuDNN has no way"),
    ],
)
def test_a_warning_is_no_error(message: str, type_: str, told: str):
    """Whatever error words it so: after a warning the program goes on."""
    words = read_words(error(message, type_))

    assert words is not None and told in words.means
    assert ("error" in words.means and "no error" not in words.means) is False


@pytest.mark.parametrize(
    ("type_", "message", "told"),
    [
        ("ValueError", "Using a target size (torch.Size([8])) that is different to the input size "
         "(torch.Size([8, 1])) is deprecated", "`output.squeeze(1)`"),
        ("ValueError", "Using a target size (torch.Size([8, 1])) that is different to the input "
         "size (torch.Size([8])) is deprecated", "`target.squeeze(1)`"),
        ("ValueError", "Using a target size (torch.Size([8])) that is different to the input size "
         "(torch.Size([8, 3])) is deprecated", "If these are scores of 3 classes"),
        ("RuntimeError", "output with shape [1, 28, 28] doesn't match the broadcast shape "
         "[3, 28, 28]", "mean and std have 3 numbers"),
        ("RuntimeError", "output with shape [512] doesn't match the broadcast shape "
         "[1, 512, 1, 1]", "the right side has a size or a dimension too many"),
        ("RuntimeError", "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input "
                         "of size: [16, 2, 1, 256, 256]", "`x.flatten(0, 1)`"),
        ("RuntimeError", 'Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: '
         '"fc.weight". \n\tUnexpected key(s) in state_dict: "epoch", "state_dict".',
         "`state['state_dict']`"),
        ("RuntimeError", "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for "
         "'Int'", "`labels.long()`"),
        ("RuntimeError", "\"host_softmax\" not implemented for 'Long'", "swapped"),
        ("RuntimeError", "\"addmm_impl_cpu_\" not implemented for 'Long'", "`x.float()`"),
        ("RuntimeError", "expected m1 and m2 to have the same dtype, but got: long int != float",
         "Whole numbers meet"),
        ("RuntimeError", "mat1 and mat2 must have the same dtype, but got Half and Float",
         "Half precision and float32 meet"),
        ("ImportError", "libGL.so.1: cannot open shared object file: No such file or directory",
         "libgl1"),
        ("ImportError", "libcudart.so.11.0: cannot open shared object file", "rebuilt"),
        ("RuntimeError", "DataLoader worker (pid 21) is killed by signal: Killed.", "memory"),
        ("RuntimeError", "DataLoader worker (pid 21) is killed by signal: Segmentation fault.",
         "a library's own code"),
        ("RuntimeError", "DataLoader worker (pid(s) 2, 3) exited unexpectedly", "ended by itself"),
        ("TypeError", "linear(): argument 'input' (position 1) must be Tensor, not tuple",
         "`out, state = layer(x)`"),
        ("TypeError", "linear(): argument 'input' (position 1) must be Tensor, not str",
         "a dictionary was unpacked"),
        ("TypeError", "linear(): argument 'input' (position 1) must be Tensor, not NoneType",
         "has no `return`"),
        ("AttributeError", "'float' object has no attribute 'backward'", "took its graph away"),
        ("AttributeError", "partially initialized module 'torch' has no attribute 'nn' (most "
                           "likely due to a circular import)", "import each other"),
        ("ValueError", "Error initializing torch.distributed using env:// rendezvous: environment "
         "variable RANK expected, but not set", "RANK is not set"),
        ("ModuleNotFoundError", "No module named 'torch.nets'", "or newer than the code"),
        ("TypeError", "expected CUDA (got CPU)", "`x.to(device)`"),
        ("RuntimeError", "The size of tensor a (3) must match the size of tensor b (4) at "
         "non-singleton dimension 1", "Print both shapes"),
    ],
)  # fmt: skip
def test_a_message_with_several_causes_is_told_by_its_own_values(
    type_: str, message: str, told: str
):
    """What the values of a message tell apart is told apart; the rest is left open."""
    words = read_words(error(message, type_))

    assert words is not None
    assert told in f"{words.means} {words.causes} {words.remedy}", words


@pytest.mark.parametrize("family", all_families(), ids=lambda f: f.id)
def test_what_a_message_leaves_open_is_no_fact_of_the_first_line(family: ErrorFamily):
    """A guess stands behind CAUSES, or in a sentence that the error's own numbers choose."""
    guess = re.compile(r"\b(?:perhaps|likely|often|mostly|usually|maybe|probably)\b", re.IGNORECASE)
    for one in family.means:
        sentence = one if isinstance(one, Sentence) else Sentence(one)
        if not sentence.when:
            assert not guess.search(sentence.text.partition(CAUSES)[0]), sentence.text


@pytest.mark.parametrize("family", all_families(), ids=lambda f: f.id)
def test_an_order_is_told_as_one_cause_of_several_unless_the_message_decides(family: ErrorFamily):
    """With nothing of the post, only a family that decides gives an order without a condition."""
    for type_, message in messages(family.id):
        words = read_words(error(message, type_))
        assert words is not None
        if words.remedy and not family.decides:
            assert is_conditional(words.remedy), words.remedy
