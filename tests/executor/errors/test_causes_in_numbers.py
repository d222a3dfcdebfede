"""Causes of one message that its own numbers, lines, frames or words tell apart."""

from __future__ import annotations

import pytest

from bot.models import PastedTraceback
from executor.errors import Around, read_words
from executor.protocol import Construct

SIZES = (
    "UserWarning: Using a target size (torch.Size({})) that is different to the input size "
    "(torch.Size({})). This will likely lead to incorrect results due to broadcasting."
)
SEQUENCE = "RuntimeError: Expected target size [16, 10], got {}"
PIXELS = "RuntimeError: only batches of spatial targets supported (non-empty 3D tensors) but got "
MAPS = "RuntimeError: size mismatch (got input: {} , target: {}"
BATCH = "ValueError: Expected input batch_size ({}) to match target batch_size ({})."
CAUSAL = {"frames": "modeling_gpt2.py forward\nloss_utils.py fixed_cross_entropy"}
LABEL = "IndexError: Target {} is out of bounds."

LOSSES = [
    # message, what the post shows beside it, what is told, what is not
    (SEQUENCE.format("[16]"), {}, "take one step", "transpose"),
    (SEQUENCE.format("[16, 7]"), {}, "different lengths", "one-hot"),
    (SEQUENCE.format("[16, 10, 4]"), {}, "one-hot", "transpose"),
    (SEQUENCE.format("[16, 1, 10]"), {}, "squeeze(1)", "transpose"),
    (PIXELS + "targets of dimension: 1", {}, "pool and flatten", "squeeze"),
    (PIXELS + "targets of dimension: 4", {}, "squeeze(1)", "pool"),
    (PIXELS + "targets of size: : [2, 90, 80, 3]", {}, "stand last", "90 classes"),
    (PIXELS + "targets of size: : [2, 3, 90, 80]", {}, "with 3 classes", "stand last"),
    (MAPS.format("[2, 8, 6, 5]", "[2, 8, 6]"), {}, "permute(0, 3, 1, 2)", "interpolate"),
    (MAPS.format("[2, 5, 4, 6]", "[2, 6, 4]"), {}, "exchanged", "interpolate"),
    (MAPS.format("[2, 5, 4, 6]", "[2, 8, 12]"), {}, "NEAREST", "exchanged"),
    (
        "ValueError: For 1D input, 1D target must have size 1, but got target size: 4",
        {},
        "gets 4",
        "maps",
    ),
    (BATCH.format(1, 32), {}, "became one row", "one-hot"),
    (BATCH.format(28, 0), {}, "No label arrives", "number of steps"),
    (BATCH.format(28, 64), {}, "number of steps", "one-hot"),
    (BATCH.format(508, 120), CAUSAL, "the prompt and the answer", "batch_first"),
    (SIZES.format("[64, 1]", "[36, 1]"), {}, "the last batch is smaller", "CrossEntropyLoss"),
    (SIZES.format("[32, 1]", "[32, 10, 1]"), {}, "10 entries in dimension 1", "scores of"),
    (SIZES.format("[32, 1]", "[32, 4]"), {}, "scores of 4 classes", "gather(1, actions)"),
    (SIZES.format("[32, 1]", "[32, 4]"), {"words": "my DQN"}, "gather(1, actions)", "scores of"),
    (SIZES.format("[2, 9, 8]", "[2, 5, 9, 8]"), {}, "nn.CrossEntropyLoss()", "height or width"),
    (SIZES.format("[8, 1, 28, 28]", "[8, 784]"), {}, "view_as", "CrossEntropyLoss"),
    (SIZES.format("[8, 9, 7, 3]", "[8, 3, 9, 7]"), {}, "permute(0, 3, 1, 2)", "view_as"),
    (SIZES.format("[8, 3, 9, 7]", "[8, 3, 8, 7]"), {}, "another height or width", "permute"),
    (LABEL.format(1), {}, "BCEWithLogitsLoss", "subtract 1"),
    (LABEL.format(255), {}, "ignore_index=255", "subtract 1"),
    (LABEL.format(5), {}, "subtract 1", "num_labels"),
    (LABEL.format(5), {"words": "target [4, 9, 9], output [4, 2, 9, 9]"}, "JPEG", "subtract 1"),
    (LABEL.format(5), {"words": "target [4], output [4, 2]"}, "subtract 1", "JPEG"),
    (LABEL.format(5), {"words": "a segmentation of roads"}, "ignore_index=5", "subtract 1"),
    (LABEL.format(5), CAUSAL, "num_labels", "subtract 1"),
    (
        "RuntimeError: expected target dtype to be Long or Byte, but got Float",
        {},
        "argmax",
        "often",
    ),
    (
        "RuntimeError: expected target dtype to be Long or Byte, but got Int",
        {},
        ".long()",
        "argmax",
    ),
    (
        "RuntimeError: Expected floating point type for target with class probabilities, got Long",
        {},
        "has one column",
        "go in as",
    ),
    (
        "RuntimeError: 0D or 1D target tensor expected, multi-target not supported",
        {},
        "k labels",
        "before torch 1.10",
    ),
    (
        "RuntimeError: 1D target tensor expected, multi-target not supported",
        {},
        "before torch 1.10",
        "for NLLLoss",
    ),
]

SIDES = (
    "RuntimeError: The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
    "dimension {}"
)
ROOM = (
    "RuntimeError: The expanded size of the tensor ({}) must match the existing size ({}) at "
    "non-singleton dimension {}.  Target sizes: {}.  Tensor sizes: {}"
)
VIEW = "RuntimeError: shape '[{}]' is invalid for input of size {}"
GROWS = "RuntimeError: output with shape {} doesn't match the broadcast shape {}"
PERMUTE = (
    "RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match "
    "the length of the desired ordering of dimensions i.e. input.dim() = {} is not equal to "
    "len(dims) = {}"
)
TEXTS = {"words": "my tokens go through BERT"}

