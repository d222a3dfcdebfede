"""Causes of one message that its own numbers, lines, frames or words tell apart."""

from __future__ import annotations

import pytest

from bot.models import PastedTraceback
from executor.errors import Around, read_words

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
    ("ValueError: For 1D input, 1D target must have size 1, but got target size: 4", {}, "gets 4",
     "maps"),
    (BATCH.format(1, 32), {}, "became one row", "one-hot"),
    (BATCH.format(28, 64), {}, "number of steps", "one-hot"),
    (BATCH.format(508, 120), CAUSAL, "the prompt and the answer", "batch_first"),
    (SIZES.format("[64, 1]", "[36, 1]"), {}, "the last batch is smaller", "CrossEntropyLoss"),
    (SIZES.format("[32, 1]", "[32, 10, 1]"), {}, "10 entries in dimension 1", "CrossEntropyLoss"),
    (SIZES.format("[32, 1]", "[32, 4]"), {}, "gather(1, actions)", "entries in dimension"),
    (SIZES.format("[8, 1, 28, 28]", "[8, 784]"), {}, "view_as", "CrossEntropyLoss"),
    (SIZES.format("[8, 9, 7, 3]", "[8, 3, 9, 7]"), {}, "permute(0, 3, 1, 2)", "view_as"),
    (SIZES.format("[8, 3, 9, 7]", "[8, 3, 8, 7]"), {}, "another height or width", "permute"),
    (LABEL.format(1), {}, "BCEWithLogitsLoss", "subtract 1"),
    (LABEL.format(255), {}, "ignore_index=255", "subtract 1"),
    (LABEL.format(5), {}, "subtract 1", "num_labels"),
    (LABEL.format(5), CAUSAL, "num_labels", "subtract 1"),
    ("RuntimeError: expected target dtype to be Long or Byte, but got Float", {}, "argmax", "often"),
    ("RuntimeError: expected target dtype to be Long or Byte, but got Int", {}, ".long()", "argmax"),
    ("RuntimeError: Expected floating point type for target with class probabilities, got Long",
     {}, "has one column", "go in as"),
    ("RuntimeError: 0D or 1D target tensor expected, multi-target not supported", {}, "k labels",
     "before torch 1.10"),
    ("RuntimeError: 1D target tensor expected, multi-target not supported", {}, "before torch 1.10",
     "for NLLLoss"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "around", "told", "untold"),
    [*LOSSES],
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
