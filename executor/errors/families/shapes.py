"""Shapes and dimensions: broadcasting, expand, view, a dimension that is not there."""

from collections.abc import Mapping
from math import isqrt, prod

from executor.errors.around import Around
from executor.errors.family import ANY, ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.lists import shapes_named
from executor.errors.one_hot import numbers_against_rows

_TELLING = 16  # a size from here on stands in a program for one reason
# Lengths that well-known language models learned a position for.
_POSITIONS = frozenset({77, 128, 256, 512, 514, 1024, 1026, 2048, 4096})
_LANGUAGE = (
    r"\b(?:\w*bert\w*|gpt\W?2?|t5|clip\w*|tokeni[sz]\w*|tokens?|transformers?|llama|prompts?)\b"
)
_OF_LANGUAGE = (
    ("words", _LANGUAGE),
    ("frames", r"(?m)^modeling_\w+\.py "),
    ("code", _LANGUAGE),
)
_SKIPS = r"u-?net|skip|decoder|encoder|upsampl|\bup\w*\(|\bup\b|residual|shortcut|transpose|fpn"
# What max gives along a dimension, kept whole.
_PAIR_KEPT = (
    r"(?m:^\s*\w+ *= *(?:torch\.max\(\w[\w.]*, *|\w[\w.]*\.max\()(?:dim *= *|axis *= *)?-?\d\) *$)"
)
_BY_NUMBER = r"\b(?:mse|l1|smooth_?l1|huber)_?loss\b"
_STEP = r"\b(?:adam\w*|sgd|rmsprop|adagrad|radam|nadam|lion)\.py \w*(?:step|adam|sgd|multi|single)"
_COLLATED = r"\b(?:dataloader|collate)\.py (?:default_collate|collate)\b"
_BATCH_FIRST = r"\bbatch_first *= *True"
_IN_ATTENTION = r"\bfunctional\.py multi_head_attention_forward\b"
_ONE_HOT = r"\bone.?hot\b"
_TARGET_RESHAPED = r"\b(?:target|label|mask)s?\.(?:view|reshape)\("
# '1.10' comes before '1.5' where texts are compared.
_VERSIONS_AS_TEXT = r"torch\.__version__ {0,2}[<>]=? {0,2}['\"]1\.[2-9]\b"
# What embeds the values of a series, and what the positions, each in a call of its own.
_EMBEDS = r"\b(?!pos)\w{1,60}\("
_PLACES = r"\bpos\w{0,60}\("
_WINDOW = 128  # of an STFT, at least: below it such a pair of sizes says nothing


def _sizes(seen: SeenError, message: str) -> Mapping[str, str]:
    """The two sizes where they tell something, and whether one is the bins of the other's STFT."""
    if not (seen["a"].isdigit() and seen["b"].isdigit()):
        return {}  # older wordings name whole shapes
    small, large = sorted(seen.numbers("a", "b"))
    values = {"small": str(small)} if small >= _TELLING else {}
    values |= {"large": str(large)} if large >= _TELLING else {}
    if small >= 4 and large - small <= 2:
        values |= {"off_by": str(large - small)}
    if seen.number("a") > seen.number("b") and seen.number("b") in _POSITIONS:
        values |= {"positions": seen["b"]}
    if small > 16 and all(isqrt(n - 1) ** 2 == n - 1 for n in (small, large)):
        values |= {"patches": "yes"}
    if large >= _WINDOW and small == large // 2 + 1:
        values |= {"bins": str(small), "n_fft": str(large)}
    return values


def _state_of_a_batch(seen: SeenError, around: Around) -> Mapping[str, str]:
    """A state that the post shows with the batch first, whose layers the message compares."""
    one, other = seen.sizes("a"), seen.sizes("b")
    if len(one) != 2 or len(other) != 2 or one[1] != other[1]:
        return {}
    batch, layers, hidden = one[0], other[0], one[1]
    if (batch, layers, hidden) not in shapes_named(around.words):
        return {}
    told = {
        "state": f"[{batch}, {layers}, {hidden}]",
        "state_wanted": f"[{layers}, {batch}, {hidden}]",
    }
    return told


def _rows_or_a_state(seen: SeenError, around: Around) -> Mapping[str, str]:
    return {**numbers_against_rows(seen, around), **_state_of_a_batch(seen, around)}