SHAPES = [
    (
        SIDES.format(577, 197, 1),
        {"line": "x = x + self.pos_embed"},
        "Both are a square and one",
        "Positions are",
    ),
    (SIDES.format(577, 198, 1), {"line": "x = x + self.pos_embed"}, "Positions are", "Both are"),
    (SIDES.format(10, 64, 1), {"line": "n += (out == y).sum()"}, "output.argmax(dim=1)", "mse"),
    (
        SIDES.format(10, 64, 1),
        {"frames": "functional.py mse_loss"},
        "target.unsqueeze(1)",
        "argmax",
    ),
    (SIDES.format(10, 64, 1), {}, "from the last dimension on", "argmax"),
    (
        SIDES.format(10, 64, 1),
        {"line": "loss = criterion(out, y)", "words": "nn.MSELoss"},
        "target.unsqueeze(1)",
        "argmax",
    ),
    (SIDES.format(224, 3, 3), {}, "its 3 channels last", "unsqueeze"),
    (SIDES.format(224, 3, 1), {}, "unsqueeze", "channels last"),
    (SIDES.format(64, 36, 0), {}, "the last batch is smaller", "unsqueeze"),
    (
        SIDES.format(8, 6, 1),
        {"frames": "adamw.py step\nadam.py _single_tensor_adam"},
        "another order:",
        "unsqueeze",
    ),
    (SIDES.format(9, 12, 3), {"line": "scores = scores + mask"}, "number of keys", "unsqueeze"),
    (SIDES.format(4, 3, 0), {}, "If this is a Normalize", "most likely"),
    (GROWS.format("[64, 1]", "[64, 64]"), {}, "make a table", "Normalize"),
    (GROWS.format("[]", "[64]"), {}, "loss.sum()", "Normalize"),
    (GROWS.format("[1, 9, 8]", "[3, 9, 8]"), {}, "Normalize", "make a table"),
    (ROOM.format(600, 512, 1, "[1, 600]", "[1, 512]"), TEXTS, "max_length=512", "last batch"),
    (ROOM.format(600, 512, 1, "[1, 600]", "[1, 512]"), {}, "Print both", "max_length"),
    (ROOM.format(500, 512, 1, "[1, 500]", "[1, 512]"), TEXTS, "Print both", "max_length"),
    (ROOM.format(64, 36, 0, "[64, 10]", "[36, 10]"), {}, "last batch is smaller", "permute"),
    (ROOM.format(1, 3, 0, "[1, 9, 8]", "[3, 9, 8]"), {}, "convert('RGB')", "last batch"),
    (ROOM.format(3, 9, 0, "[3, 9, 8]", "[9, 8, 3]"), {}, "permute(2, 0, 1)", "last batch"),
    (VIEW.format("64, 784", 28224), {}, "36 samples came", "Of pictures"),
    (VIEW.format("64, 784", 28223), {}, "Print", "samples came"),
    (VIEW.format("64", 36), {}, "Print", "samples came"),
    (VIEW.format("64, -1", 28225), {}, "x.view(x.size(0), -1)", "Linear"),
    (VIEW.format("-1, 64", 28225), {}, "Linear", "x.view(x.size(0), -1)"),
    (VIEW.format("32, 128, 9, 9", 802816), {}, "14 times 14", "channels"),
    (VIEW.format("16, 34, 34, 512", 8921088), {}, "33 times 33", "channels"),
    (VIEW.format("32, 128, 9, 9", 802817), {}, "Print", "maps"),
    (VIEW.format("16, 3, 85, 13, 13", 81120), {}, "it has 30 channels", "Linear"),
    (
        VIEW.format("-1, 5", 33),
        {"raising": "logits.view(-1, self.num_labels)"},
        "num_labels=n",
        "Linear",
    ),
    (PERMUTE.format(2, 3), {}, "A grey picture", "permute(0, 3, 1, 2)"),
    (PERMUTE.format(3, 4), {}, "permute(0, 3, 1, 2)", "A grey picture"),
]

PRODUCT = "RuntimeError: mat1 and mat2 shapes cannot be multiplied ({} and {})"

NORM = "ValueError: expected {} input (got {} input)"
NORMS = [
    (NORM.format("4D", "3D"), {"line": "j = vmap(jacrev(net))(x)"}, "takes the batch", "for them"),
    (NORM.format("4D", "3D"), {}, "one sample without its batch", "takes the batch"),
    (NORM.format("4D", "2D"), {}, "BatchNorm1d for [batch, features]", "one dimension more"),
    (NORM.format("4D", "5D"), {}, "one dimension more", "without its batch"),
]
PRODUCTS = [
    (PRODUCT.format("32x4096", "1x8388608"), {}, "packs a weight", "flatten"),
    (PRODUCT.format("32x4096", "1x10"), {}, "Print `x.shape`", "packs a weight"),
    (PRODUCT.format("154x768", "1024x320"), {}, "Stable Diffusion", "transposed"),
    (PRODUCT.format("1x768", "4096x3072"), {"words": "in ComfyUI"}, "do not belong", "flatten"),
    (PRODUCT.format("150x768", "1024x320"), {}, "Print `x.shape`", "Stable Diffusion"),
    (PRODUCT.format("784x64", "784x10"), {}, "`x.T`", "colour"),
    (PRODUCT.format("1x50176", "784x10"), {}, "64 samples were made one", "8 times 8"),
    (PRODUCT.format("32x25088", "512x10"), {}, "7 times 7", "made one"),
    (PRODUCT.format("4x12288", "512x11"), {}, "24 places of each map", "is what each sample has"),
    (PRODUCT.format("1x12288", "512x11"), {}, "AdaptiveAvgPool2d(1)", "24 places"),
    (PRODUCT.format("32x2352", "784x10"), {}, "in colour", "bidirectional"),
    (PRODUCT.format("32x256", "128x10"), {}, "bidirectional", "in colour"),
    (PRODUCT.format("32x9", "8x16"), {}, "among them", "flatten"),
    (PRODUCT.format("64x10", "784x10"), {"line": "y = x @ w"}, "x @ w.T", "flatten"),
    (PRODUCT.format("3584x7", "25088x10"), {}, "one sample", "nn.Linear(7"),
    (PRODUCT.format("64x512", "1024x10"), {}, "if it is [64, 512]", "among them"),
]

