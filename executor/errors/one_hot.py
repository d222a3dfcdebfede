"""Tell from what a post prints whether a target has a column for each class, and no class numbers.

Torch before 0.4 printed a tensor with its sizes below it: `[torch.FloatTensor of size 4x3]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from executor.errors.around import Around
from executor.errors.family import MAX_CHARS, SeenError

ROWS_OF_CLASSES = (
    "The loss takes one class number for each sample, an int64 target of shape [batch], and you "
    "print predictions and target that are both [{rows_of}]: a target with a column for each class "
    "holds no class numbers, so more than its dtype differs"
)
TO_CLASSES = (
    "If each row holds a single 1 (one-hot): `target.argmax(dim=1)` gives the class numbers. If "
    "several may be 1 in a row: `nn.BCEWithLogitsLoss()(output, target.float())`. If a row is made "
    "of several one-hot parts, give each part a cross entropy of its own: cut output and target "
    "into the parts. `.long()` alone ends only this message: the target would still have a column "
    "for each class"
)
TO_NUMBERS = (
    "If the target holds class numbers, convert them: `criterion(output, labels.long())`. If it "
    "has "
    "a column for each class: `labels.argmax(dim=1)` for one-hot rows. If it holds real values, "
    "MSELoss or BCEWithLogitsLoss is meant: `.long()` would cut them off"
)
_PRINTED = re.compile(r"\[torch\.(?:cuda\.)?\w{3,12}Tensor of size (\d{1,9}(?:x\d{1,9})*)")


def printed_sizes(text: str) -> list[tuple[int, ...]]:
    """The sizes of the tensors that a text prints the old way, in order."""
    found = _PRINTED.finditer(text[:MAX_CHARS])
    return [tuple(map(int, match[1].split("x"))) for match in found]


def rows_of_classes(seen: SeenError, around: Around) -> Mapping[str, str]:
    """The size of predictions and target, where a post prints two tensors of one size in rows."""
    sizes = [size for size in printed_sizes(around.words) if len(size) == 2 and size[1] > 1]
    twice = next((size for size in sizes if sizes.count(size) > 1), None)
    return {} if twice is None else {"rows_of": f"{twice[0]}, {twice[1]}"}


def numbers_against_rows(seen: SeenError, around: Around) -> Mapping[str, str]:
    """How many columns a printed tensor has, where another has as many rows and no columns."""
    sizes = printed_sizes(around.words)
    for size in sizes:
        if len(size) == 2 and size[1] > 1 and size[:1] in sizes:
            return {"numbers": str(size[0]), "columns": str(size[1])}
    return {}
