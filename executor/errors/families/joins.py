"""Putting tensors together, and one apart: cat, stack, split, and a DataLoader's batches."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect


def _nearly(seen: SeenError, message: str) -> Mapping[str, str]:
    """By how much two sizes differ, where it is as little as rounding makes them differ."""
    if not (seen["first"].isdigit() and seen["other"].isdigit()):
        return {}
    small, large = sorted(seen.numbers("first", "other"))
    return {"off_by": str(large - small)} if small >= 4 and large - small <= 2 else {}


def _sum(seen: SeenError, message: str) -> Mapping[str, str]:
    """What the sizes add up to."""
    return {"sum": str(sum(seen.sizes("sizes")))}


def _one_value(seen: SeenError, message: str) -> Mapping[str, str]:
    """The sizes of a matrix beside which a single value in two dimensions stands."""
    first, other = seen.sizes("first"), seen.sizes("other")
    if other != (1, 1) or len(first) != 2 or 1 in first:
        return {}
    return {"rows": str(first[0]), "columns": str(first[1])}


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
        ),
        derive=_nearly,
        remedy=(
            Sentence(
                "{first} and {other} differ by {off_by}: with skip connections (a U-Net) mostly "
                "an odd size was halved, which rounds down, and doubled again. Pad or resize the "
                "input to a multiple of 2 for each halving (16 for four), or bring one to the "
                "other's size before the join: `up = F.interpolate(up, size=skip.shape[2:])`; for "
                "other code print the shapes of all tensors right before it",
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
            r"Sizes of tensors must match except in dimension (?P<dimension>-?\d+)\. Expected size "
            r"(?P<first>\d+) but got size (?P<other>\d+) for tensor number (?P<number>\d+) in the "
            r"list",
        ),
        older=(
            r"Sizes of tensors must match except in dimension (?P<dimension>-?\d+)\. Got "
            r"(?P<first>\d+) and (?P<other>\d+)(?: in dimension (?P<differs>\d+))?",
            r"Sizes of tensors must match except in dimension (?P<dimension>-?\d+)",
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
        derive=_one_value,
        remedy=(
            Sentence(
                "stack makes a new dimension of tensors of one shape. If the single value of "
                "{other} is to be one more column, repeat it and join them along the columns: "
                "`torch.cat([x, b.expand({rows}, 1)], dim=1)`; as one more row: `torch.cat([x, "
                "b.expand(1, {columns})], dim=0)`",
                {"rows": r".+"},
            ),
            (
                "All samples of a batch need one shape: resize or crop images to a fixed "
                "size in the dataset's transform (`transforms.Resize((h, w))`, both "
                "numbers), pad sequences, or give the DataLoader a `collate_fn`"
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
            "Find out why the loop that fills the list never ran or added nothing: perhaps an "
            "empty loader, or a filter that leaves nothing",
        ),
        suspects=(Suspect(r"cat|stack|concat|vstack|hstack"),),
        types=("RuntimeError", "ValueError"),
        today=(
            r"(?:stack|cat)\b[^\n]{0,60}? expects? a non-empty"
            r"|expected a non-empty (?:list|TensorList)",
        ),
        sample="torch.stack([])",
    ),
    ErrorFamily(
        id="join_of_one_tensor",
        says="cat or stack is given a tensor where it takes a list of them.",
        means=("{function} takes a list of tensors and is given a single {given}",),
        remedy=("Put the tensors into a list or tuple: `torch.{function}([a, b])`",),
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
        remedy=("Turn everything in the list into tensors first",),
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
            (
                "Return tensors, arrays, numbers or strings from `__getitem__` (an image "
                "goes through `ToTensor()`), or give the DataLoader a `collate_fn`"
            ),
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("TypeError",),
        today=(r"batch must contain tensors[^\n;]{0,80}?; found (?:<class ')?(?P<given>[\w.]+)",),
        values={"given": "type of what the sample holds"},
        sample=(
            "from torch.utils.data import DataLoader\n"
            "next(iter(DataLoader([None, None], batch_size=2)))"
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
            (
                "Pad them to one length, or give the DataLoader a `collate_fn`: "
                "`pad_sequence(list, batch_first=True)`"
            ),
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("RuntimeError",),
        today=(r"each element in list of batch should be of equal size",),
        sample=(
            "from torch.utils.data import DataLoader\n"
            "next(iter(DataLoader([[1, 2], [3]], batch_size=2)))"
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
                "Make the sizes add up: compute the last one from the tensor "
                "(`x.size(dim) - sum(others)`), or give one number for pieces of equal size "
                "(`x.split(2, dim)`, of which the last may be smaller)"
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