CONV = (
    "RuntimeError: Given groups=1, weight of size [{}], expected input[{}] to have {} channels, "
    "but got {} channels instead"
)
RANK = (
    "RuntimeError: Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}"
)
SMALL = "RuntimeError: Given input size: ({}). Calculated output size: (4x0x20). Output size is too"
REFLECT = (
    "RuntimeError: Argument #4: Padding size should be less than the corresponding input "
    "dimension, but got: padding (512, 512) at dimension 2 of input [1, 1, 300]"
)
NORM = (
    "RuntimeError: Given normalized_shape=[3], expected input with shape [*, 3], but got input of "
    "size[{}]"
)

LAYERS = [
    (CONV.format("4, 1, 3", "1, 32, 100", 1, 32), {}, "x.unsqueeze(1)", "second place"),
    (CONV.format("4, 1, 3", "8, 32, 100", 1, 32), {}, "second place", "x.unsqueeze(1)"),
    (CONV.format("320, 4, 3, 3", "2, 9, 64, 64", 4, 9), {}, "inpainting", "RGB"),
    (CONV.format("32, 4, 3, 3", "2, 9, 64, 64", 4, 9), {}, "second place", "inpainting"),
    (CONV.format("8, 6, 3, 3", "2, 3, 64, 64", 6, 3), {}, "torch.cat((a, b), dim=1)", "grey"),
    (RANK.format(2, 3, "conv1d", "[32, 1, 10, 10]"), {}, "take a Conv2d", "Conv3d"),
    (RANK.format(4, 5, "conv3d", "[32, 3, 10, 10]"), {}, "a Conv2d takes it", "without channels"),
    (RANK.format(3, 4, "conv2d", "[32, 2, 1, 10, 10]"), {}, "Conv3d", "take a Conv2d"),
    ("ValueError: expected 2D or 3D input (got 4D input)", {}, "pictures", "single sample"),
    ("ValueError: expected 2D or 3D input (got 1D input)", {}, "single sample", "pictures"),
    (SMALL.format("4x1x40"), {}, "kernel_size=(1, 2)", "224"),
    (SMALL.format("4x1x1"), {}, "224", "kernel_size=(1, 2)"),
    (REFLECT, {"frames": "functional.py stft\nfunctional.py pad"}, "half of n_fft", "replicate"),
    (REFLECT, {}, "replicate", "n_fft"),
    (NORM.format("2, 3, 4, 5"), {}, "nn.GroupNorm(1", "takes no other length"),
    (NORM.format("2, 4, 5"), {}, "takes no other length", "nn.GroupNorm(1"),
    (
        "NotImplementedError: Got 3D input, but bilinear mode needs 4D input",
        {},
        "unsqueeze(0)",
        "{",
    ),
]

ROW = "IndexError: index out of range in self"
BOUNDS = "IndexError: index {} is out of bounds for dimension 0 with size {}"
TYPE = "TypeError: {} indices must be integers or slices, not {}"
PUT = (
    "RuntimeError: Index put requires the source and destination dtypes match, got {} for the "
    "destination and {} for the source."
)

MASKED = (
    "IndexError: The shape of the mask {} at index 0 does not match the shape of the indexed "
    "tensor [32, 10] at index 0"
)
BEHIND = (
    "IndexError: The shape of the mask {} at index 0 does not match the shape of the indexed "
    "tensor {} at index {}"
)

