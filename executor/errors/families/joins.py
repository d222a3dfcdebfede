"""Putting tensors together, and one apart: cat, stack, split, and a DataLoader's batches."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

_SKIPS = r"(?i)u-?net|skip|decoder|upsampl|\bup\w*|residual|shortcut|fpn|\b(?:[a-z]{1,3}\d)\b"


def _nearly(seen: SeenError, message: str) -> Mapping[str, str]:
    """By how much two sizes differ, where it is as little as rounding makes them differ."""
    if not (seen["first"].isdigit() and seen["other"].isdigit()):
        return {}
    small, large = sorted(seen.numbers("first", "other"))
    return {"off_by": str(large - small)} if small >= 4 and large - small <= 2 else {}


def _sum(seen: SeenError, message: str) -> Mapping[str, str]:
    """What the sizes add up to."""
    return {"sum": str(sum(seen.sizes("sizes")))}


def _samples(seen: SeenError, message: str) -> Mapping[str, str]:
    """How two shapes differ: as pictures, sequences or boxes do, or in a single value."""
    first, other = seen.sizes("first"), seen.sizes("other")
    if other == (1, 1) and len(first) == 2 and 1 not in first:
        return {"rows": str(first[0]), "columns": str(first[1])}
    if len(first) != len(other):
        more, fewer = sorted((first, other), key=len, reverse=True)
        ends = (*fewer, 2), (2, *fewer)
        return {"kind": "sounds" if fewer and fewer[-1] > 999 and more in ends else "dimensions"}
    if len(first) == 3 and {first[0], other[0]} <= {1, 3, 4} and first[1:] == other[1:]:
        return {"kind": "channels"}
    if len(first) == 3 and first[0] == other[0] in (1, 3, 4):
        return {"kind": "pictures"}
    if len(first) == 2 and first[1] == other[1] and first[1] in (4, 5, 6):
        return {"kind": "boxes"}
    return {"kind": "lengths"} if len(first) in (1, 2) else {}


# A size that a post names and that halves five times without a rest: 256x256, 3 x 512 x 512.
_HALVES = (
    r"\b(?:32|64|96|128|160|192|224|256|288|320|352|384|416|448|480|512|576|640|768|1024)"
    r"(?: ?[x×*,] ?(?:32|64|96|128|160|192|224|256|288|320|352|384|416|448|480|512|576|640|768"
    r"|1024)){1,2}\b(?! ?[x×*,.] ?\d)"
)
# … beside none that does not.
_ONLY_HALVES = (
    r"\A(?![\s\S]*\b(?!(?:32|64|96|128|160|192|224|256|288|320|352|384|416|448|480|512|576|640|768"
    r"|1024)\b)\d{2,4} ?[x×] ?\d{2,4}\b)[\s\S]*?" + _HALVES
)
_UNPADDED = (
    "{first} and {other} differ by {off_by}. If the size that you name is the input's, no halving "
    "rounds it off (up to five), so see what else takes something: a convolution without padding "
    "takes 2 off for a kernel of 3 (`padding=1`, or the model's option for it, keeps the size), "
    "and a crop to the other's size has to take an odd difference unevenly. Print the shapes level "
    "by level"
)
_ROUNDED = (
    "{first} and {other} differ by {off_by}: where one comes over a skip connection (a U-Net) "
    "mostly an odd size was halved, which rounds down, and doubled again. Pad or resize the input "
    "to a multiple of 2 for each halving (16 for four, 32 for five), or bring one to the other's "
    "size before the join: `up = F.interpolate(up, size=skip.shape[2:])`; for other code print "
    "the shapes of all tensors right before it"
)

FAMILIES = (
    ErrorFamily(
        id="cat_sizes",
        says="Tensors are joined along one dimension and differ in another.",
        means=(
            (
                "Tensors are joined along dimension {dimension}, so all others must agree: "
                "the first tensor has {first} where number {number} (counted from 0) has "
                "{other}"
            ),
            (
                "Tensors are joined along dimension {dimension}, so all others must agree: "
                "one has {first} where another has {other}"
            ),
            "Tensors are joined along dimension {dimension}, and differ in another one",
            "Tensors that are joined differ in dimension {differs}: one has {first} where another "
            "has {other}",
        ),
        derive=_nearly,
        remedy=(
            *(
                Sentence(
                    _UNPADDED,
                    {"off_by": r".+", which: r"[123]|-[123]", "words": _ONLY_HALVES},
                )
                for which in ("dimension", "differs")
            ),
            *(
                Sentence(
                    _ROUNDED,
                    {"off_by": r".+", which: r"[123]|-[123]", where: _SKIPS},
                )
                for which in ("dimension", "differs")
                for where in ("line", "words", "code")
            ),
            Sentence(
                "Print the shapes of all tensors right before the join. If they are samples or "
                "batches of which each was padded by itself, or pictures of their own size, they "
                "have to be brought to one length or size before, or stay a list. If another "
                "dimension may differ, give that as `dim`",
                {"dimension": "0"},
            ),
            Sentence(
                "Print the shapes of all tensors right before the join. If one was made for a "
                "fixed size (a statistic that is repeated, positions, noise), make it from the "
                "other's shape; if an odd size was halved and doubled again, pad or resize the "
                "input, or bring one to the other's size",
                {"off_by": r".+"},
            ),
            "Print the shapes of all tensors right before the join; only dimension {dimension} "
            "may differ: perhaps another `dim` is meant. With skip connections (a U-Net) sizes "
            "differ where an input is no multiple of 2 at some level: resize the images, or crop "
            "or interpolate one of the two",
        ),
        suspects=(Suspect(r"cat|concat|concatenate|hstack|vstack"),),
        types=("RuntimeError",),
        today=(
            r"Sizes of tensors? must match except in dimension (?P<dimension>-?\d+)\. Expected "
            r"size (?P<first>\d+) but got size (?P<other>\d+) for tensor number (?P<number>\d+) in "
            r"the list",
        ),
        older=(
            # torch 1.7 to 1.9 named the dimension in which they differ in the other one's place.
            r"Sizes of tensors? must match except in dimension (?P<differs>-?\d+)\. Got "
            r"(?P<first>\d+) and (?P<other>\d+) \(The offending index",
            r"Sizes of tensors? must match except in dimension (?P<dimension>-?\d+)\. Got "
            r"(?P<first>\d+) and (?P<other>\d+)(?: in dimension (?P<differs>\d+))?",
            r"Sizes of tensors? must match except in dimension (?P<dimension>-?\d+)",
        ),
        values={
            "dimension": "along which they are joined",
            "first": "size of the first tensor where they differ",
            "other": "size of the one that does not fit",
            "number": "its number in the list, from 0",
            "differs": "the dimension in which they differ",
        },
        sample="torch.cat([torch.ones(2, 10), torch.ones(3, 3)], 1)",
        examples=(
            "RuntimeError: invalid argument 0: Sizes of tensors must match except in dimension 1. "
            "Got 3 and 4 in dimension 2 at /pytorch/aten/src/TH/generic/THTensorMoreMath.cpp:1333",
            "RuntimeError: Sizes of tensors must match except in dimension 2. Got 35 and 36 (The "
            "offending index is 0)",
            "RuntimeError: Sizes of tensors must match except in dimension 0. Got 1 and 3 in "
            "dimension 1 (The offending index is 1)",
        ),
    ),
    ErrorFamily(
        id="cat_dimensions",
        says="Tensors with different numbers of dimensions are joined.",
        means=(
            ("Tensors with {first} and {other} dimensions are joined; all need the same number"),
            "Tensors with different numbers of dimensions are joined",
        ),
        remedy=(
            "Print the shapes before the join. If the smaller one lacks a dimension: "
            "`unsqueeze(dim)` at the right place; if the larger one has one of size 1 too many: "
            "`squeeze(dim)`",
        ),
        suspects=(Suspect(r"cat|concat|hstack|vstack"),),
        types=("RuntimeError",),
        today=(
            r"Tensors must have same number of dimensions(?:: got (?P<first>\d+) and "
            r"(?P<other>\d+))?",
        ),
        values={
            "first": "dimensions of the first tensor",
            "other": "dimensions of the one that does not fit",
        },
        sample="torch.cat([torch.ones(2, 3), torch.ones(2)])",
        examples=(
            "RuntimeError: invalid argument 0: Tensors must have same number of dimensions: got 2 "
            "and 1 at /pytorch/aten/src/TH/generic/THTensorMoreMath.cpp:1324",
        ),
    ),
    ErrorFamily(
        id="cat_of_numbers",
        says="Tensors without dimensions are given to cat, which has nothing to join them along.",
        means=(
            (
                "The tensor at position {position} of torch.cat is a single number without "
                "dimensions, which has nothing to be joined along"
            ),
        ),
        remedy=(
            (
                "Give numbers a dimension first: `x.view(1)` (or `unsqueeze(0)`); tensors "
                "that are all single numbers are joined by `torch.stack`"
            ),
        ),
        suspects=(Suspect(r"cat|concat"),),
        types=("RuntimeError",),
        today=(
            r"zero-dimensional tensor \(at position (?P<position>\d+)\) cannot be concatenated",
        ),
        values={"position": "of the first such tensor, from 0"},
        sample="torch.cat([torch.tensor(1.0), torch.tensor(2.0)])",
    ),
    ErrorFamily(
        id="stack_sizes",
        says="Tensors of different shapes are stacked, often samples of one batch.",
        means=(
            (
                "Tensors are stacked (a DataLoader does that with its samples), and number "
                "{number} is {other} where the first is {first}"
            ),
        ),
        derive=_samples,
        remedy=(
            Sentence(
                "stack makes a new dimension of tensors of one shape. If the single value of "
                "{other} is to be one more column, repeat it and join them along the columns: "
                "`torch.cat([x, b.expand({rows}, 1)], dim=1)`; as one more row: `torch.cat([x, "
                "b.expand(1, {columns})], dim=0)`",
                {"rows": r".+"},
            ),
            Sentence(
                "They have other numbers of channels: if they are pictures, grey, coloured and "
                "transparent ones are mixed. Load all alike, `Image.open(path).convert('RGB')`",
                {"kind": "channels"},
            ),
            Sentence(
                "If they are pictures, give all one size at the end of the transforms: "
                "`transforms.Resize((h, w))` with both numbers (one alone fixes the shorter side), "
                "or a crop, for the masks too. If they are to keep their sizes, a `collate_fn` "
                "pads them or gives a list",
                {"kind": "pictures"},
            ),
            Sentence(
                "If these are boxes or other things of which each sample has its own number, keep "
                "them as a list: `DataLoader(…, collate_fn=lambda batch: tuple(zip(*batch)))`, "
                "which models of detection take so. If they are sequences, pad them: "
                "`pad_sequence(list, batch_first=True)`",
                {"kind": "boxes"},
            ),
            Sentence(
                "If these are sequences of different lengths, pad them in a `collate_fn`: "
                "`pad_sequence(list, batch_first=True)`, which pads the first dimension (sounds "
                "[channels, time] are turned first, or cut and padded to one length). With a "
                "tokenizer: `DataCollatorWithPadding(tokenizer)`. If all should be as long, print "
                "the one that is not",
                {"kind": "lengths"},
            ),
            Sentence(
                "If these are recordings, one of the two is stereo and the other one is mono; "
                "their lengths agree, so nothing is to be padded. Make all mono where they are "
                "loaded, by the mean over the channels: `x.mean(-1)` for [samples, 2], `x.mean(0)` "
                "for [2, samples]",
                {"kind": "sounds"},
            ),
            Sentence(
                "One has a dimension more than the other: print the shape of each before, and "
                "where it comes from. If it is 1, `squeeze` or `unsqueeze` makes them alike; if "
                "pictures without a channel are among them, load all alike",
                {"kind": "dimensions"},
            ),
            (
                "All samples of a batch need one shape: if they are pictures, resize or crop them "
                "in the transform; if they are sequences, pad them; if they are to differ, give "
                "the DataLoader a `collate_fn`"
            ),
        ),
        suspects=(
            Suspect(r"stack|DataLoader"),
            Suspect(r"Resize"),
        ),
        types=("RuntimeError",),
        today=(
            r"stack expects each tensor to be equal size, but got (?P<first>\[[\d, ]*\]) at entry "
            r"0 and (?P<other>\[[\d, ]*\]) at entry (?P<number>\d+)",
        ),
        values={
            "first": "shape of the first tensor",
            "other": "shape of the one that differs",
            "number": "its number in the list, from 0",
        },
        sample="torch.stack([torch.ones(3), torch.ones(2)])",
    ),
    ErrorFamily(
        id="join_of_nothing",
        says="An empty list is given to cat or stack.",
        means=("An empty list is given to cat or stack: nothing was put into it before",),
        remedy=(
            *(
                Sentence(
                    "Nothing was collected in the validation: print `len(val_dataset)`, "
                    "`len(val_loader)` and the length of the list right before the join. Perhaps "
                    "its path or split holds nothing, `drop_last=True` drops the only batch, or a "
                    "filter (a threshold) leaves nothing",
                    {where: r"\bvalid|\bevaluat"},
                )
                for where in ("words", "line")
            ),
            "Find out why the loop that fills the list never ran or added nothing: perhaps an "
            "empty loader, or a filter that leaves nothing",
        ),
        suspects=(Suspect(r"cat|stack|concat|vstack|hstack"),),
        types=("RuntimeError", "ValueError"),
        today=(
            r"(?:stack|cat)\b[^\n]{0,60}? expects? a non-empty"
            r"|expected a non-empty (?:list|TensorList)",
        ),
        older=(
            r"(?i)there (?:were|are) no tensor arguments(?: to this function \(e\.g\.,? you passed "
            r"an empty list)?",
        ),
        sample="torch.stack([])",
        examples=("RuntimeError: There were no tensor arguments to this function",),
    ),
    ErrorFamily(
        id="join_of_one_tensor",
        says="cat or stack is given a tensor where it takes a list of them.",
        means=("{function} takes a list or tuple of tensors and is given a {given}",),
        remedy=(
            Sentence(
                "If several are to be joined, put them into a list or tuple: `torch.{function}([a, "
                "b])`",
                {"given": "Tensor"},
            ),
            "Make a list of it, `torch.{function}(list(x))`, if it gives tensors",
        ),
        suspects=(Suspect(r"{function}"),),
        types=("TypeError",),
        today=(
            r"\b(?P<function>\w+)\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, "
            r"not (?P<given>\w+)",
        ),
        values={"function": "that was called", "given": "type of what it got"},
        sample="torch.cat(torch.ones(2), torch.ones(2))",
    ),
    ErrorFamily(
        id="join_of_no_tensors",
        says="The list given to cat or stack holds something that is no tensor.",
        means=(
            (
                "The list that is joined holds a {given} (number {number}, counted from 0) "
                "where it takes tensors only"
            ),
            "The list given to cat or stack holds something that is no tensor",
        ),
        remedy=(
            Sentence(
                "Take the tensor out of each tuple before it is put into the list: "
                "`list.append(output[0])`; a recurrent layer gives (output, state), a dataset "
                "(sample, label)",
                {"given": "tuple"},
            ),
            Sentence(
                "Find what gave None: a function without `return`, or a `get` that found nothing",
                {"given": "NoneType"},
            ),
            "If it holds arrays: `torch.from_numpy(x)` for each; if numbers or lists of them: "
            "`torch.tensor(list)` makes one tensor of all",
        ),
        suspects=(Suspect(r"cat|stack|concat"),),
        types=("TypeError",),
        today=(
            r"expected Tensor as element (?P<number>\d+) in argument 0, but got "
            r"(?P<given>[\w.]+)",
        ),
        values={"number": "of the entry, from 0", "given": "type of the entry"},
        sample="torch.stack([[1, 2], [3, 4]])",
    ),
    ErrorFamily(
        id="collate_type",
        says="A sample of a dataset holds something of which no batch can be made.",
        means=(
            Sentence(
                "`__getitem__` gives a whole dataset ({given}) where one sample is wanted, or a "
                "sample holds one",
                {"given": r"(?:\w+\.)*\w*Dataset"},
            ),
            "A sample of the dataset holds a {given}, of which no batch can be made",
        ),
        remedy=(
            Sentence(
                "Return one sample from `__getitem__`: its tensors, such as `return image, label`. "
                "Or make that one dataset of all samples, outside of `__getitem__`, and give it to "
                "the DataLoader itself",
                {"given": r"(?:\w+\.)*\w*Dataset"},
            ),
            Sentence(
                "`__getitem__` gave None for some index: see whether each of its ways ends with "
                "`return`. Samples that cannot be read are left out when the list of them is made, "
                "or in a `collate_fn`: `default_collate([s for s in batch if s is not None])`",
                {"given": "NoneType"},
            ),
            Sentence(
                "Graphs need a loader of their own: `from torch_geometric.loader import "
                "DataLoader` in place of torch's (of DGL, `GraphDataLoader`)",
                {"given": r"(?:torch_geometric|dgl)\..*"},
            ),
            Sentence(
                "End the transforms with `ToTensor()` (or `pil_to_tensor` for masks of class "
                "numbers, which keeps them as they are), or give the DataLoader a `collate_fn` if "
                "pictures are to come as they are",
                {"given": r"PIL\..*"},
            ),
            (
                "Return tensors, arrays, numbers or strings from `__getitem__`, or give the "
                "DataLoader a `collate_fn` that says what a batch of them is"
            ),
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("TypeError",),
        today=(r"batch must contain tensors[^\n;]{0,80}?; found (?:<class ')?(?P<given>[\w.]+)",),
        values={"given": "type of what the sample holds"},
        sample=(
            "from torch.utils.data import DataLoader\nnext(iter(DataLoader([None, None], "
            "batch_size=2)))"
        ),
        examples=(
            "TypeError: batch must contain tensors, numbers, dicts or lists; found "
            "<class 'PIL.Image.Image'>",
        ),
    ),
    ErrorFamily(
        id="collate_unequal",
        says="The samples of a batch are lists of different lengths.",
        means=("The samples of a batch hold lists of different lengths",),
        remedy=(
            "If they are token ids of a tokenizer, `DataCollatorWithPadding(tokenizer)` as "
            "`collate_fn` pads them. If other sequences, a `collate_fn` makes tensors of them and "
            "pads: `pad_sequence([torch.tensor(s) for s in batch], batch_first=True)`. If each "
            "sample has its own number of things (boxes, words), keep lists: `lambda batch: "
            "tuple(zip(*batch))`",
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("RuntimeError",),
        today=(r"each element in list of batch should be of equal size",),
        sample=(
            "from torch.utils.data import DataLoader\nnext(iter(DataLoader([[1, 2], [3]], "
            "batch_size=2)))"
        ),
    ),
    ErrorFamily(
        id="split_sizes",
        says="The sizes that a tensor is split into do not add up to its dimension.",
        decides=True,
        means=(
            (
                "The sizes [{sizes}] add up to {sum}, and dimension {dimension}, which is split, "
                "has {whole}"
            ),
        ),
        derive=_sum,
        remedy=(
            (
                "Make the sizes add up: compute the last one from the tensor (`x.size(dim) - "
                "sum(others)`), or give one number for pieces of equal size (`x.split(2, dim)`, of "
                "which the last may be smaller)"
            ),
        ),
        suspects=(Suspect(r"split"),),
        types=("RuntimeError",),
        today=(
            r"split_with_sizes expects split_sizes to sum exactly to (?P<whole>\d{1,18}) \(input "
            r"tensor's size at dimension (?P<dimension>-?\d+)\), but got "
            r"split_sizes=\[(?P<sizes>-?\d{1,18}(?:, -?\d{1,18}){0,99})\]",
        ),
        values={
            "whole": "size of the dimension that is split",
            "dimension": "which one that is",
            "sizes": "the sizes asked for",
        },
        sample="torch.ones(5).split([2, 2])",
    ),
)
