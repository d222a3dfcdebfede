"""bot/diagnosis/raised_inside.py: what a traceback without its message still says."""

from __future__ import annotations

import pytest

from bot.diagnosis.raised_inside import raised_inside
from bot.models import PastedTraceback, TracebackFrame

TORCH = "/usr/lib/python3/site-packages/torch/"


def cut(*files: str, message: str = "", type: str = "RuntimeError") -> PastedTraceback:
    """A traceback through these files, the innermost last."""
    frames = tuple(TracebackFrame(file=f, line=1, function="f", code="g()") for f in files)
    return PastedTraceback(type=type, message=message, frames=frames)


@pytest.mark.parametrize(
    ("pasted", "part"),
    [
        (cut("a.py", f"{TORCH}nn/modules/module.py", f"{TORCH}nn/modules/rnn.py"), "a recurrent"),
        (cut("a.py", f"{TORCH}nn/modules/loss.py", f"{TORCH}nn/functional.py"), "a loss"),
        (cut(r"C:\site-packages\torch\nn\modules\linear.py"), "a Linear layer"),
        (cut("/x/site-packages/torchvision/transforms/functional.py"), "a transform"),
        (cut("a.py", f"{TORCH}nn/modules/module.py"), ""),  # of any layer
        (cut("/home/me/nn/modules/loss.py"), ""),  # a file of theirs
        (cut(f"{TORCH}nn/modules/loss.py", message="it broke"), ""),  # the message says it
        (cut(), ""),
        (cut(f"{TORCH}nn/modules/loss.py", type="AssertionError"), ""),  # it has none
    ],
)
def test_the_part_of_torch_that_raised_it_is_told(pasted: PastedTraceback, part: str):
    """With what it refuses; the innermost layer counts."""
    told = raised_inside(pasted)

    assert bool(told) is bool(part)
    assert part in told and ("refuses" in told) is bool(part)