INDEXING = [
    (MASKED.format("[10]"), {}, "x[..., mask]", "expand_as"),
    (MASKED.format("[9]"), {}, "expand_as", "x[..., mask]"),
    (ROW, {"line": "x = x + self.position_embedding(steps)"}, "learned positions for", "-100"),
    (ROW, {"raising": "e = self.token_type_embeddings(token_type_ids)"}, "1 in RoBERTa", "-100"),
    (ROW, {"line": "x = self.emb(x)"}, "-100", "RoBERTa"),
    (BOUNDS.format(0, 0), {}, "There is nothing in it", "subtract 1"),
    (BOUNDS.format(1, 1), {}, "a single entry", "just behind"),
    (BOUNDS.format(5, 5), {}, "just behind the last, 4", "There is nothing"),
    (BOUNDS.format(7, 5), {}, "a loop runs further", "just behind"),
    (BOUNDS.format(7, 5), {"line": "y.scatter_(1, labels, 1)"}, "a class or a group", "a loop"),
    (BOUNDS.replace("dimension", "axis").format(0, 0), {}, "There is nothing in it", "subtract 1"),
    ("TypeError: string indices must be integers, not 'str'", {}, "json.loads", "dicts,"),
    (TYPE.format("list", "str"), {}, "of dicts", "json.loads"),
    (TYPE.format("list", "tuple"), {}, "np.array(x)", "of dicts"),
    (TYPE.format("list", "Tensor"), {}, ".item()", "np.array(x)"),
    (TYPE.format("list", "float"), {}, "a // b", ".item()"),
    (
        "IndexError: only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
        "integer or boolean arrays are valid indices",
        {},
        "no whole number",
        "left out",
    ),
    ("IndexError: list index out of range", {"line": "p = sys.argv[1]"}, "arguments", "a loop"),
    (
        "IndexError: list index out of range",
        {"line": "n = s.split('_')[2]"},
        "fewer parts",
        "a loop",
    ),
    ("IndexError: list index out of range", {"line": "p = glob.glob(d)[1]"}, "os.getcwd()", "argv"),
    ("IndexError: list index out of range", {"line": "n = parts[2]"}, "a loop", "argv"),
    ("KeyError: 'nova9'", {"frames": "configuration_auto.py from_pretrained"}, "newer", "columns"),
    ("KeyError: 'label'", {"raised_in": "pandas"}, "no column", "d.keys()"),
    ("KeyError: 'label'", {}, "d.keys()", "no column"),
    ("KeyError: 'labels'", {"line": "y = tokenized['labels']"}, "d.keys()", "<unk>"),
    ("KeyError: 'model_state_dict'", {}, "the weights themselves", "filled otherwise"),
    (
        "KeyError: 'mouse'",
        {"line": "ids = [word2idx[w] for w in text]"},
        "<unk>",
        "filled otherwise",
    ),
    (PUT.format("Long", "Float"), {}, "would cut them off", "autocast"),
    (PUT.format("Float", "Half"), {}, "autocast", "cut them off"),
    (BEHIND.format("[64]", "[64, 4]", 1), {}, "is read as a mask: make it int64", "expand_as"),
    (BEHIND.format("[64]", "[64, 4]", 1), {}, "dimension 0 has 64 entries", "in dimension 0"),
    (BEHIND.format("[9]", "[64, 4]", 1), {}, "stands behind another index", "One entry for each"),
    (BEHIND.format("[64]", "[32, 4]", 0), {}, "from another tensor", "uint8"),
    ("RuntimeError: index 7 is out of bounds for dim with size 5", {}, "a loop runs", "class"),
    (
        "IndexError: index 7 is out of bounds for dimension with size 5",
        {"line": "t[b, best, target_labels] = 1"},
        "a class number",
        "a loop",
    ),
    (BOUNDS.format(7, 5), {"line": "p = probs[range(n), classes]"}, "a class number", "a loop"),
    (BOUNDS.format(7, 5), {"line": "y = labels[i]"}, "a loop runs", "a class number"),
    (BOUNDS.format(7, 5), {"line": "y[labels]"}, "a class number", "a loop runs"),
    (BOUNDS.format(7, 5), {"line": "y[labels > 0, i]"}, "a loop runs", "a class number"),
]

DTYPES_OF_A_PRODUCT = "RuntimeError: mat1 and mat2 must have the same dtype, but got {} and {}"
WANTED = "RuntimeError: expected scalar type {} but found {}"
LACKING = "NotImplementedError: \"{}\" not implemented for '{}'"
AMP = {"words": "I train with autocast"}

DTYPES = [
    (DTYPES_OF_A_PRODUCT.format("Half", "Byte"), {}, "packs them", "autocast"),
    (DTYPES_OF_A_PRODUCT.format("Byte", "Float"), {}, "x.float()", "packs"),
    (DTYPES_OF_A_PRODUCT.format("Float", "Double"), {}, "the model is double", "before the model"),
    (DTYPES_OF_A_PRODUCT.format("Double", "Float"), {}, "before the model", "the model is double"),
    (DTYPES_OF_A_PRODUCT.format("Half", "BFloat16"), {}, "bnb_4bit_compute_dtype", "float32"),
    (DTYPES_OF_A_PRODUCT.format("Half", "Float"), {}, "layer.to(x.dtype)", "next(model"),
    (DTYPES_OF_A_PRODUCT.format("Float", "Half"), {}, "next(model", "layer.to(x.dtype)"),
    (WANTED.format("Float", "Half"), AMP, "enabled=False", "run the forward"),
    (WANTED.format("Long", "Float"), {"frames": "functional.py nll_loss"}, "argmax", "other way"),
    (WANTED.format("Long", "Float"), {}, "other way", "argmax"),
    (WANTED.format("Float", "BFloat16"), {}, "run the forward", "enabled=False"),
    (
        "RuntimeError: Input type (unsigned char) and weight type (float) should be the same",
        {},
        "/ 255",
        "autocast",
    ),
    (
        "RuntimeError: Input type (double) and weight type (float) should be the same",
        {},
        "x.float()",
        "/ 255",
    ),
    ("RuntimeError: Long did not match Float", {}, "cut off", "b.to(a.dtype)"),
    (
        "RuntimeError: result type ComplexFloat can't be cast to the desired output type Float",
        {},
        "y.real",
        "x / 2",
    ),
    (LACKING.format("upsample_bilinear2d_out_frame", "Byte"), {}, "mode='nearest'", "int32"),
    (
        LACKING.format("nll_loss_forward_reduce_cuda_kernel_2d_index", "Float"),
        {},
        "MSELoss",
        "int32",
    ),
    (
        LACKING.format("nll_loss_forward_reduce_cuda_kernel_2d_index", "Int"),
        {},
        ".long()",
        "MSELoss",
    ),
    (LACKING.format("add_stub", "UInt16"), {}, "np.int32", "x.float()"),
    (LACKING.format("floor_cpu", "ComplexFloat"), {}, "view_as_real", "x.float()"),
    (
        "RuntimeError: value cannot be converted to type at::Half without overflow",
        {},
        "finfo",
        "iinfo",
    ),
    (
        "RuntimeError: value cannot be converted to type int64_t without overflow",
        {},
        "iinfo",
        "-1e4",
    ),
    (WANTED.format("Byte", "Float"), {}, "the whole numbers are converted", "uint8"),
    (WANTED.format("Byte", "Float"), {"line": "b = self.backbone(x)"}, "/ 255", "masks"),
    (WANTED.format("Byte", "Float"), {"line": "y = self.mask(x)"}, "masks, indices", "The layer"),
    (WANTED.format("Int", "Half"), {"file": "conv.py"}, "The layer takes the dtype", "int32"),
    (WANTED.format("Bool", "Float"), {}, "a comparison", "torch.bool)"),
    (WANTED.format("Float", "ComplexFloat"), {}, "drops the imaginary part", "x.float()"),
    (WANTED.format("Int", "Long"), {}, "to int32 where that is", "the whole numbers are converted"),
    (DTYPES_OF_A_PRODUCT.format("Long", "Half"), {}, "it is they that are converted", "autocast"),
    (DTYPES_OF_A_PRODUCT.format("Double", "Int"), {}, "they that are converted", "From NumPy"),
    (
        "RuntimeError: Input type (float) and weight type (signed char) should be the same",
        {},
        "not the input that",
        "layer.weight.dtype",
    ),
    (
        "RuntimeError: Expected object of scalar type Byte but got scalar type Float for argument "
        "#2 'weight'",
        {},
        "`x = x.float()`",
        ".long()",
    ),
    (
        "RuntimeError: Expected object of scalar type Byte but got scalar type Float for argument "
        "#2 'mask'",
        {},
        "mask.bool()",
        "x.float()",
    ),
]