def _view(seen: SeenError, message: str) -> Mapping[str, str]:
    """How many values the shape needs, its last size, and whether one is left open."""
    sizes = seen.sizes("shape")
    needed = prod(size for size in sizes if size > 0)
    values = {"needed": str(needed)}
    if sizes and sizes[-1] > 0:
        values |= {"last": str(sizes[-1])}
    if -1 in sizes:
        return values | {"open": "yes"} | ({"batch": str(needed)} if needed == sizes[0] > 1 else {})
    size, of_one = seen.number("size"), prod(sizes[1:])
    if of_one > 1 and 0 < size < needed and size % of_one == 0:
        return values | {"samples": str(size // of_one), "wanted": str(sizes[0])}
    if len(sizes) == 5 and sizes[3] == sizes[4] and size % (sizes[0] * sizes[3] ** 2 or 1) == 0:
        had = size // (sizes[0] * sizes[3] ** 2 or 1)
        return values | {"has": str(had), "channels": str(sizes[1] * sizes[2])}
    if len(sizes) == 4 and (maps := _maps(sizes, size)):
        return values | maps
    times = size // needed if 0 < needed < size and size % needed == 0 else 0
    return values | ({"times": str(times)} if times else {})


def _maps(sizes: tuple[int, ...], size: int) -> dict[str, str]:
    """The side of a tensor's square maps, where a shape with square maps takes another one."""
    for at in (2, 1):  # where the height stands
        height, width, rest = sizes[at], sizes[at + 1], sizes[:at] + sizes[at + 2 :]
        pixels, over = divmod(size, prod(rest) or size + 1)
        if height == width and not over and pixels and isqrt(pixels) ** 2 == pixels:
            return {"side": str(isqrt(pixels)), "taken": str(height)}
    return {}


def _room(seen: SeenError, message: str) -> Mapping[str, str]:
    """How a tensor and the place that it is to fill differ, where their shapes tell that."""
    given, wanted = seen.sizes("tensor_shape"), seen.sizes("target_shape")
    existing = seen.number("existing")
    if seen["dimension"] == "1" and seen.number("wanted") > existing and existing in _POSITIONS:
        return {"positions": str(existing)}
    alike = len(given) == len(wanted) > 1 and given[1:] == wanted[1:]
    if alike and len(given) == 3 and {given[0], wanted[0]} <= {1, 3, 4}:
        return {"kind": "channels", "has": str(given[0])}
    if alike and given[0] < wanted[0]:
        return {"kind": "fewer"}
    return {"kind": "order"} if given != wanted and sorted(given) == sorted(wanted) else {}


def _all_in_one(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether a tensor has just the values of the one dimension that it is to fill."""
    given, wanted = seen.sizes("tensor_shape"), seen.sizes("target_shape")
    flat = len(wanted) == 1 and [size for size in given if size != 1] == list(wanted)
    return {"flat": "yes"} if flat else {}


def _one_channel(seen: SeenError, message: str) -> Mapping[str, str]:
    """How many channels are written into an image that has one; or whether they may be pooled."""
    target, result = seen.sizes("target"), seen.sizes("result")
    if len(target) == 1 and result in ((1, *target, 1, *target), (*target, 1, *target)):
        return {"pooled": "yes"}
    if len(target) == 2 and target[1] == 1 and result == (target[0], target[0]):
        return {"column": str(target[0])}
    if target in ((), (1,)):
        return {"single": "yes"}
    one = len(target) == len(result) == 3 and target[0] == 1 and target[1:] == result[1:]
    return {"channels": str(result[0])} if one else {}


def _more(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether a tensor has more dimensions than permute lists."""
    if not (seen["listed"].isdigit() and seen["dimensions"].isdigit()):
        return {}
    if seen["dimensions"] == "2" and seen["listed"] == "3":
        return {"more": "picture"}
    return {"more": "yes" if seen.number("dimensions") > seen.number("listed") else "no"}


FAMILIES = (
    ErrorFamily(
        id="broadcast_sizes",
        says="Two tensors are combined element by element whose sizes do not broadcast.",
        look_around=_rows_or_a_state,
        means=(
            Sentence(
                "A recurrent layer reads its state layer by layer: of {state} each part is [{b}] "
                "where this batch needs [{a}]",
                {"state": r".+"},
            ),
            *(
                Sentence(
                    "You print one tensor of {numbers} numbers and one of {numbers} rows with "
                    "{columns} columns, as one-hot labels of {columns} classes are: one number and "
                    "{columns} for each sample are not compared with `==`, and a row alone, "
                    "`labels[0]`, is one sample",
                    {"numbers": r".+", where: r"=="},
                )
                for where in ("line", "code")
            ),
            *(
                Sentence(
                    "A sequence of {a} most likely meets {positions} learned positions: in "
                    "dimension {dimension} one tensor has {a} and the other {b}, and the model "
                    "knows no position behind its last. Tokens are not words: a tokenizer makes "
                    "more of them",
                    {"positions": r".+", where: _LANGUAGE},
                )
                for where in ("words", "code", "raising")
            ),
            (
                "Two tensors are combined element by element, and in dimension {dimension} "
                "one has {a} and the other {b}; they must be equal, or one of them 1"
            ),
            (
                "Two tensors are combined element by element whose sizes do not go "
                "together: {a} and {b}"
            ),
            Sentence(
                "The samples of a batch have different shapes, and a DataLoader makes one tensor "
                "of them",
                {"frames": _COLLATED},
            ),
            Sentence(
                "torch.cat is given tensors whose sizes do not go together: they need the same "
                "number of dimensions, and one size in all but the dimension along which they are "
                "joined",
                {"line": r"\bcat\("},
            ),
            "Two tensors whose sizes do not go together are combined",
        ),
        remedy=(
            Sentence(
                "The state never is batch first: batch_first=True changes the order of the input "
                "and of the output alone. Make it {state_wanted}, [layers * directions, batch, "
                "hidden_size], or exchange its first two dimensions, `h = h.transpose(0, "
                "1).contiguous()`; of zeros none has to be given",
                {"state": r".+"},
            ),
            *(
                Sentence(
                    "If they are one-hot, turn them into class numbers first: `labels = "
                    "labels.max(1)[1]` (today `labels.argmax(dim=1)`), and then `(predicted == "
                    "labels).sum()` compares all {numbers} samples",
                    {"numbers": r".+", where: r"=="},
                )
                for where in ("line", "code")
            ),
            Sentence(
                "Give all samples one shape in the dataset: of pictures, `Resize((h, w))` with "
                "both numbers (with one, only the shorter side is fixed) or a crop at the end of "
                "the transforms, and one number of channels (`.convert('RGB')`); sequences are "
                "padded in a `collate_fn`. `print(dataset[i][0].shape)` for some i shows it",
                {"frames": _COLLATED},
            ),
            Sentence(
                "Print the shapes of all that is joined, right before the line: a tensor that "
                "lost a dimension (by an index such as `x[i]`) gets it back with `unsqueeze`, and "
                "one that has a dimension of size 1 too many loses it with `squeeze`",
                {"line": r"\bcat\("},
            ),
            Sentence(
                "{bins} is {n_fft} // 2 + 1, the number of frequencies of an STFT whose n_fft is "
                "{n_fft}: where {n_fft} is given for that number (n_stft, a mask, a filter "
                "bank), write `{n_fft} // 2 + 1`",
                {"bins": r".+"},
            ),
            *(
                Sentence(
                    "Cut the text to what the model takes, `tokenizer(text, truncation=True, "
                    "max_length={positions})` (`model.config.max_position_embeddings` says how "
                    "many), or split it into windows that overlap (`stride=64, "
                    "return_overflowing_tokens=True`) and average their results",
                    {"positions": r".+", where: _LANGUAGE},
                )
                for where in ("words", "code", "raising")
            ),
            *(
                Sentence(
                    "{a} and {b} differ by {off_by}: the inverse of a real FFT gives an even "
                    "number of values unless it is told how many there were, for half of the "
                    "frequencies do not say it: `irfft(f, n=x.shape[-1])`, `irfft2(f, "
                    "s=x.shape[-2:])`",
                    {"off_by": r"1", where: r"\birfft[2n]?\("},
                )
                for where in ("words", "line", "code")
            ),
            *(
                Sentence(
                    "{a} and {b} differ by {off_by}, as an odd size does that was halved (stride "
                    "or pooling rounds down) and doubled again. Pad or resize the input to a "
                    "multiple of 2 for each halving (16 for four, 32 for five), give "
                    "`ConvTranspose2d` an `output_padding`, or bring one to the other's size: "
                    "`up = F.interpolate(up, size=skip.shape[2:])`",
                    {"off_by": r".+", "dimension": r"[234]", where: _SKIPS},
                )
                for where in ("words", "line", "code")
            ),
            Sentence(
                "If this is a Normalize with three means, the picture has an alpha channel (RGBA): "
                "`Image.open(path).convert('RGB')`. If not, print both shapes right before the "
                "line",
                {"a": "4", "b": "3", "dimension": "0|1"},
            ),
            *(
                Sentence(
                    "Both are a square and one, as the patches of a picture and the class token "
                    "are. Positions were learned for pictures of one size, and these have another: "
                    "resize them to it, or make the model for theirs (`img_size=` in timm, "
                    "`interpolate_pos_encoding=True` in Transformers)",
                    {"patches": r".+", "dimension": "1", where: r"\bvit|patch|cls_token|pos_?emb"},
                )
                for where in ("words", "line", "code", "raising")
            ),
            Sentence(
                "The optimizer has a state, or a gradient, of another shape than the parameter's. "
                "If its state was loaded, it's of a model with other sizes, or with its parameters "
                "in another order: make it new, or load into the same model. If a layer was "
                "replaced or resized, make the optimizer after that",
                {"frames": _STEP},
            ),
            Sentence(
                "If {a} counts classes and {b} samples, predictions [samples, classes] meet class "
                "numbers [samples]: compare `output.argmax(dim=1)` with them",
                {"dimension": "1", "line": r"==|\.eq\(|correct|accura"},
            ),
            *(
                Sentence(
                    "This loss compares number by number. If {a} counts classes or outputs and {b} "
                    "samples, predictions [samples, {a}] meet a target [samples]: for class "
                    "numbers `nn.CrossEntropyLoss` is meant, for values a model with one output "
                    "and `target.unsqueeze(1)`",
                    {"dimension": "1", **where},
                )
                for where in (
                    {"frames": _BY_NUMBER},
                    {"line": _BY_NUMBER},
                    {"line": r"criterion|loss", "words": _BY_NUMBER},
                    {"line": r"criterion|loss", "code": _BY_NUMBER},
                )
            ),
            *(
                Sentence(
                    "Print the shapes of the mask and of what it is added to. The mask goes with "
                    "[batch, heads, queries, keys]: its last size is the number of keys, with "
                    "those of a cache (past_key_values) and of a prefix",
                    {"dimension": "3", where: r"mask"},
                )
                for where in ("line", "raising")
            ),
            Sentence(
                "The versions are compared as strings there, digit by digit: '{torch}' comes "
                "before '1.2' and all up to '1.9', so the branch for an older torch is taken, and "
                "with it another padding or size. Compare numbers, `tuple(map(int, torch."
                "__version__.split('.')[:2])) >= (1, 5)`, in every place of that kind, or write "
                "the branch for a newer torch alone",
                {"words": _VERSIONS_AS_TEXT, "torch": r"1\.1\d.*"},
            ),
            *(
                Sentence(
                    "Of the two that are added the left one has {a}, and the right one {b}. Print "
                    "the shape of what each call gives, and of what it is given: the one that "
                    "changes the length is to be mended (a convolution with kernel_size 3 keeps "
                    "it with padding 1), or the table of positions is too short",
                    {"line": rf"{one}[^+\n]{{0,80}}\+[^+\n]{{0,80}}{other}"},
                )
                for one, other in ((_EMBEDS, _PLACES), (_PLACES, _EMBEDS))
            ),
            Sentence(
                "Print both shapes. Positions are cut to the number of steps and added to the "
                "dimension that counts them: `pe[:, :x.size(1)]` of [1, steps, features] for x "
                "[batch, steps, features], `pe[:x.size(0)]` of [steps, 1, features] for x [steps, "
                "batch, features]. If x has more steps than the table, make the table longer",
                {"line": r"\bpe\b|\bpos(?:_\w*)?\b|posi"},
            ),
            Sentence(
                "Print both shapes right before the line. If {a} and {b} count samples, one was "
                "made for a fixed batch size, and the last batch is smaller: make it from the "
                "batch's own, `x.size(0)` (a state, noise, a target, a mask). If not, find where "
                "the two come from",
                {"dimension": "0", "kind": r".+"},
            ),
            *(
                Sentence(
                    "Print both shapes. If both are pictures, one has its 3 channels last, as "
                    "NumPy and Pillow do: `x.permute(0, 3, 1, 2)` of a batch, `x.permute(2, 0, 1)` "
                    "of one",
                    {side: "3", "large": r".+", "dimension": r"[23]"},
                )
                for side in ("a", "b")
            ),
            (
                "Print both shapes right before the line; they are compared from the last "
                "dimension on. If one has fewer, `unsqueeze` puts a 1 where one is missing; if "
                "they stand in another order, `transpose` one; if both count the same, find where "
                "the {a} and the {b} come from (another padding, stride or length)"
            ),
            "Print both shapes right before the line",
        ),
        derive=_sizes,
        suspects=(
            Suspect(r".*", "has the {large}", {ANY: "{large}"}),
            Suspect(r".*", "has the {small}", {ANY: "{small}"}),
        ),
        types=("RuntimeError",),
        today=(
            r"[Tt]he size of tensor [aA] \((?P<a>\d+)\) must match the size of tensor [bB] "
            r"\((?P<b>\d+)\)(?: at (?:(?P<kind>non-singleton) )?dimension (?P<dimension>\d+))?",
        ),
        older=(
            r"^(?:invalid argument \d+: )?sizes do not match at",
            r"^inconsistent tensor sizes? at",
            r"inconsistent tensor sizes?, expected r_ \[(?P<a>[\dx ]+)\](?:, t "
            r"\[[\dx ]+\])? and (?:src )?\[(?P<b>[\dx ]+)\] to",
        ),
        values={
            "a": "size of the first tensor in that dimension",
            "b": "size of the second",
            "kind": "`non-singleton`, as PyTorch calls a dimension that has more than one entry",
            "dimension": "of the result, from 0",
        },
        sample="torch.ones(5) + torch.ones(8)",
        examples=(
            "RuntimeError: invalid argument 3: sizes do not match at "
            "/pytorch/torch/lib/THC/generated/../THCTensorMathCompareT.cuh:65",
            "RuntimeError: sizes do not match at "
            "/pytorch/aten/src/THC/generic/THCTensorMathPointwise.cu:216",
            "RuntimeError: inconsistent tensor size, expected r_ [32 x 10], t [32 x 10] and src "
            "[32 x 1] to have the same number of elements, but got 320, 320 and 32 elements",
        ),
    ),
    ErrorFamily(
        id="inplace_result_grows",
        says="The result of an in-place operation is larger than the tensor it is written into.",
        derive=_one_channel,
        means=(
            "A result of shape {result} is written in place into a tensor of {target}",
            ("The result of an in-place operation is larger than the tensor it is written into"),
        ),
        remedy=(
            Sentence(
                "If this is a Normalize: the image has one channel and mean and std have "
                "{channels} numbers, so give them one, `Normalize((0.5,), (0.5,))`, or load the "
                "image in colour (`.convert('RGB')`)",
                {"channels": r".+"},
            ),
            Sentence(
                "A column [{column}, 1] and a row [{column}] make a table. If they belong "
                "together one by one, give both one shape: `y.unsqueeze(1)`",
                {"column": r".+"},
            ),
            Sentence(
                "If it sums up one number, reduce what is added: `total += loss.sum()` (or "
                "`.mean()`, as it is meant). If it is to keep all values, collect them in a list",
                {"single": r"yes"},
            ),
            Sentence(
                "If what is written in is a map that was pooled to one place, such as [1, n, 1, 1] "
                "for {target}, flatten it: `x.copy_(y.flatten())`",
                {"pooled": r"yes"},
            ),
            (
                "If the larger result is meant, write it out of place: `x = x + y` instead of `x "
                "+= y`. If not, the right side has a size or a dimension too many: print both "
                "shapes and reduce, `squeeze` or index it"
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"output with shape (?P<target>\[[\d, ]*\]) doesn't match the broadcast shape "
            r"(?P<result>\[[\d, ]*\])",
        ),
        values={"target": "shape of what is written into", "result": "shape of the result"},
        sample="torch.ones(3).add_(torch.ones(2, 3))",
    ),
    ErrorFamily(
        id="expand_sizes",
        says="A tensor is to be repeated into a shape that it cannot fill.",
        means=(
            (
                "A tensor of {tensor_shape} is to be spread over {target_shape}: in "
                "dimension {dimension} it has {existing} where {wanted} is wanted, and "
                "only a size of 1 can be repeated"
            ),
            (
                "A tensor with {existing} in dimension {dimension} is to fill {wanted}; "
                "only a size of 1 can be repeated"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "pad_sequence pads the first dimension alone, and all others have to be equal "
                    "(pictures of different sizes begin with their channels). Pad the last two "
                    "with `F.pad(x, (0, right, 0, bottom))`, or resize them, and join them with "
                    "`torch.stack`",
                    {where: r"\bpad_sequence\("},
                )
                for where in ("line", "code")
            ),
            *(
                Sentence(
                    "If {wanted} is the number of tokens, the text is longer than the {positions} "
                    "positions of the model: `tokenizer(text, truncation=True, "
                    "max_length={positions})` cuts it; windows that overlap keep all of it "
                    "(`stride=64, return_overflowing_tokens=True`)",
                    {"positions": r".+", where: pattern},
                )
                for where, pattern in _OF_LANGUAGE
            ),
            Sentence(
                "If both are one thing, its dimensions stand in another order: `permute` brings "
                "them into one (pictures of NumPy or Pillow are [height, width, channels], those "
                "of torch [channels, height, width]: `x.permute(2, 0, 1)`)",
                {"kind": "order"},
            ),
            Sentence(
                "If these are pictures, one has {has} channels where another number is meant: load "
                "all alike, `Image.open(path).convert('RGB')`, or `'L'` for grey",
                {"kind": "channels"},
            ),
            Sentence(
                "It has {existing} entries where {wanted} are to be filled. If these count "
                "samples, the last batch is smaller than the others: write into as many as there "
                "are, `a[start:start + len(b)] = b`",
                {"kind": "fewer"},
            ),
            (
                "Print both shapes right before the line. Where a value is assigned (`a[i] "
                "= b`), `b` needs the shape of `a[i]`"
            ),
        ),
        derive=_room,
        suspects=(
            Suspect(r".*", "is written into", kinds=("item",)),
            Suspect(r"expand|expand_as"),
        ),
        types=("RuntimeError",),
        today=(
            r"The expanded size of the tensor \((?P<wanted>-?\d+)\) must match the existing size "
            r"\((?P<existing>\d+)\) at (?:non-singleton )?dimension (?P<dimension>\d+)"
            r"(?:\.\s+Target sizes: (?P<target_shape>\[[-\d, ]*\])\."
            r"\s+Tensor sizes: (?P<tensor_shape>\[[\d, ]*\]))?",
        ),
        values={
            "wanted": "size that is asked for",
            "existing": "size that the tensor has",
            "dimension": "of the result, from 0",
            "target_shape": "shape that is asked for",
            "tensor_shape": "shape that the tensor has",
        },
        sample="torch.ones(3).expand(2, 5)",
        examples=(
            "RuntimeError: The expanded size of the tensor (5) must match the existing size (3) at "
            "non-singleton dimension 1",
        ),
    ),
    ErrorFamily(
        id="expand_fewer_dimensions",
        says="A tensor is to be expanded into fewer dimensions than it has.",
        means=(
            (
                "A tensor of shape {tensor_shape} is written where only {target_shape} "
                "fits: it has more dimensions than its place"
            ),
        ),
        derive=_all_in_one,
        remedy=(
            Sentence(
                "If its values are meant, `x.flatten()` gives it the shape {target_shape}: all but "
                "one of its dimensions have size 1",
                {"flat": r"yes"},
            ),
            Sentence(
                "`{quoted}`: with a dimension, max gives a pair, (values, indices), and an index "
                "into that pair takes all values or all indices. Write `.values` (or `[0]`) behind "
                "it, and then index",
                {"code": _PAIR_KEPT},
            ),
            (
                "Where a value is assigned (`a[i] = b`), `b` needs the shape of `a[i]`. If a whole "
                "tensor belongs there, make `a` with room for it, `torch.empty(n, *b.shape)`; if "
                "one value of it, take that by an index; a dimension of size 1 goes with "
                "`squeeze(d)`. If it is a mask that a model expands, hand it over without the "
                "dimensions that the model adds, [batch, keys]"
            ),
        ),
        suspects=(
            Suspect(r".*", "is written into", kinds=("item",)),
            Suspect(r"expand|expand_as"),
        ),
        types=("RuntimeError",),
        today=(
            r"expand\([\w.]{1,60}\{(?P<tensor_shape>\[[\d, ]*\])\}, "
            r"size=(?P<target_shape>\[[-\d, ]*\])\): the number of sizes provided "
            r"\((?P<given>\d+)\) must be greater or equal to the number of dimensions in the "
            r"tensor \((?P<dimensions>\d+)\)",
        ),
        values={
            "tensor_shape": "shape that the tensor has",
            "target_shape": "shape that is asked for",
            "given": "number of sizes that are asked for",
            "dimensions": "number of dimensions that the tensor has",
        },
        sample="torch.ones(2, 3, 4).expand(3, 4)",
    ),
    ErrorFamily(
        id="view_size",
        says="view or reshape asks for another number of elements than the tensor has.",
        means=(
            Sentence(
                "The tensor is empty, and the shape [{shape}] would need {needed} values | a file "
                "that ends too early, a mask, slice or filter that left nothing",
                {"size": r"0"},
            ),
            Sentence(
                "An attention layer cuts its keys or values into as many samples as the queries "
                "have, and they have another number of them",
                {"frames": _IN_ATTENTION, "code": _BATCH_FIRST},
            ),
            Sentence(
                "An attention layer cuts its keys or values into as many samples as the queries "
                "have, and they have another number of them: without batch_first=True (which came "
                "with 1.9) it takes the second dimension for the batch",
                {"frames": _IN_ATTENTION},
            ),
            Sentence(
                "The tensor has {size} values, and {size} is not a multiple of {needed}, "
                "so no number fits in the place of -1",
                {"open": r"yes"},
            ),
            *(
                Sentence(
                    "The target has {size} values, {times} times as many as the shape [{shape}] "
                    "takes: a one-hot target holds one number for each class, and class numbers "
                    "are one for each position",
                    {"times": r"[2-9]|\d{2,}", "words": _ONE_HOT, where: _TARGET_RESHAPED},
                )
                for where in ("line", "code")
            ),
            Sentence(
                "The tensor has {size} values, enough for {samples} entries in the first dimension "
                "of [{shape}], which has {wanted}",
                {"samples": r".+"},
            ),
            Sentence(
                "The tensor has {size} values, {times} times as many as the shape [{shape}] takes",
                {"times": r".+"},
            ),
            "The tensor has {size} values, and the shape [{shape}] would need {needed}",
        ),
        remedy=(
            Sentence(
                "Print the shapes of query, key and value, which are [batch, length, features] "
                "where the layer is batch first: all need the same batch, and none is broadcast. "
                "One query that is learned for all samples is expanded first, "
                "`q.expand(x.size(0), -1, -1)`",
                {"frames": _IN_ATTENTION, "code": _BATCH_FIRST},
            ),
            Sentence(
                "Give query, key and value as [length, batch, features] (`x.transpose(0, 1)`, and "
                "the output back), or make the layer with batch_first=True where it exists; a view "
                "or reshape instead of the transpose would mix the samples",
                {"frames": _IN_ATTENTION},
            ),
            Sentence(
                "See why it is empty: `print(x.shape)` step by step up to the line; of a file that "
                "is read in parts, whether it is the one that belongs to this model, and whole",
                {"size": r"0"},
            ),
            *(
                Sentence(
                    "If {times} is the number of classes: `target.argmax(dim=1)` turns a one-hot "
                    "target [batch, classes, …] into class numbers [batch, …]. "
                    "`nn.CrossEntropyLoss` takes them as they are, with scores [batch, classes, …] "
                    "that went through no softmax; of images too, without flattening anything",
                    {"times": r"[2-9]|\d{2,}", "words": _ONE_HOT, where: _TARGET_RESHAPED},
                )
                for where in ("line", "code")
            ),
            Sentence(
                "If {wanted} is the batch size, {samples} samples came: the last batch is smaller, "
                "and DataParallel gives each device its share. Take the number from the input, "
                "`x.view(x.size(0), …)`, or write -1 in its place",
                {"samples": r".+"},
            ),
            Sentence(
                "If this is a mask, it is one for {side} times {side} steps where {taken} times "
                "{taken} are wanted: make it from the dimension that counts the steps, which is "
                "`x.shape[1]` where the batch comes first",
                {"side": r".+", "words": r"\b[Mm]asks?\b|_mask\b"},
            ),
            Sentence(
                "If these are maps of pictures, they are {side} times {side} and not {taken} times "
                "{taken}, with the other sizes as they stand there: the pictures have another size "
                "than the model was made for, or an odd size was rounded. Resize them, or take "
                "height and width from the tensor (`x.shape`)",
                {"side": r".+"},
            ),
            Sentence(
                "If its maps have that height and width, it has {has} channels, and the shape "
                "takes {channels}: make the convolution before it with {channels} filters (of a "
                "YOLO head, anchors times 5 + classes), or the shape for {has}",
                {"has": r".+"},
            ),
            Sentence(
                "The number of classes is another one in `model.num_labels` than in the last "
                "layer: `from_pretrained(name, num_labels=n)` sets both, and a layer that is put "
                "in by hand sets neither",
                {"raising": r"num_labels"},
            ),
            Sentence(
                "Print `x.shape` before the line. Of pictures, a factor of 3 is mostly colour "
                "where grey was meant (`transforms.Grayscale()`, or 3 times as many features in "
                "the shape); a factor that is a square is pictures of a larger size (resize them). "
                "If the line only flattens, `x.flatten(1)` takes any size, and the layer behind it "
                "has to be made for it",
                {"times": r"3|4|9|12|16|27|48|49|64"},
            ),
            Sentence(
                "Print `x.shape` before the line. If {batch} is the batch size and the last batch "
                "fails, that is smaller: `x.view(x.size(0), -1)`. If the batch was lost, or mixed "
                "with other dimensions, see where",
                {"batch": r".+"},
            ),
            "Print `x.shape` before the line: the numbers in `view` have to fit what arrives, "
            "which depends on the size of the input. If it only flattens each sample, keep the "
            "batch dimension and let the rest follow: `x = x.flatten(1)` (a Linear layer after it "
            "has to take that many features)",
        ),
        now=("shape '[{shape}]' is invalid for input of size {size}"),
        suspects=(
            Suspect(r"view|reshape", "reshapes to that", {ANY: "{last}"}),
            Suspect(r"view|reshape"),
        ),
        derive=_view,
        types=("RuntimeError",),
        today=(r"shape '\[(?P<shape>[^\]']{0,200})\]' is invalid for input of size (?P<size>\d+)",),
        older=(
            r"size '\[(?P<shape>[^\]']{0,200})\]' is invalid for input (?:of )?with "
            r"(?P<size>\d+) elements",
        ),
        values={"shape": "the sizes that are asked for", "size": "elements of the tensor"},
        sample="torch.ones(2048).view(-1, 800)",
        examples=(
            "RuntimeError: invalid argument 2: size '[-1 x 400]' is invalid for input with 179776 "
            "elements at /pytorch/aten/src/TH/THStorage.cpp:84",
        ),
    ),
    ErrorFamily(
        id="view_two_unknown",
        says="A shape with two -1 is asked for; only one size can be computed from the others.",
        means=("Only one size of a shape may be -1: it is computed from the others",),
        remedy=(
            "Write every other size: `x.view(-1, groups, channels // groups, height, width)`, and "
            "take it from `x.shape` where it is not fixed",
        ),
        suspects=(Suspect(r"view|reshape|unflatten"),),
        types=("RuntimeError",),
        today=(r"only one dimension can be inferred",),
        sample="torch.ones(4, 6).view(-1, -1)",
        decides=True,
    ),
    ErrorFamily(
        id="view_not_contiguous",
        says="view joins dimensions that do not lie behind one another in memory.",
        means=(
            (
                "view is asked of a tensor whose values do not lie in that order in memory "
                "(after transpose, permute, expand or a slice, or in channels_last)"
            ),
        ),
        remedy=("Write `reshape` instead of `view`, or `.contiguous().view(…)`",),
        suspects=(Suspect(r"view"),),
        types=("RuntimeError",),
        today=(r"view size is not compatible with input tensor's size and stride",),
        older=(r"input is not contiguous(?: at |$)",),
        sample="torch.ones(2, 3).t().view(6)",
        examples=(
            "RuntimeError: invalid argument 2: view size is not compatible with input tensor's "
            "size and stride (at least one dimension spans across two contiguous subspaces). Call "
            ".contiguous() before .view().",
            "RuntimeError: input is not contiguous at /py/conda-bld/pytorch/THTensor.c:231",
        ),
    ),
    ErrorFamily(
        id="dimension_out_of_range",
        says="An operation is asked for a dimension that its tensor has not.",
        means=(
            Sentence(
                "The tensor at this line has only one dimension, and dimension {dimension} "
                "is asked of it; 0 and -1 are the ones it has",
                {"high": r"0"},
            ),
            (
                "Dimension {dimension} is asked of a tensor that has only the dimensions "
                "{low} to {high}"
            ),
            Sentence(
                "A layer is made with a size of 0: PyTorch asks for dimension {dimension} of a "
                "weight that has none",
                {"dimensions": "0", "line": r"(?-i:\b[A-Z]\w+\()"},
            ),
            Sentence(
                "Dimension {dimension} is asked of a tensor without dimensions, a single number",
                {"low": "", "dimensions": ""},
            ),
            "Dimension {dimension} is asked of a tensor that has only {dimensions}",
            "A dimension is asked for that the tensor has not",
        ),
        remedy=(
            Sentence(
                "If what `{line}` reduces holds class numbers already, leave the `max` or "
                "`argmax` out; if it holds scores or one-hot rows, its batch dimension is "
                "missing: print its shape before the line",
                {"high": r"0", "line": r"\bmax\(|argmax\("},
            ),
            Sentence(
                "If what the `max` or `argmax` of your line reduces holds class numbers already, "
                "leave it out; if it holds scores or one-hot rows, its batch dimension is missing: "
                "print its shape before the line",
                {"high": r"0", "words": r"\b(?:max|argmax)\((?:\w[\w.]*, ?)?(?:dim=|axis=)?1\)"},
            ),
            Sentence(
                "torch.cat is given a tensor of one dimension, which has no dimension {dimension}. "
                "Print the shapes of all that is joined: an index such as `x[:, i]` takes a "
                "dimension away, `unsqueeze(0)` gives it back; vectors are joined along "
                "dimension 0",
                {"high": r"0", "line": r"\bcat\("},
            ),
            Sentence(
                "Print the shape before the line. If a single sample goes in, its batch dimension "
                "is missing: `x.unsqueeze(0)`; if a sum, mean or index made it one-dimensional, "
                "`keepdim=True` or another `dim` there; if it is one-dimensional as meant (labels "
                "that are class numbers), the operation over dimension {dimension} is not needed. "
                "Predictions of a CrossEntropyLoss have to be [batch, classes]",
                {"high": r"0"},
            ),
            Sentence(
                "A layer is made in that line, so one of the sizes that it is given is 0: print "
                "them. A number of classes or words that is counted from files or data is 0 where "
                "none were found: look whether the folder is there",
                {"dimensions": "0", "line": r"(?-i:\b[A-Z]\w+\()"},
            ),
            (
                "Print the shape before the line: perhaps the batch dimension is missing (a single "
                "sample goes in), one was lost (squeeze, an index, a reduction without "
                "keepdim=True), or the number of `dim` is wrong"
            ),
        ),
        suspects=(
            Suspect(
                r"cat|stack|sum|mean|max|min|argmax|softmax|log_softmax|Softmax|LogSoftmax|"
                r"transpose|permute|squeeze|unsqueeze|size|norm|gather|chunk|split|cumsum|topk|"
                r"sort|flatten|CosineSimilarity|cosine_similarity",
                "",
                {ANY: "{dimension}"},
            ),
        ),
        types=("IndexError", "RuntimeError"),
        today=(
            r"[Dd]imension out of range \(expected to be in range of \[(?P<low>-?\d+), "
            r"(?P<high>-?\d+)\], but got (?P<dimension>-?\d+)\)",
            r"[Dd]imension specified as (?P<dimension>-?\d+) but tensor has no dimensions",
        ),
        older=(
            r"^[Dd]imension out of range$",
            r"dimension (?P<dimension>-?\d+) out of range of (?P<dimensions>\d+)D tensor",
        ),
        values={
            "low": "the lowest number of a dimension",
            "high": "the highest",
            "dimension": "that is asked for",
            "dimensions": "number of dimensions that the tensor has",
        },
        sample="torch.ones(3).sum(1)",
        examples=(
            "IndexError: Dimension out of range",
            "RuntimeError: dimension out of range (expected to be in range of [-1, 0], but got 1)",
            "RuntimeError: dimension 2 out of range of 1D tensor at /pytorch/torch/lib/TH/THT.c:24",
        ),
    ),
    ErrorFamily(
        id="permute_dimensions",
        says="permute is given another number of dimensions than the tensor has.",
        derive=_more,
        means=(
            "permute lists {listed} dimensions and the tensor has {dimensions}",
            "permute is given another number of dimensions than the tensor has",
        ),
        remedy=(
            Sentence(
                "The tensor has more dimensions than are listed: list them all, or find where one "
                "too many comes from (a batch of what is a batch already): print `x.shape` before "
                "the line",
                {"more": r"yes"},
            ),
            Sentence(
                "Print `x.shape` before the line. A grey picture has no dimension for its channel: "
                "load it in colour (`.convert('RGB')`), or give it one, `x.unsqueeze(0)`, in place "
                "of the permute. For one sample of a batch of rows, the batch is missing",
                {"more": r"picture"},
            ),
            Sentence(
                "The tensor has fewer dimensions than are listed: perhaps the batch dimension is "
                "missing (`x.unsqueeze(0)`), or a dimension was squeezed away; a single image "
                "needs `permute(2, 0, 1)`, a batch `permute(0, 3, 1, 2)`",
                {"more": r"no"},
            ),
            "List each dimension of the tensor once: print `x.shape` before it",
        ),
        suspects=(Suspect(r"permute"),),
        types=("RuntimeError",),
        today=(
            r"permute\([\w ]{0,40}\): number of dimensions in the tensor input does not match the "
            r"length of the desired ordering of dimensions(?: i\.e\. input\.dim\(\) = "
            r"(?P<dimensions>\d+) is not equal to len\(dims\) = (?P<listed>\d+))?",
        ),
        older=(r"number of dims don't match in permute",),
        values={"dimensions": "that the tensor has", "listed": "numbers given to permute"},
        sample="torch.ones(2, 3).permute(0, 1, 2)",
        examples=("RuntimeError: number of dims don't match in permute",),
    ),
    ErrorFamily(
        id="diag_dimensions",
        says="diag is given a tensor that has neither one nor two dimensions.",
        means=(("diag is given a tensor with {dimensions} dimensions where it takes one or two"),),
        remedy=("For batches use `torch.diagonal` or `torch.diag_embed`",),
        suspects=(Suspect(r"diag"),),
        types=("RuntimeError",),
        today=(r"diag\(\): Supports 1D or 2D tensors\. Got (?P<dimensions>\d+)D",),
        older=(r"matrix or a vector expected",),
        values={"dimensions": "that the tensor has"},
        sample="torch.diag(torch.ones(2, 3, 3))",
        examples=(
            "RuntimeError: invalid argument 1: matrix or a vector expected at "
            "/pytorch/aten/src/TH/generic/THTensorMoreMath.cpp:1196",
        ),
    ),
    ErrorFamily(
        id="dimensions",
        says="An operation needs another number of dimensions than its tensor has.",
        means=("An operation needs another number of dimensions than its tensor has",),
        remedy=(
            "Print the shape before the line; where a dimension is missing `unsqueeze` adds it, "
            "where one is too many `flatten`, `squeeze` or an index takes it away",
        ),
        types=("RuntimeError", "ValueError", "IndexError", "TypeError"),
        today=(
            r"[Ss]upports \d|expects? (?:a )?(?:tensor with <= )?\d\s?-?D"
            r"|must be (?:a )?\d-?D|[Ii]nput dimension should be at least|t\(\) expects"
            r"|expected to have \d dim|expected[^\n]{0,300}? \d-?D|number of dimensions"
            r"|Dimension specified as|fewer than \d dimensions|object too deep"
            r"|must have at least \d dim|only supports? \d|dims? must|must have same number of dim",
        ),
        sample="torch.ones(2, 3, 4).t()",
        breadth=11,
    ),
)
