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
        (CAT.format(47, 46), "", "47 and 46 differ by 1", True),
        (CAT.format(47, 23), "", "differ by", False),
        (ALLOCATE.format(12416), "", "12416 bytes (12.1 KB) are only the last", True),
        (ALLOCATE.format(4 * 10**12), "", "One tensor of 3.64 TB is asked for", True),
        (ALLOCATE.format(4 * 10**12), "", "only the last", False),
        (NO_GRAPH, "the second derivative of u", "create_graph=True", True),
        (NO_GRAPH, "loss.backward() fails", "create_graph", False),
        (DEVICES, "it stops at exp_avg.mul_(beta1)", "The optimizer joins", True),
        (DEVICES, "it stops in forward", "The optimizer joins", False),
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
        ("KeyError: 4571", "a pandas table", "iloc", True),
        ("KeyError: 4571", "a vocabulary", "iloc", False),
    ],
)
def test_sizes_and_words_choose_what_is_said(message: str, words: str, told: str, is_told: bool):
    """A cause is named only where the message's own numbers, or the post, point to it."""
    kind, _, text = message.partition(": ") if message.startswith("KeyError") else ("", "", message)
    type_ = kind or next(
        (t for start, t in TYPES.items() if message.startswith(start)), "RuntimeError"
    )
    posted = PastedTraceback(type=type_, message=text, frames=())

    reading = read_words(posted, Around(words=words))

    assert reading is not None
    assert (told in f"{reading.means} {reading.remedy}") is is_told


TYPES = {"expected np": "TypeError", "too many": "ValueError", "Cannot handle": "TypeError"}


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