LENGTH = "TypeError: object of type '{}' has no len()"
STACK = (
    "RuntimeError: stack expects each tensor to be equal size, but got {} at entry 0 and {} at "
    "entry 1"
)
CAT = (
    "RuntimeError: Sizes of tensors must match except in dimension {}. Expected size 47 but got "
    "size 46 for tensor number 1 in the list."
)
COLLATE = (
    "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers, dicts or "
    "lists; found <class '{}'>"
)
JOINED = "TypeError: expected Tensor as element 0 in argument 0, but got {}"
ENDED = "RuntimeError: DataLoader worker (pid 7) exited unexpectedly{}."

DATA = [
    (LENGTH.format("generator"), {}, "list(x)", "__len__"),
    (LENGTH.format("method"), {}, "parentheses", "__len__"),
    (LENGTH.format("Flowers"), {}, "__len__", "parentheses"),
    (
        "RuntimeError: DataLoader worker (pid 7) is killed by signal: Terminated. ",
        {},
        "from outside",
        "crashed",
    ),
    (
        "StopIteration: ",
        {"line": "d = next(self.parameters()).dtype"},
        "since torch 1.5",
        "for` loop",
    ),
    (
        "StopIteration: Caught StopIteration in replica 0 on device 0.",
        {},
        "since torch 1.5",
        "loop",
    ),
    ("StopIteration: ", {"line": "x, y = next(it)"}, "it = iter(loader)", "torch 1.5"),
    (STACK.format("[3, 90, 80]", "[1, 90, 80]"), {}, "convert('RGB')", "Resize"),
    (STACK.format("[3, 90, 80]", "[3, 91, 80]"), {}, "Resize((h, w))", "convert"),
    (STACK.format("[5, 4]", "[2, 4]"), {}, "zip(*batch)", "Resize"),
    (STACK.format("[17]", "[12]"), {}, "pad_sequence", "Resize"),
    (STACK.format("[3, 8, 8]", "[1, 3, 8, 8]"), {}, "a dimension more", "Resize"),
    (STACK.format("[16000, 2]", "[16000]"), {}, "one of the two is stereo", "a dimension more"),
    (STACK.format("[16000]", "[2, 16000]"), {}, "one of the two is stereo", "a dimension more"),
    (STACK.format("[9, 2]", "[9]"), {}, "a dimension more", "stereo"),
    (STACK.format("[16000, 3]", "[16000]"), {}, "a dimension more", "stereo"),
    (CAT.format(1), {}, "odd size was halved", "padded by itself"),
    (CAT.format(0), {}, "padded by itself", "halved"),
    (COLLATE.format("NoneType"), {}, "gave None", "ToTensor"),
    (COLLATE.format("torch_geometric.data.data.Data"), {}, "torch_geometric.loader", "ToTensor"),
    (COLLATE.format("PIL.Image.Image"), {}, "ToTensor", "gave None"),
    (JOINED.format("tuple"), {}, "output[0]", "from_numpy"),
    (JOINED.format("numpy.ndarray"), {}, "from_numpy", "output[0]"),
    (ENDED.format(" with exit code 1"), {}, "stand in the terminal", "could not start"),
    (ENDED.format(""), {}, "could not start", "exit code"),
    (ENDED.format(""), {"words": "It works on the CPU, and not on the GPU"}, "forked", "shm"),
    (ENDED.format(""), {"words": "I train on the GPU"}, "fewer workers", "forked"),
]

STATE = "RuntimeError: Expected hidden size ({}), got [{}]"
HX = "RuntimeError: For {} input, hx should also be {} but got {} tensor"
LENGTHS = "RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got {} tensor"
MASK = "RuntimeError: The shape of the 2D attn_mask is torch.Size([{}]), but should be ({})."
LAWS = (
    "ValueError: Expected parameter scale (Tensor of shape (1,)) of distribution Normal(loc: "
    "tensor([0.]), scale: tensor([{0}])) to satisfy the constraint GreaterThan(lower_bound=0.0), "
    "but found invalid values:\ntensor([{0}])"
)
DRAWN = "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0"

