"""Layers: convolution, pooling, padding, and how they are made."""

import math
from collections.abc import Mapping

from executor.errors.around import Around
from executor.errors.family import ANY, ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.lists import shapes_named

_IMAGE_CHANNELS = (1, 3, 4)


def _channels(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether the last dimension has the channels that are taken; or what was joined to them."""
    sizes = seen.sizes("input")
    if seen["in_channels"] == "1" and sizes[:1] == (1,) and sizes[1] not in _IMAGE_CHANNELS:
        return {"unbatched": ", ".join(map(str, sizes[1:]))}
    if len(sizes) not in (3, 4) or not str(sizes[-1]) == seen["in_channels"] != str(sizes[1]):
        return _joined(seen) if seen["channels"] else {}
    return {"channels_last": "yes", "order": "0, 3, 1, 2" if len(sizes) == 4 else "0, 2, 1"}


def _joined(seen: SeenError) -> Mapping[str, str]:
    """The widths of the maps that were joined, where both sums share a rest in one way alone.

    Widths of layers are powers of two; a rest that is one too says nothing.
    """
    taken, given = seen.numbers("in_channels", "channels")
    found = [
        (wide, given - wide, taken - given + wide)
        for wide in (64, 128, 256, 512, 1024, 2048, 4096)
        if given - wide > 2 and taken - given + wide in (64, 128, 256, 512, 1024, 2048, 4096)
    ]
    if len(found) != 1 or found[0][1].bit_count() == 1 or taken == given:
        return {}
    wide, rest, narrow = map(str, found[0])
    return {"wide": wide, "rest": rest, "narrow": narrow}


def _printed_last(seen: SeenError, around: Around) -> Mapping[str, str]:
    """A shape that the post prints with the channels of a picture last, and sides before them."""
    given = seen.sizes("input")
    for shape in shapes_named(around.words):
        if len(given) == 4 and given != shape:
            continue
        if len(shape) == 4 and shape[-1] in _IMAGE_CHANNELS and shape[1] > 4 and shape[2] > 4:
            return {"printed_last": str(list(shape))}
    return {}


def _conv_input(seen: SeenError, message: str) -> Mapping[str, str]:
    """How many dimensions the input has and lacks, and what the layer was made with."""
    values: dict[str, str] = {}
    sizes, weight = seen.sizes("input"), seen.sizes("weight")
    if sizes and seen["batched"]:
        values |= {"has": str(len(sizes)), "lacks": str(seen.number("batched") - len(sizes))}
    if len(sizes) == 3 and seen["batched"] == "4" and sizes[-1] in _IMAGE_CHANNELS:
        values |= {"image": "last"}
    if len(sizes) == 2 and seen["batched"] == "4" and (side := math.isqrt(sizes[1])) > 7:
        square = side * side == sizes[1]
        values |= {"features": str(sizes[1]), "side": str(side)} if square else {}
    if len(weight) > 2:
        values |= {"made_in": str(weight[1])}
        third = len(weight) == 4 and len(sizes) == 5 and sizes.count(weight[1]) == 1
        values |= {"third": "yes"} if third and sizes[2] == weight[1] else {}
    return values


def _too_many(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether the input has more dimensions than a batch, or fewer than a sample."""
    shape = seen.sizes("input")
    if not shape:
        return {}
    has = len(shape) if seen["input"].startswith("[") else seen.number("input")
    return {"kind": "many" if has > seen.number("batched") else "few"}


def _signal(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether one side alone of a picture is too small, as that of a signal."""
    sizes = seen.sizes("input")
    return (
        {"signal": "yes"} if len(sizes) == 3 and min(sizes[1:]) == 1 < max(sizes[1:]) // 8 else {}
    )


def _kernel_edge(seen: SeenError, message: str) -> Mapping[str, str]:
    sizes = seen.sizes("kernel")
    return {"kernel_edge": str(max(sizes))} if sizes else {}


_SHRINKS = (
    "Print `x.shape` after each layer to see where it shrinks to nothing. If the images are "
    "smaller than the model was made for, resize them (models of ImageNet make a 32nd of each "
    "side and more: 224 pixels, 299 for Inception); if they are as meant, leave out a pooling or a "
    "stride"
)


def _size_with_channels(seen: SeenError, message: str) -> Mapping[str, str]:
    """The channels in a size that has one number more than the input, at one of its ends."""
    size, spatial = seen.sizes("size"), seen.sizes("input")
    if len(spatial) != 2 or len(size) != 3:
        return {}
    ends = [n for n in (size[-1], size[0]) if n in _IMAGE_CHANNELS]
    return {"channels": str(ends[0])} if ends else {}


FAMILIES = (
    ErrorFamily(
        id="conv_channels",
        says="A convolution gets another number of channels than its weight takes.",
        means=(
            Sentence(
                "A convolution takes {in_channels} channels, and its input [{input}] has "
                "{channels} in the channel dimension (the second one); the last dimension "
                "is {in_channels}, so the channels perhaps stand last",
                {"channels_last": r"yes"},
            ),
            Sentence(
                "A convolution with weight [{weight}] takes {in_channels} channels, and its input "
                "[{input}] has {channels}: {in_channels} is {narrow} + {rest}, and {channels} is "
                "{wide} + {rest} | two maps are joined before it, and one of them has {wide} "
                "channels where {narrow} are meant: a step that makes {narrow} of them was left "
                "out, or its result is not used",
                {"rest": r".+"},
            ),
            (
                "A convolution with weight [{weight}] takes {in_channels} channels, and "
                "its input [{input}] has {channels} in the channel dimension"
            ),
            (
                "A convolution takes {in_channels} channels, and its input [{input}] has "
                "another number in the channel dimension"
            ),
        ),
        remedy=(
            Sentence(
                "You print the shape {printed_last}: there the channels are last, and a "
                "convolution takes them second. Bring them there before the model, `x = "
                "x.permute(0, 3, 1, 2)`, or let the transform do it (`transforms.ToTensor()`); the "
                "layers stay as they are",
                {"printed_last": r".+"},
            ),
            Sentence(
                "If they do, bring them to the front before the layer: `x = x.permute({order})`",
                {"channels_last": r"yes"},
            ),
            Sentence(
                "`{quoted}` puts the new dimension into second place: the picture's {in_channels} "
                "channels are taken for a batch. The batch belongs in front, `unsqueeze(0)`",
                {
                    "channels": r"1",
                    "in_channels": r"3",
                    "input": r"3, 1, \d+, \d+",
                    "code": r"\.unsqueeze_?\((?:dim ?= ?)?1\)",
                },
            ),
            Sentence(
                "torch takes x for one sample, [channels, …], if it has no dimension for the "
                "channel, and puts the 1 in front. If x is [{unbatched}] and its {channels} are "
                "the batch, give it a channel: `x.unsqueeze(1)`; if they are channels, make the "
                "layer with in_channels={channels}",
                {"unbatched": r".+"},
            ),
            Sentence(
                "If this is Stable Diffusion: its U-Net takes latents of 4 channels, 9 for "
                "inpainting (latents, mask, masked picture), 8 for a picture as guide, 5 for "
                "depth. Model and pipeline are of different kinds: load both of the same",
                {"weight": r"320, [4589], .*", "channels": r"[4589]"},
            ),
            Sentence(
                "If the layer takes two pictures at once, join them along the channels: "
                "`torch.cat((a, b), dim=1)`. If it should take one, make it with in_channels=3",
                {"in_channels": "6", "channels": "3"},
            ),
            Sentence(
                "If the images are grey, load them with `.convert('RGB')` or "
                "`transforms.Grayscale(3)`, or make the first layer with in_channels=1; if the 1 "
                "is the batch, it belongs in front: `unsqueeze(0)`, not `unsqueeze(1)`",
                {"channels": r"1", "in_channels": r"3"},
            ),
            Sentence(
                "If the images have four channels (with transparency), load them with "
                "`.convert('RGB')`",
                {"channels": r"4", "in_channels": r"3"},
            ),
            Sentence(
                "If the images have 3 channels, load them in grey (`transforms.Grayscale(1)`), or "
                "make the layer with in_channels=3",
                {"in_channels": r"1", "channels": r"3"},
            ),
            Sentence(
                "Print the shapes of what is joined, right before `torch.cat`: the one with {wide} "
                "channels has to come from the step that gives {narrow} (`x = step(x)`, assigned). "
                "A layer made for {channels} channels would run, as another network, which weights "
                "of this one do not fit",
                {"rest": r".+"},
            ),
            (
                "Print `x.shape` before the layer. If {channels} is the number of channels, make "
                "this layer with in_channels={channels}, or the layer before it with "
                "{in_channels} outputs; if it is another dimension (the batch, a length), bring "
                "the channels to the second place"
            ),
            ("Print `x.shape` before the layer: the second dimension has to be {in_channels}"),
        ),
        now=(
            "Given groups=1, weight of size [{weight}], expected input[{input}] to "
            "have {in_channels} channels, but got {channels} channels instead"
        ),
        suspects=(
            Suspect(
                r"Conv[123]d|ConvTranspose[123]d",
                "made for {in_channels} channels",
                {0: "{in_channels}", "in_channels": "{in_channels}"},
            ),
        ),
        derive=_channels,
        look_around=_printed_last,
        types=("RuntimeError",),
        today=(
            r"Given (?P<form>groups|transposed)=(?P<groups>\d+), weight of size "
            r"\[(?P<weight>[\d, ]*)\], expected input\s?\[(?P<input>[\d, ]*)\] to have "
            r"(?P<in_channels>\d+) channels, but got (?P<channels>\d+)",
        ),
        older=(
            r"weight of size (?P<weight>\d+(?: \d+)+), ?expected input\s?\[(?P<input>[\d, ]*)\] ?"
            r"to have (?P<in_channels>\d+) channels, but got (?P<channels>\d+)",
            r"Given (?P<form>groups)=(?P<groups>\d+), weight\s?\[(?P<weight>[\d, ]*)\], so "
            r"expected input\s?\[(?P<input>[\d, ]*)\] to have (?P<in_channels>\d+) channels, but "
            r"got (?P<channels>\d+)",
            r"Need input of dimension \d+ and input\.size\[1\] == (?P<in_channels>\d+) but got "
            r"input to be of shape: \[(?P<input>[\dx ]*)\]",
        ),
        values={
            "form": "groups, or transposed for a transposed convolution",
            "groups": "number of groups; 1 for a transposed convolution",
            "weight": "sizes of the weight",
            "input": "sizes of the input",
            "in_channels": "channels that the weight takes",
            "channels": "channels that the input has",
        },
        sample="nn.Conv2d(3, 8, 3)(torch.ones(4, 32, 32, 3))",
        examples=(
            "RuntimeError: Given groups=1, weight of size 64 3 7 7, expected input[1, 1, 28, 28] "
            "to have 3 channels, but got 1 channels instead",
            "RuntimeError: Given groups=1, weight[64, 3, 7, 7], so expected input[1, 1, 224, 224] "
            "to have 3 channels, but got 1 channels instead",
            "RuntimeError: Need input of dimension 4 and input.size[1] == 3 but got input to be of "
            "shape: [1 x 1 x 28 x 28] at /b/wheel/pytorch/SpatialConvolutionMM.c:47",
        ),
    ),
    ErrorFamily(
        id="conv_dimensions",
        says="A convolution gets an input with another number of dimensions than it takes.",
        means=(
            Sentence(
                "A convolution takes batches with {batched} dimensions, and its input {input} has "
                "{has}: the batch dimension is perhaps missing, or the channels",
                {"lacks": r"1", "input": r".+"},
            ),
            Sentence(
                "A convolution takes batches with {batched} dimensions, and its input {input} has "
                "{has}, which is too many",
                {"lacks": r"-\d+", "input": r".+"},
            ),
            (
                "A convolution takes an input with {batched} dimensions (batch, channels, then "
                "the sizes), and gets {input}"
            ),
            (
                "A convolution takes an input with {batched} dimensions (batch, channels, then "
                "the sizes), and gets another number"
            ),
        ),
        remedy=(
            Sentence(
                "If the input {input} is one image with its channels last, it needs the "
                "transforms of the training first: `x = "
                "transform(Image.open(path).convert('RGB')).unsqueeze(0)`, and `model.eval()`; by "
                "hand `x.permute(2, 0, 1).unsqueeze(0).float()`",
                {"image": r"last"},
            ),
            Sentence(
                "If {input} is a batch of pictures, it has no depth or time: a Conv2d takes it, or "
                "`x.unsqueeze(2)` gives it a depth of 1. If it is a single volume or video, "
                "`x.unsqueeze(0)` adds the batch",
                {"lacks": r"1", "input": r".+", "batched": "5"},
            ),
            Sentence(
                "For a single sample add the batch dimension: `x = x.unsqueeze(0)`; where {input} "
                "is already a batch without channels: `x = x.unsqueeze(1)`",
                {"lacks": r"1", "input": r".+"},
            ),
            Sentence(
                "The layer takes one channel, and the dimension of size 1 stands third in {input}: "
                "the two before it most likely both count samples (pairs, frames, crops). Merge "
                "them before the layer, `x.flatten(0, 1)`, and the labels likewise (or take them "
                "apart again afterwards). Squeezing the 1 away would take the channel",
                {"third": r"yes", "made_in": "1"},
            ),
            Sentence(
                "If these are pictures, they take a Conv2d. If one dimension has size 1, "
                "`squeeze` that one; if two of them count samples, `x.flatten(0, 1)` merges them",
                {"lacks": r"-1", "input": r".+", "batched": "3"},
            ),
            Sentence(
                "If two of the dimensions count samples (pairs, frames, crops), merge them before "
                "the layer: `x.flatten(0, 1)`, and the labels likewise (or take them apart again "
                "afterwards); if one has size 1, `squeeze` it; for volumes or videos a Conv3d "
                "takes five",
                {"lacks": r"-1", "input": r".+"},
            ),
            Sentence(
                "{features} is {side} * {side}: if each row is a grey picture that was flattened, "
                "give it its sides back, `x = x.view(-1, 1, {side}, {side})`, or leave the "
                "flattening out before the convolution",
                {"side": r".+"},
            ),
            (
                "Print `x.shape` before the layer, and bring it to [batch, channels, …]: "
                "`unsqueeze(0)` adds a batch dimension, `unsqueeze(1)` a channel dimension; "
                "`squeeze` or `flatten` takes one away"
            ),
        ),
        now=(
            "Expected {unbatched}D (unbatched) or {batched}D (batched) input to conv2d, but got "
            "input of size: {input}"
        ),
        suspects=(Suspect(r"Conv[123]d", "the layer with this weight", {0: "{made_in}"}),),
        derive=_conv_input,
        types=("RuntimeError",),
        today=(
            r"Expected (?P<unbatched>\d)D \(unbatched\) or (?P<batched>\d)D \(batched\) input to "
            r"(?P<operation>conv\w*), but got input of size: (?P<input>\[[\d, ]*\])",
        ),
        older=(
            r"^expected (?P<batched>\d)-dimensional input for "
            r"(?P<weight_dimensions>\d)-dimensional weight",
            r"Expected (?P<batched>\d)-dimensional input for (?P<weight_dimensions>\d)-dimensional "
            r"weight \[?(?P<weight>[\d, ]*)\]?, ?but got (?:\d-dimensional )?input of size "
            r"(?P<input>\[[\d, ]*\])",
        ),
        values={
            "unbatched": "dimensions of one sample",
            "batched": "dimensions of a batch",
            "operation": "PyTorch's name of it, such as conv2d",
            "input": "shape of the input",
            "weight_dimensions": "dimensions of the weight",
            "weight": "sizes of the weight",
        },
        sample="nn.Conv2d(3, 8, 3)(torch.ones(8, 8))",
        examples=(
            "RuntimeError: expected 4-dimensional input for 4-dimensional weight",
            "RuntimeError: Expected 4-dimensional input for 4-dimensional weight [64, 3, 3, 3], "
            "but got 3-dimensional input of size [3, 224, 224] instead",
            "RuntimeError: Expected 4-dimensional input for 4-dimensional weight [30,1,5,5],but "
            "got 5-dimensional input of size [16,2,1,256,256] instead",
            "RuntimeError: Expected 4-dimensional input for 4-dimensional weight 64 3 3 3, but got "
            "input of size [3, 224, 224] instead",
        ),
    ),
    ErrorFamily(
        id="conv_stride",
        says="A stride, padding or dilation has more numbers than the convolution has directions.",
        means=(
            Sentence(
                "{given} is the {option} that a layer of more directions has by itself, so what "
                "comes in has too few dimensions: an image without its batch dimension, which old "
                "versions read as a signal; or somebody wrote {given} for a layer of {count}",
                when={"given": r"\[(?:1(?:, 1)+|0(?:, 0)+)\]"},
            ),
            "{option} of a convolution is {given}, and it has {count} directions",
            (
                "{option} of a convolution has another number of values than the convolution has "
                "directions | a 1-d convolution got a pair, or an input with too few dimensions"
            ),
        ),
        remedy=(
            Sentence(
                "Print `x.shape` before the layer, and give a single image its batch dimension: "
                "`x.unsqueeze(0)`",
                when={"given": r"\[(?:1(?:, 1)+|0(?:, 0)+)\]"},
            ),
            (
                "Give {option} one number, or as many as the layer has directions (Conv1d "
                "1, Conv2d 2); and check that the input has batch and channel dimensions: "
                "print `x.shape` before the layer"
            ),
        ),
        suspects=(Suspect(r"[Cc]onv[123]d|[Cc]onv_?[Tt]ranspose[123]d"),),
        types=("RuntimeError",),
        today=(
            r"expected (?P<option>stride|padding|dilation) to be a single integer value"
            r"(?: or a list of (?P<count>\d+) values to match the convolution dimensions, but got "
            r"\w+=(?P<given>\[[\d, ]*\]))?",
        ),
        values={
            "option": "stride, padding or dilation",
            "count": "numbers it may have",
            "given": "numbers it has",
        },
        sample="F.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2), stride=(1, 1))",
        examples=("RuntimeError: expected stride to be a single integer value",),
    ),
    ErrorFamily(
        id="conv_weight_dimensions",
        says="A convolution gets a weight without kernel dimensions.",
        decides=True,
        means=("A convolution gets a weight without kernel dimensions",),
        remedy=(
            (
                "The weight has to be [out_channels, in_channels / groups, kernel…]: a 1-d "
                "one has three dimensions"
            ),
        ),
        types=("RuntimeError",),
        today=(r"weight should have at least three dimensions",),
        sample="F.conv1d(torch.ones(1, 2, 3), torch.ones(1, 2))",
    ),
    ErrorFamily(
        id="adaptive_pool_dimensions",
        says="Adaptive pooling gets an input without a dimension for channels.",
        means=(
            (
                "{operation} takes {unbatched} or {batched} dimensions, and its input is "
                "{input} | the batch or the channel dimension is missing"
            ),
        ),
        remedy=(
            Sentence(
                "If {input} is [batch, features], it was flattened or pooled before: leave this "
                "pooling out. If the batch or the channel is missing, `unsqueeze` adds it",
                {"input": r"\[\d+, \d+\]"},
            ),
            "Print the shape before the layer. If a dimension is missing, `unsqueeze` adds it; if "
            "one is too many, `flatten(0, 1)` or `squeeze` takes it away",
        ),
        types=("RuntimeError",),
        today=(
            r"(?P<operation>adaptive_\w+)\(\): Expected (?P<unbatched>\d)D or (?P<batched>\d)D "
            r"tensor, but got:? (?P<input>\[[\d, ]*\])",
        ),
        values={
            "operation": "PyTorch's name of it",
            "unbatched": "dimensions of one sample",
            "batched": "dimensions of a batch",
            "input": "shape of the input",
        },
        sample="torch._C._nn.adaptive_max_pool2d(torch.ones(8, 8), (2, 2))",
    ),
    ErrorFamily(
        id="adaptive_pool_size",
        says="Adaptive pooling gets an input with fewer dimensions than its output size.",
        means=("Adaptive pooling to {least} sizes gets an input with fewer dimensions",),
        remedy=(
            ("Print the shape before the layer: it needs [batch, channels, height, width] for 2d"),
        ),
        types=("ValueError",),
        today=(r"[Ii]nput dimension should be at least (?P<least>\d+)",),
        values={"least": "dimensions it takes at least"},
        sample="nn.AdaptiveAvgPool2d((2, 2))(torch.ones(8, 8))",
    ),
    ErrorFamily(
        id="pool_dimensions",
        says="A layer takes a sample or a batch, and gets another number of dimensions.",
        means=("A layer takes {unbatched} or {batched} dimensions, and gets {input}",),
        derive=_too_many,
        remedy=(
            Sentence(
                "If these are pictures, take the layer for them (BatchNorm2d, MaxPool2d, …); if a "
                "dimension of size 1 is too many, `squeeze` that one; if [batch, steps, features] "
                "was meant flat, see what was not flattened",
                {"kind": "many"},
            ),
            Sentence(
                "Print `x.shape` before the layer. If a single sample goes in, `unsqueeze(0)` adds "
                "the batch; if a `squeeze()`, a `view` or an index took a dimension away, that is "
                "where to look; after a Linear the layer for [batch, features] is the 1d one",
                {"kind": "few"},
            ),
            "Print `x.shape` before the layer: it needs a dimension for the batch and one for the "
            "channels where it has them, and as many behind them as the layer's name says",
        ),
        types=("RuntimeError", "ValueError"),
        today=(
            r"[Ee]xpected (?P<unbatched>\d)D? or (?P<batched>\d)D? (?:\(unbatched\) )?"
            r"[^\n]{0,200}?(?:input|tensor)[^\n]{0,200}?got (?:input of size: )?"
            r"(?P<input>\[[^\]\n]{0,200}\]|\d)",
        ),
        older=(r"non-empty \dD or \dD \(batch mode\) tensor expected for input",),
        values={
            "unbatched": "dimensions of one sample, as the message has it",
            "batched": "dimensions of a batch, as the message has it",
            "input": "shape of the input, or the number of its dimensions",
        },
        sample="nn.BatchNorm1d(3)(torch.ones(2, 3, 4, 5))",
        examples=("RuntimeError: non-empty 3D or 4D (batch mode) tensor expected for input",),
        breadth=3,
    ),
    ErrorFamily(
        id="conv_kernel_size",
        says="The kernel of a convolution is larger than its padded input.",
        means=(
            "The kernel ({kernel}) of a convolution is larger than its padded input ({input}) | "
            "the image has become too small before this layer, was too small to begin with, or "
            "its dimensions stand in another order (channels last)",
        ),
        remedy=(
            Sentence(
                "You print the shape {printed_last}: there the channels are last, and a "
                "convolution takes them second. Bring them there before the model, `x = "
                "x.permute(0, 3, 1, 2)`, or let the transform do it (`transforms.ToTensor()`); the "
                "layers stay as they are",
                {"printed_last": r".+"},
            ),
            f"{_SHRINKS}; a smaller kernel or `padding` helps where this layer alone is too large",
        ),
        suspects=(Suspect(r"Conv[123]d", "", {ANY: "{kernel_edge}"}),),
        derive=_kernel_edge,
        look_around=_printed_last,
        types=("RuntimeError",),
        today=(
            r"Calculated padded input size per channel: \((?P<input>[\dx ]*)\)\. Kernel size: "
            r"\((?P<kernel>[\dx ]*)\)",
        ),
        values={
            "input": "size of the padded input, such as 3 x 3",
            "kernel": "size of the kernel",
        },
        sample="nn.Conv2d(3, 8, 5)(torch.ones(1, 3, 3, 3))",
    ),
    ErrorFamily(
        id="output_too_small",
        says="The input of a pooling layer is too small for its window.",
        means=(
            "A pooling layer or convolution gets {input} and would have to give {output} | its "
            "input is too small at this layer, or has its dimensions in another order",
            "The input of a layer is too small for its window",
        ),
        remedy=(
            Sentence(
                "You print the shape {printed_last}: there the channels are last, and a "
                "convolution takes them second. Bring them there before the model, `x = "
                "x.permute(0, 3, 1, 2)`, or let the transform do it (`transforms.ToTensor()`); the "
                "layers stay as they are",
                {"printed_last": r".+"},
            ),
            Sentence(
                "If the data are a signal or a table and no picture, one side is 1 and cannot be "
                "halved: pool along the other alone, `kernel_size=(1, 2)` or `(2, 1)`, or use the "
                "1d layers on [batch, channels, length]",
                {"signal": r"yes"},
            ),
            _SHRINKS,
        ),
        suspects=(Suspect(r"MaxPool[123]d|AvgPool[123]d|max_pool[123]d|avg_pool[123]d"),),
        look_around=_printed_last,
        derive=_signal,
        types=("RuntimeError",),
        today=(
            r"Given input size: \((?P<input>[\dx ]*)\)\. Calculated output size: "
            r"\((?P<output>[-\dx ]*)\)",
            r"[Oo]utput size is too small",
        ),
        values={"input": "size of the input, such as 64x1x1", "output": "size that it would give"},
        sample="nn.MaxPool2d(4)(torch.ones(1, 64, 2, 2))",
    ),
    ErrorFamily(
        id="padding_size",
        says="Reflection padding is as large as the dimension it pads, or larger.",
        means=(
            (
                "Reflection padding is as large as the dimension it pads, or larger; it "
                "can only repeat what is there"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "A spectrogram pads each end by half of n_fft, and the sound is shorter than "
                    "that. Print its shape: if time is not the last dimension, [samples, channels] "
                    "as soundfile reads it, turn it (`x.T`); if the piece is as short as that, "
                    "take a smaller n_fft, or pad it with zeros to n_fft first",
                    {where: r"\bstft\b|spectrogram|\bmel|mfcc"},
                )
                for where in ("frames", "line", "words")
            ),
            "Print the shape of the input. If it is as meant, pad less than its size, or with "
            'mode="replicate" or "constant"; if not, its dimensions stand in another order, or it '
            "has become too small",
        ),
        suspects=(Suspect(r"pad|ReflectionPad[123]d"),),
        types=("RuntimeError",),
        today=(r"Padding size should be less than",),
        sample='F.pad(torch.ones(1, 1, 4, 4), (5, 5, 5, 5), mode="reflect")',
    ),
    ErrorFamily(
        id="padding_dimensions",
        says="F.pad gets amounts for more dimensions than its input has.",
        means=(
            (
                "F.pad gets {amounts} amounts, two for each dimension, and its input has "
                "only {dimensions} dimensions"
            ),
            "F.pad gets amounts for more dimensions than its input has",
        ),
        remedy=(
            (
                "Give two amounts for each dimension to pad, the last dimension first; or "
                "add the missing dimensions with `unsqueeze`"
            ),
        ),
        suspects=(Suspect(r"pad"),),
        types=("RuntimeError",),
        today=(
            r"Padding length should be less than or equal to two times the input dimension but got "
            r"padding length (?P<amounts>\d+) and input of dimension (?P<dimensions>\d+)",
        ),
        older=(r"Padding length too large",),
        values={"amounts": "number of amounts", "dimensions": "that the input has"},
        sample="F.pad(torch.ones(2, 3, 4), (1, 1, 1, 1, 1, 1, 1, 1))",
        examples=("AssertionError: Padding length too large",),
    ),
    ErrorFamily(
        id="padding_mode",
        says="A padding mode that does not exist is asked for.",
        decides=True,
        means=("A padding mode that does not exist for this is asked for",),
        remedy=(
            (
                'The modes are "constant", "reflect", "replicate" and "circular"; '
                "for the last three the input needs batch and channel dimensions"
            ),
        ),
        suspects=(Suspect(r"pad"),),
        types=("NotImplementedError", "ValueError"),
        today=(r"padding mode",),
        sample='F.pad(torch.ones(1, 1, 4, 4), (1, 1), mode="symmetric")',
    ),
    ErrorFamily(
        id="conv_groups",
        says="A convolution is made with channels that cannot be divided by its groups.",
        decides=True,
        means=(
            "{which} of a convolution cannot be divided by its groups",
            "A convolution is made with channels that cannot be divided by its groups",
        ),
        remedy=("in_channels and out_channels both have to be multiples of groups",),
        suspects=(Suspect(r"Conv[123]d"),),
        types=("ValueError",),
        today=(r"(?:(?P<which>in_channels|out_channels) must be )?divisible by groups",),
        values={"which": "in_channels or out_channels"},
        sample="nn.Conv2d(5, 8, 3, groups=2)",
    ),
    ErrorFamily(
        id="same_padding_strided",
        says="A convolution is made with padding='same' and a stride.",
        decides=True,
        means=("padding='same' goes only with stride 1",),
        remedy=("Give the padding as a number, such as kernel_size // 2",),
        suspects=(Suspect(r"Conv[123]d", "", {"padding": "'same'"}),),
        types=("ValueError", "RuntimeError"),
        today=(r"padding='same' is not supported for strided",),
        sample='nn.Conv2d(3, 8, 3, stride=2, padding="same")',
    ),
    ErrorFamily(
        id="grid_coordinates",
        says="A sampling grid does not end in one coordinate for each dimension of the image.",
        means=(
            ("grid_sample needs a grid that ends in {coordinates} coordinates, and gets {grid}"),
        ),
        remedy=(
            "If the coordinates stand in the second dimension: `grid.permute(0, 2, 3, 1)`; else "
            "print `grid.shape`, which has to be [batch, height, width, {coordinates}]",
        ),
        types=("RuntimeError",),
        today=(
            r"expected grid to have size (?P<coordinates>\d) in last dimension, but got grid with "
            r"sizes (?P<grid>\[[\d, ]*\])",
        ),
        values={"coordinates": "of a point", "grid": "shape of the grid"},
        sample="F.grid_sample(torch.ones(1, 1, 4, 5), torch.ones(1, 2, 4, 5))",
    ),
    ErrorFamily(
        id="affine_matrices",
        says="affine_grid gets a matrix of another shape than it takes.",
        decides=True,
        means=(("affine_grid takes matrices of {expected} for the size {size}, and gets {given}"),),
        remedy=(
            Sentence(
                "Add the batch dimension: `theta.unsqueeze(0)`",
                {"given": r"\[\d+, \d+\]"},
            ),
            "Print `theta.shape`, and bring it to {expected}",
        ),
        types=("ValueError",),
        today=(
            r"batch of (?P<dimensions>2D|3D) affine matrices of shape (?P<expected>\w{1,20}) for "
            r"size (?:torch\.Size\()?(?P<size>\[[\d, ]*\])\)?\. Got "
            r"torch\.Size\((?P<given>\[[\d, ]*\])",
        ),
        values={
            "dimensions": "2D or 3D",
            "expected": "shape it takes, such as Nx2x3",
            "size": "of the output that is asked for",
            "given": "shape of what it got",
        },
        sample="F.affine_grid(torch.ones(2, 3), [1, 1, 4, 4])",
    ),
    ErrorFamily(
        id="transposed_output_size",
        says="A transposed convolution is asked for an output size that it cannot make.",
        means=("A transposed convolution can make {smallest} to {largest}, and not {asked}",),
        remedy=(
            "If the size is that of what was halved before, use the same stride, kernel and "
            "padding as there; if any size is wanted, leave `output_size` out and bring the result "
            "to it with `F.interpolate`",
        ),
        types=("ValueError",),
        today=(
            r"requested an output size of (?P<asked>[\[(][\d, ]*[\])]|torch\.Size\(\[[\d, ]*\]\)),"
            r" but valid sizes range from (?P<smallest>\[[\d, ]*\]) to (?P<largest>\[[\d, ]*\])",
        ),
        values={
            "asked": "size that is asked for",
            "smallest": "smallest possible size",
            "largest": "largest possible size",
        },
        sample="nn.ConvTranspose1d(1, 1, 3, stride=2)(torch.ones(1, 1, 4), output_size=(20,))",
    ),
    ErrorFamily(
        id="transposed_output_padding",
        says="The output padding of a transposed convolution is as large as its stride.",
        decides=True,
        remedy=(
            "output_padding only chooses among the sizes that a stride leaves open: below stride, "
            "0 where that is 1",
        ),
        types=("RuntimeError",),
        today=(r"output padding must be smaller than either stride or dilation",),
        sample="nn.ConvTranspose2d(1, 1, 3, stride=2, output_padding=2)(torch.ones(1, 1, 4, 4))",
    ),
    ErrorFamily(
        id="resize_dimensions",
        says="interpolate or Upsample gets another number of dimensions than its mode or size has.",
        means=(
            Sentence(
                "The size that is asked for, {size}, holds {channels} channels, and height and "
                "width alone belong into it: the input, with {input} behind batch and channels, "
                "is as it should be",
                {"channels": r"[134]"},
            ),
            "The input has {dimensions} dimensions, and mode {mode} takes {needed}, the batch and "
            "the channels among them",
            "The first two dimensions count as batch and channels, and the sizes behind them are "
            "{input}",
        ),
        remedy=(
            Sentence(
                "See what the size is taken from. If it is a mask, it was read as a colour "
                "picture: of class numbers it is [N, height, width]. A palette file keeps them "
                "where Pillow opens it without `convert('RGB')`, and cv2 makes colours of it; "
                "colours have to be translated into class numbers. `np.unique(mask)` shows "
                "whether they are 0, 1, 2, …. If it is a picture, take height and width alone",
                {"channels": r"[134]"},
            ),
            "Print `x.shape`. A single picture needs its batch dimension, `x.unsqueeze(0)`, a "
            "batch of masks without channels `x.unsqueeze(1)`; take it away afterwards. If the "
            "dimensions are as meant, the mode is `linear` for 3, `bilinear` for 4 and "
            "`trilinear` for 5 of them",
        ),
        types=("ValueError", "NotImplementedError"),
        today=(
            r"Input and output must have the same number of spatial dimensions, but got input with "
            r"spatial dimensions of (?P<input>\[[\d, ]*\]) and output size of"
            r"(?: (?:torch\.Size\()?(?P<size>[\[(][\d, ]{1,60}[\])]))?",
            r"Got (?P<dimensions>\d)D input, but (?P<mode>\w+) mode needs (?P<needed>\d)D input",
        ),
        values={
            "input": "sizes of the input without batch and channels",
            "dimensions": "that the input has",
            "mode": "of interpolation",
            "needed": "dimensions that the mode needs",
            "size": "that was asked for",
        },
        derive=_size_with_channels,
        sample="F.interpolate(torch.ones(3, 4, 4), size=(8, 8))",
    ),
)
