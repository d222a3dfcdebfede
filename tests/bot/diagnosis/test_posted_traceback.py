"""bot/diagnosis/posted_traceback.py: a pasted traceback without its code, read for what it says.

The tracebacks come from real runs, so that a message that PyTorch words anew is noticed.
"""

from __future__ import annotations

import pytest

from bot.diagnosis.posted_traceback import _besides
from bot.models import PastedTraceback
from executor.errors import read_words
from executor.protocol import Job
from executor.service.client import ExecutorClient
from tests.conftest import Ask
from tests.rows import some

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
FAMILIES = {
    "matmul": ("torch.ones(2, 3) @ torch.ones(4, 5)", "sizes, 3 and 4, must be equal"),
    "linear": ("nn.Linear(5, 2)(torch.ones(4, 3))", "in_features=5 and out_features=2"),
    "broadcast": ("torch.ones(4, 3) + torch.ones(4, 5)", "one has 3 and the other 5"),
    "view": ("torch.ones(10).view(-1, 4)", "10 is not a multiple of 4"),
    "view of known size": ("torch.ones(10).view(3, 4)", "10 values, and the shape [3, 4] would"),
    "channels": ("nn.Conv2d(3, 4, 3)(torch.ones(2, 1, 9, 9))", "takes 3 channels, and its"),
    "label": ("F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3]))", "at least 4 columns"),
    "no graph": ("torch.ones(1).backward()", "a value without a graph"),
    "scalar": ("torch.ones(2, requires_grad=True).exp().backward()", "more than one value"),
    "second time": (
        "y = torch.ones(1, requires_grad=True).exp()\ny.backward()\ny.backward()",
        "already freed",
    ),
    "leaf": ("x = torch.ones(2, requires_grad=True)\nx += 1", "is changed in place"),
    "cat": ("torch.cat([torch.ones(2, 3), torch.ones(2, 4)])", "has 3 where number 1"),
    "stack": ("torch.stack([torch.ones(2), torch.ones(3)])", "number 1 is [3] where"),
    "embedding": ("nn.Embedding(4, 2)(torch.tensor([4]))", "num_embeddings"),
    "index": ("torch.ones(3)[5]", "Index 5 into dimension 0, which has 3 entries"),
    "recurrent": ("nn.LSTM(4, 2)(torch.ones(3, 2, 5))", "input_size=4 is given vectors of 5"),
    "rows": ("F.cross_entropy(torch.ones(4, 3), torch.zeros(2).long())", "4 rows and there"),
    "batch norm": ("nn.BatchNorm1d(4)(torch.ones(1, 4))", "a single value per channel"),
    "numpy": (
        "torch.ones(1, requires_grad=True).numpy()",
        "part of the graph is turned into numpy",
    ),
    "empty optimizer": ("torch.optim.SGD(nn.ReLU().parameters(), lr=1)", "empty list"),
    "dtypes": ("torch.ones(2, 2) @ torch.ones(2, 2).double()", "two dtypes"),
    "none": ("torch.ones(1).grad.zero_()", "`.zero_` is asked of something that is None"),
    "argument": ("nn.Linear(2, 2, biass=True)", "has no argument `biass`"),
    "attribute": ("torch.matmull", "has no `matmull`"),
    "module": ("import torch_nowhere", "finds no module `torch_nowhere`"),
    "no CUDA": ("torch.ones(1).to('cuda')", "built for CPU only"),
    "state dict": (
        "nn.Linear(2, 2).load_state_dict(nn.DataParallel(nn.Linear(2, 2)).state_dict())",
        "begin with `module.`",
    ),
    "state dict sizes": (
        "nn.Linear(2, 2).load_state_dict(nn.Linear(3, 2).state_dict())",
        "`weight` is torch.Size([2, 3]) in the file",
    ),
}