SEQUENCES = [
    (STATE.format("2, 20, 6", "2, 50, 6"), {}, "batch_first=True is missing", "bidirectional"),
    (STATE.format("4, 20, 6", "2, 20, 6"), {}, "bidirectional=True", "batch_first=True is"),
    (STATE.format("2, 20, 6", "2, 20, 8"), {}, "torch.zeros(", "drop_last"),
    (HX.format("unbatched 2-D", "2-D", "3-D"), {}, "h.squeeze(1)", "h.unsqueeze(0)"),
    (HX.format("batched 3-D", "3-D", "2-D"), {}, "h.unsqueeze(0)", "h.squeeze(1)"),
    (LENGTHS.format("2D CPU Long"), {}, "flatten()", ".cpu()"),
    (LENGTHS.format("1D cuda:0 Long"), {}, ".cpu()", "flatten()"),
    (LENGTHS.format("1D CPU Float"), {}, ".long()", ".cpu()"),
    (MASK.format("10, 10", "32, 32"), {}, "If 32 is the batch size", "key_padding_mask"),
    (MASK.format("32, 10", "10, 10"), {}, "key_padding_mask", "If 10 is"),
    (LAWS.format("nan"), {}, "set_detect_anomaly", "softplus"),
    (LAWS.format("-1."), {}, "softplus", "set_detect_anomaly"),
    (DRAWN, {"frames": "utils.py generate\nutils.py _sample"}, "bfloat16", "softmax first"),
    (DRAWN, {}, "softmax first", "bfloat16"),
    (
        "RuntimeError: linalg.cholesky: The factorization could not be completed because the input "
        "is not positive-definite",
        {},
        "diagonal",
        "lstsq",
    ),
]

ARRAY = "ValueError: setting an array element with a sequence."
UNPADDED = (
    "ValueError: Unable to create tensor, you should probably activate truncation and/or padding "
    "with 'padding=True' 'truncation=True' to have batched tensors with the same length. Perhaps "
    "your features (`{}` in this case) have excessive nesting."
)
DRAW = "TypeError: Invalid shape {} for image data"
TEXT = "ValueError: could not convert string to float: {}"
MIX = "ValueError: Classification metrics can't handle a mix of {} and {} targets"
ARRAYS = "ValueError: operands could not be broadcast together with shapes {} {} "
BOX = (
    "AssertionError: All bounding boxes should have positive height and width. Found invalid box "
    "[5.0, 2.0, 1.0, 2.0] for target at index 0."
)
INCONSISTENT = (
    "RuntimeError: inconsistent tensor size, expected r_ [5 x 25], t [5 x 25] and src [2 x 25] to"
)
LEFT_OUT = "TypeError: forward() missing 1 required positional argument: 'state'"
OPSET = "RuntimeError: Exporting the operator round to ONNX opset version 9 is not supported."
TRACED = (
    "TracerWarning: Converting a tensor to a Python boolean might cause the trace to be incorrect"
)
CHANGED = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [torch.FloatTensor [5, 3]], which is output 0 of AsStridedBackward0, is at "
    "version 2; expected version 1 instead."
)
UNPACKED = "ValueError: not enough values to unpack (expected 2, got 1)"
APART = (
    "RuntimeError: Sizes of tensor must match except in dimension 2. Got 48 and 49 (The offending "
    "index is 0)"
)

