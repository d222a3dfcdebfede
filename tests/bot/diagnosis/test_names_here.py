"""bot/diagnosis/names_here.py: what the installed torch has of what a posted error misses."""

from __future__ import annotations

import pytest
import torch

from bot.diagnosis.names_here import told_here
from bot.models import PastedTraceback, Question, Snippet
from executor.service.client import ExecutorClient

HERE = torch.__version__.partition("+")[0]
NO_MPS = ("AttributeError", "module 'torch.backends' has no attribute 'mps'")
SAMPLER = (
    "TypeError",
    "DistributedSampler.__init__() got an unexpected keyword argument 'world_size'",
)


@pytest.mark.parametrize(
    ("error", "code", "theirs", "told"),
    [
        (NO_MPS, "", "1.9.0", "has `torch.backends.mps`: another one raised this; yours is 1.9.0"),
        (NO_MPS, "", "", "see which one is imported"),
        (NO_MPS, "", HERE, "what is imported there is another one"),
        (("AttributeError", "module 'torch' has no attribute 'gesv'"), "", "", "either"),
        (("AttributeError", "module 'torch.nn' has no attribute 'Relu'"), "", "", "torch.nn.ReLU`"),
        (("ModuleNotFoundError", "No module named 'torch._six'"), "", "2.1", "upgrade brings none"),
        (("AttributeError", "module 'torch._C' has no attribute '_cuda_f'"), "", "", ""),
        (("ModuleNotFoundError", "No module named 'torch.utils.tensorboard'"), "", "1.0", "has `"),
        (("AttributeError", "module 'os' has no attribute 'mps'"), "", "", ""),
        (("ImportError", "cannot import name 'GradScaler' from 'torch.amp'"), "", "", "torch.amp."),
        (("ModuleNotFoundError", "No module named 'torch.func'"), "", "1.9", "`torch.func`"),
        (SAMPLER, "", "", "`dataset`, `num_replicas`, `rank`, `shuffle`, `seed` and `drop_last`"),
        (SAMPLER, "class DistributedSampler: pass", "", ""),  # their own
        ((SAMPLER[0], SAMPLER[1].replace("world_size", "seed")), "", "", "has that argument"),
        (("TypeError", "forward() got an unexpected keyword argument 'x'"), "", "", ""),
        (("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"), "", "", ""),
    ],
)
async def test_what_is_here_tells_a_version_or_the_right_name(
    executor: ExecutorClient, error: tuple[str, str], code: str, theirs: str, told: str
):
    """A name that is here is of another version; a function's own arguments are listed."""
    question = Question(
        text="",
        traceback=PastedTraceback(type=error[0], message=error[1]),
        snippets=(Snippet(code=code),) if code else (),
        versions={"torch": theirs} if theirs else {},
    )
    said = await told_here(executor, question)

    assert told in said and bool(said) is bool(told), said