@pytest.mark.parametrize(("code", "said"), some(FAMILIES.values(), 3), ids=FAMILIES)
async def test_a_traceback_without_code_is_read(
    code: str, said: str, executor: ExecutorClient, ask: Ask
) -> None:
    """Its sizes in words, its own line, and that nothing was run."""
    run = await executor.run(Job(code=HEAD + code))
    if code == "torch.ones(1).to('cuda')" and run.error is None:
        pytest.skip("NOT TESTED HERE: this torch has CUDA")
    assert run.error is not None
    answer = await ask(f"I get this error, why?\n```\n{run.error.traceback}\n```")

    assert answer.run is None and answer.status == "advice", answer.headline
    assert answer.posted is not None
    assert said in f"{answer.headline} {answer.posted.remedy}"
    [at] = answer.posted.raised_at
    assert (at.line, at.file, at.code) == (run.error.line, "snippet.py", code.splitlines()[-1])
    assert not {"verified", "reproduced"} & set(answer.headline.lower().split())


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("RuntimeError: size mismatch, m1: [2394 x 7], m2: [16758 x 2] at a.cpp:2", "one sample"),
        ("What I print of x is [2394, 7]", "flattening changes nothing"),
        ("What now", "one sample"),
    ],
)
async def test_the_sizes_of_a_repeated_message_are_no_print(title: str, told: str, ask: Ask):
    """A title repeats it."""
    message = "RuntimeError: size mismatch, m1: [2394 x 7], m2: [16758 x 2] at a.cpp:2070"
    answer = await ask(f"{title}\n\nwith my own data:\n\n{message}\n")

    assert answer.posted is not None and told in answer.posted.remedy


async def test_an_unknown_error_is_placed_and_left_open(ask: Ask) -> None:
    """Where it happened is said, and nothing is made up."""
    answer = await ask(
        "help\n```\nTraceback (most recent call last):\n"
        '  File "/home/me/pump.py", line 7, in <module>\n    pump.start()\n'
        "PumpError: no water\n```"
    )

    assert answer.status == "unsure" and answer.why is None
    assert "PumpError at line 7 of pump.py, `pump.start()`" in answer.headline


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "Expected all tensors to be on the same device, but found at least two devices, "
            "cuda:0 and cpu!",
            "One tensor of this operation lies on cuda:0 and another one on cpu",
        ),
        (
            "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 15 GiB",
            "no room for the 2.00 GiB",
        ),
        (
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()",
            "cuda:0 is turned",
        ),
    ],
)
async def test_errors_of_a_gpu_are_read_too(message: str, said: str) -> None:
    """In the words that PyTorch has for them; no GPU is needed to read."""
    words = read_words(PastedTraceback(type="RuntimeError", message=message))
    assert words is not None and said in words.means


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("del spare", "leave the `del` out"),
        ("spare += 1", "See why the branch or loop"),
    ],
)
async def test_the_line_that_failed_here_decides_as_a_posted_one_does(
    line: str, told: str, ask: Ask
):
    """Where no traceback was posted, that of the run."""
    code = f"def f():\n    {line}\n\nf()\n"
    answer = await ask(f"why does this fail?\n```python\n{code}```")

    assert answer.error is not None and answer.error.line == 2
    assert told in answer.remedy


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("It says SHORT OF WORDS and MORE now", "It says SHORT OF WORDS and MORE now"),
        ("a: {0} b [3, 4]", "a:  b [3, 4]"),  # what stands behind it is theirs
        ("Title: {0}\n[3, 4]", "Title: \n[3, 4]"),
        ("Title: {1} …", "Title: "),  # it was cut, and repeats the numbers
    ],
)
async def test_the_words_around_a_message_are_kept(text: str, rest: str):
    """Of a sentence that quotes it, both ends: a condition may stand in the second."""
    message = "Target 7 is out of bounds, as there are [5, 6] classes"
    told = text.format(message, message[:40])

    assert _besides(message, told) == rest