VALUES = [
    (ARRAY, {}, "written into one element", "inhomogeneous"),
    (ARRAY, {"words": "state = env.reset() at first"}, "obs, info = env.reset()", "pad the rows"),
    ("TypeError: must be real number, not NoneType", {}, "`return`", "torch.sqrt"),
    ("TypeError: must be real number, not Tensor", {}, "torch.sqrt", "`return`"),
    (
        "RuntimeError: Boolean value of Tensor with no values is ambiguous",
        {},
        "x.numel()",
        ".any()",
    ),
    (
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
        {},
        ".any()",
        "x.numel()",
    ),
    (
        "ValueError: The truth value of a Series is ambiguous. Use a.empty",
        {},
        "(a > 0) & (b > 0)",
        "NumPy array",
    ),
    ("TypeError: Cannot interpret '3' as a data type", {}, "np.zeros((2, 3))", "PyTorch's"),
    ("TypeError: Cannot interpret 'torch.float16' as a data type", {}, "np.float16", "brackets"),
    (
        "TypeError: unsupported format string passed to NoneType.__format__",
        {},
        "None comes",
        "mean",
    ),
    ("TypeError: unsupported format string passed to Tensor.__format__", {}, "x.mean()", "None"),
    (UNPADDED.format("labels"), {}, "DataCollatorForSeq2Seq", "remove_columns"),
    (UNPADDED.format("title"), {}, "remove_columns(['title'])", "DataCollator"),
    (UNPADDED.format("input_ids"), {}, "padding=True", "remove_columns"),
    ("TypeError: a bytes-like object is required, not 'str'", {}, "'rb'", "ToTensor"),
    ("ValueError: cannot reshape array of size 784 into shape (32,32)", {}, "784 values", "padded"),
    (
        "ValueError: could not broadcast input array from shape (9,9,3) into shape (9,9)",
        {},
        "grey and coloured",
        "padded",
    ),
    (ARRAYS.format("(3,9,8)", "(3,)"), {}, "b[:, None, None]", "b[..., None]"),
    (ARRAYS.format("(64,10)", "(64,)"), {}, "b[..., None]", "convert"),
    (ARRAYS.format("(9,9,4)", "(3,)"), {}, "convert('RGB')", "b[..., None]"),
    (DRAW.format("(3, 28, 20)"), {}, "permute(1, 2, 0)", "squeeze"),
    (DRAW.format("(1, 28, 20)"), {}, "squeeze()", "permute"),
    (DRAW.format("(8, 3, 28, 20)"), {}, "`x[0]`", "squeeze"),
    (DRAW.format("(784,)"), {}, "reshape", "permute"),
    (
        "UnidentifiedImageError: cannot identify image file <_io.BytesIO object at 0x7>",
        {},
        "seek(0)",
        "folder",
    ),
    ("UnidentifiedImageError: cannot identify image file 'a.jpg'", {}, "folder", "seek(0)"),
    ("OSError: cannot write mode F as PNG", {}, "TIFF", "transparency"),
    ("OSError: cannot write mode RGBA as JPEG", {}, "transparency", "TIFF"),
    (BOX, {}, "box_convert", "model.eval()"),
    (TEXT.format("'1,234.5'"), {}, "thousands", "LabelEncoder"),
    (TEXT.format("''"), {}, "missing", "LabelEncoder"),
    (TEXT.format("'red'"), {}, "LabelEncoder", "thousands"),
    (MIX.format("continuous", "binary"), {}, "r2_score", "argmax"),
    (MIX.format("multilabel-indicator", "multiclass"), {}, "argmax(axis=1)", "r2_score"),
    (MIX.format("binary", "continuous"), {}, "0.5", "r2_score"),
    (
        "ValueError: Found input variables with inconsistent numbers of samples: [1, 90]",
        {},
        "reshape(-1, 1)",
        "dropna",
    ),
    ("ModuleNotFoundError: No module named 'torch._six'", {}, "collections.abc", "install -U"),
    ("ModuleNotFoundError: No module named 'torch.nets'", {}, "If it is newer", "collections.abc"),
    (
        "TypeError: expected a Variable argument, but got tuple",
        {},
        "a tuple is given",
        "0.4 * crit",
    ),
    (
        "TypeError: expected Variable or None (got tuple)",
        {"words": "I fine-tune Inception v3"},
        "AuxLogits",
        "LSTM",
    ),
    (
        "TypeError: expected a Variable argument, but got torch.FloatTensor",
        {},
        "given a tensor",
        "several results",
    ),
    (
        "TypeError: cross_entropy_loss(): argument 'input' (position 1) must be Tensor, not "
        "InceptionOutputs",
        {},
        "out, aux = model(x)",
        "its call is missing",
    ),
    (
        "TypeError: cross_entropy_loss(): argument 'input' (position 1) must be Tensor, not "
        "MaskedLMOutput",
        {},
        "out.logits",
        "its call is missing",
    ),
    (
        "TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple",
        {},
        "out, state = layer(x)",
        "AuxLogits",
    ),
    (
        "TypeError: 'Net' object is not subscriptable",
        {"line": "w = torch.load(path)['state_dict']"},
        "state_dict()",
        "`x.name`",
    ),
    (
        "TypeError: 'Net' object is not subscriptable",
        {"line": "n.load_state_dict(ckpt['model'])"},
        "saved with the model itself",
        "Dataset",
    ),
    ("TypeError: 'Net' object is not subscriptable", {"line": "y = net[0](x)"}, "`x.name`", "file"),
    (
        "RuntimeError: 'lengths' array has to be sorted in decreasing order",
        {},
        "labels[order]",
        "BucketIterator",
    ),
    (
        "RuntimeError: 'lengths' array has to be sorted in decreasing order",
        {"line": "text, n = batch.text"},
        "sort_within_batch",
        "labels[order]",
    ),
    (
        "RuntimeError: `lengths` array must be sorted in decreasing order when `enforce_sorted` is "
        "True.",
        {},
        "enforce_sorted=False",
        "labels[order]",
    ),
    (
        "RuntimeError: Expected hidden size (2, 5, 25), got [5, 2, 25]",
        {},
        "never is batch first",
        "the same numbers as",
    ),
    (
        "RuntimeError: Expected hidden size (2, 5, 25), got [25, 5, 2]",
        {},
        "Make the state from",
        "never is",
    ),
    (INCONSISTENT, {"words": "hidden is [5, 2, 25]"}, "Make it [2, 5, 25]", "Print both"),
    (INCONSISTENT, {"words": "hidden is [2, 5, 25]"}, "Print both shapes", "Make it"),
    (LEFT_OUT, {"line": "torch.onnx.export(net, x, 'a.onnx')"}, "a tuple of all", "Net.forward(x)"),
    (LEFT_OUT, {"line": "y = net(x)"}, "Net.forward(x)", "a tuple of all"),
    (
        OPSET + " Support for this operator was added in version 11, try",
        {},
        "opset_version=11)",
        "If torch is not the newest",
    ),
    (OPSET, {}, "A newer opset has more", "opset_version=11"),
    (TRACED, {"words": "if k > 0 and x.shape[0] > k:"}, "@torch.jit.script", "where("),
    (CHANGED, {"words": "l1.backward()\nopt.step()\nl2.backward()"}, "step() once", "`+=`"),
    (
        CHANGED,
        {"words": "l1.backward()\nopt.step()\nl2 = f(net(x))\nl2.backward()"},
        "`+=`",
        "step() once",
    ),
    (UNPACKED, {"line": "row, col = edge_index"}, "[2, edges]", "type(x)"),
    (UNPACKED, {"line": "row, col = batch"}, "Fewer values come, 1, than", "edges"),
    (
        "IndexError: boolean index did not match indexed array along axis 0; size of axis is 4 but "
        "size of corresponding boolean axis is 5",
        {},
        "5 entries chooses along axis 0",
        "dtypes",
    ),
    (
        "RuntimeError: Expected object of scalar type Byte but got scalar type Bool for argument "
        "#2 'other'",
        {},
        "mask.bool()",
        ".long()",
    ),
    (
        "AttributeError: 'InceptionOutputs' object has no attribute 'size'",
        {},
        "out, aux =",
        "spelling",
    ),
    (
        "AttributeError: 'tuple' object has no attribute 'size'",
        {"words": "fine-tuning GoogLeNet"},
        "out, aux =",
        "torch.stack",
    ),
    (APART, {"words": "a U-Net on 256x256x256"}, "takes 2 off", "halved, which rounds"),
    (APART, {"words": "a U-Net on 250x250"}, "halved, which rounds", "takes 2 off"),
    (APART, {"words": "a U-Net on 256x250"}, "halved, which rounds", "takes 2 off"),
    (
        'RuntimeError: Unexpected key(s) in state_dict: "epoch", "best", "state_dict".',
        {},
        "`state['state_dict']`",
        "another model",
    ),
]


