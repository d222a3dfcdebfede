"""Say of a traceback whose message was cut off what the part of torch that raised it refuses."""

from __future__ import annotations

import re

from bot.models import PastedTraceback

# Files of torch and torchvision → the part that they are, and what it refuses.
_PARTS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(rf"(?:torch|torchvision)[/\\]{file}"), part, refuses)
    for file, part, refuses in (
        (
            r"(?:nn[/\\](?:modules|_functions)[/\\]rnn\.py)",
            "a recurrent layer",
            "an input that is not [time, batch, features] (or [batch, time, features] with "
            "batch_first=True), another number of features than its input_size, and a state that "
            "is not [layers * directions, batch, hidden_size] with the batch of the input",
        ),
        (
            r"nn[/\\]modules[/\\]conv\.py",
            "a convolution",
            "an input that is not [batch, channels, …], another number of channels than it was "
            "made for, and an input of another dtype or device than its weight",
        ),
        (
            r"nn[/\\]modules[/\\]linear\.py",
            "a Linear layer",
            "an input whose last dimension is not its in_features, and one of another dtype or "
            "device than its weight",
        ),
        (
            r"nn[/\\]modules[/\\]loss\.py",
            "a loss",
            "predictions and targets whose shapes, dtypes or devices do not go together",
        ),
        (
            r"nn[/\\]modules[/\\](?:batchnorm|instancenorm|normalization)\.py",
            "a normalisation layer",
            "another number of channels or dimensions than it was made for, and in training mode a "
            "single value for each channel",
        ),
        (
            r"nn[/\\]modules[/\\]sparse\.py",
            "an Embedding",
            "ids that are no whole numbers, or not below its num_embeddings",
        ),
        (
            r"utils[/\\]data[/\\]_utils[/\\]collate\.py",
            "what makes a batch of samples",
            "samples of different shapes, and types of which no batch can be made",
        ),
        (
            r"transforms[/\\]",
            "a transform of torchvision",
            "anything but one image of the kind that it takes (a PIL image, a tensor or an array)",
        ),
    )
)

# What is often raised without a message: then none was cut off.
_WITHOUT_WORDS = frozenset(
    {"AssertionError", "NotImplementedError", "KeyboardInterrupt", "StopIteration", "MemoryError"}
)


def raised_inside(pasted: PastedTraceback) -> str:
    """A sentence on the part of torch that the last frames are in; empty if none is known.

    A layer's own file says which layer it was; functions below it serve many.
    """
    if pasted.message.strip() or pasted.type in _WITHOUT_WORDS:
        return ""
    for frame in reversed(pasted.frames):
        for file, part, refuses in _PARTS:
            if file.search(frame.file):
                return (
                    f"The message is cut off; the error is raised inside {part}, which refuses "
                    f"{refuses}"
                )
    return ""