@pytest.mark.parametrize(
    ("error", "around", "told", "untold"),
    [*LOSSES, *SHAPES, *PRODUCTS, *NORMS, *LAYERS, *INDEXING, *DTYPES, *DATA, *SEQUENCES, *VALUES],
)
def test_a_cause_is_told_where_the_message_has_it(
    error: str, around: dict[str, str], told: str, untold: str
) -> None:
    """And that of its neighbour, which has the same words, is not."""
    type_, _, message = error.partition(": ")
    reading = read_words(PastedTraceback(type=type_, message=message), Around(**around))

    assert reading is not None
    said = f"{reading.means} {reading.causes} {reading.remedy}"
    assert told in said
    assert untold not in said


CAT = "RuntimeError: Sizes of tensors must match except in dimension {}"
JOIN = "out = torch.cat((x, stat), 1)"
LOST = (
    "ValueError: The model did not return a loss from the inputs, only the following keys: {}. For "
    "reference, the inputs it received are input_ids,attention_mask."
)


@pytest.mark.parametrize(
    ("message", "around", "told", "not_told"),
    [
        (CAT.format("2. Got 70 and 71 (The offending index is 0)"), {}, "differ in dimension 2",
         "joined along"),
        (CAT.format("1. Got 4 and 5 in dimension 2 at /x.cu:71"), {"line": JOIN}, "fixed size",
         "skip connection"),
        (CAT.format("1. Got 4 and 5 in dimension 2 at /x.cu:71"),
         {"line": "d5 = torch.cat((x4, d5), dim=1)"}, "skip connection", "fixed size"),
        (CAT.format("2. Got 70 and 71 (The offending index is 0)"), {"words": "my U-Net"},
         "skip connection", "fixed size"),
        (LOST.format("logits"), {}, "mlm=False", "AutoModel"),
        (LOST.format("last_hidden_state"), {}, "AutoModelFor", "mlm=False"),
    ],
)  # fmt: skip
def test_what_was_joined_and_what_got_no_labels(
    message: str, around: dict[str, str], told: str, not_told: str
):
    """By the wording of an old torch, the line, and what a model returned."""
    type_, _, text = message.partition(": ")
    words = read_words(PastedTraceback(type=type_, message=text), Around(**around))

    assert words is not None
    assert told in words.means + words.remedy and not_told not in words.means + words.remedy


HOOK = "TypeError: Net.on_{}_epoch_end() missing 1 required positional argument: 'outputs'"
KERNEL = "RuntimeError: \"{}\" not implemented for '{}'"
LONG = "RuntimeError: Found dtype Long but expected Float"
RESIZE = (
    "ValueError: Input and output must have the same number of spatial dimensions, but got input "
    "with spatial dimensions of {} and output size of {}."
)
NOTHING_JOINED = "RuntimeError: There were no tensor arguments to this function"
SEVERAL = "RuntimeError: Boolean value of Tensor with {} is ambiguous"
NUMPY = "RuntimeError: Could not infer dtype of {}"
EXCLUDED = [
    # message, what the post shows beside it, what is told, what its own words exclude
    (HOOK.format("validation"), {}, "def on_validation_epoch_end(self):", "Give what is missing"),
    (HOOK.format("train").replace("'outputs'", "'x'"), {}, "Give what is missing", "Lightning"),
    (KERNEL.format("convert_indices_from_coo_to_csr_cpu", "Float"), {}, "edge_index", "x.float()"),
    (KERNEL.format("bincount_cpu", "Float"), {}, "index.long()", "x.float()"),
    (KERNEL.format("lshift_cpu", "Float"), {}, "x.long()", "x.float()"),
    (LONG, {"words": "a loss of numbers"}, "target.float()", "nn.Embedding"),
    (LONG, {"code": "y = conv(d.x)"}, "nn.Embedding", "target.float()"),
    (LONG, {"code": "l = bce(y, t)"}, "target.float()", "nn.Embedding"),
    (LONG, {"code": ""}, "target.float()", "nn.Embedding"),
    (LONG.replace("Long", "Double"), {"code": "y = conv(x)"}, "output.dtype", "nn.Embedding"),
    (RESIZE.format("[28, 28]", "torch.Size([366, 512, 3])"), {}, "np.unique(mask)", "unsqueeze"),
    (RESIZE.format("[28, 28]", "(3, 366, 512)"), {}, "np.unique(mask)", "unsqueeze"),
    (RESIZE.format("[28, 28]", "(366, 512, 64)"), {}, "unsqueeze", "np.unique"),
    (RESIZE.format("[28]", "(366, 3)"), {}, "unsqueeze", "np.unique"),
    (NOTHING_JOINED, {"words": "it comes in the validation"}, "len(val_loader)", "Annotate"),
    (NOTHING_JOINED, {}, "empty loader", "len(val_loader)"),
    (SEVERAL.format("more than one value"), {"line": "n += a == b[0]"}, "torch.equal", "item()"),
    (SEVERAL.format("more than one value"), {"line": "if mask:"}, ".any()", "item()"),
    (NUMPY.format("numpy.float32"), {}, "numpy<2", "int(x)"),
    (NUMPY.format("dict"), {}, "np.array(x)", "numpy<2"),
]


@pytest.mark.parametrize(("error", "shown", "told", "untold"), EXCLUDED)
def test_no_advice_that_the_message_itself_excludes(error, shown, told, untold):
    """No dtype is advised that the message complains of, and no other side of a shape."""
    kind, _, message = error.partition(": ")
    around = {name: value for name, value in shown.items() if name != "code"}
    code = (
        [Construct(kind="call", name="f", line=1, code=shown["code"])] if shown.get("code") else []
    )
    reading = read_words(
        PastedTraceback(type=kind, message=message, text=error), Around(**around), code
    )

    assert reading is not None
    whole = f"{reading.means} {reading.causes} {reading.remedy}"
    assert told in whole
    assert untold not in whole
