"""executor/inside/outside.py: what a run did not get from outside is among its assumptions."""

from __future__ import annotations

import pytest

from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient

HOST = "there is no network here: `example.com` (line {}) was not reached, and what would follow "
GONE_ON = {
    "a download that is caught": """\
import torch, urllib.request
try:
    urllib.request.urlopen("https://example.com/a.bin")
except OSError:
    print("on")
""",
    "a socket": """\
import socket, torch
try:
    socket.create_connection(("example.com", 80))
except OSError:
    print("on")
""",
    "an address": """\
import socket, torch
try:
    socket.socket().connect(("example.com", 80))
except OSError:
    print("on")
""",
}


async def run(executor: ExecutorClient, code: str, *, stand_ins: bool = False) -> JobResult:
    """A run, with placeholders or as it was posted."""
    return await executor.run(Job(code=code, stand_ins=stand_ins))


@pytest.mark.parametrize("what", GONE_ON)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_host_that_was_asked_for_is_told(executor: ExecutorClient, what: str) -> None:
    """The program went on without it."""
    result = await run(executor, GONE_ON[what])

    assert result.stdout == "on\n"
    [told] = result.assumptions
    assert told.startswith(HOST.format(3))


@pytest.mark.asyncio(loop_scope="session")
async def test_a_host_whose_error_ends_the_run_is_told_once(executor: ExecutorClient) -> None:
    """The error says it."""
    code = "import torch, urllib.request\nurllib.request.urlopen('https://example.com/a')"
    result = await run(executor, code)

    assert result.outcome is Outcome.ERROR and result.assumptions == ()


@pytest.mark.asyncio(loop_scope="session")
async def test_this_machine_is_not_outside(executor: ExecutorClient) -> None:
    """A server of the program's own is reached."""
    code = (
        "import socket, torch\nserver = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(('localhost', server.getsockname()[1]))"
    )
    result = await run(executor, code)

    assert result.outcome is Outcome.OK, result.stderr
    assert result.assumptions == ()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_camera_is_told_and_a_film_is_not_one(executor: ExecutorClient) -> None:
    """By its number."""
    code = "import torch\nclass cv2:\n    VideoCapture = print\ncv2.VideoCapture({})\n"
    camera, film = [await run(executor, code.format(given)) for given in ("0", "'a.mp4'")]

    [told] = camera.assumptions
    assert told.startswith("there is no camera here: `cv2.VideoCapture(0)` (line 4) opens nothing")
    assert film.assumptions == ()


HANDLED = """\
import ssl, torch
try:
    w = torch.hub.load_state_dict_from_url("https://example.com/a.pth")
except OSError:
    w = None
torch.nn.Linear(2, 2).load_state_dict(w)
"""


@pytest.mark.asyncio(loop_scope="session")
async def test_a_handler_that_had_nothing_to_handle_is_told(executor: ExecutorClient) -> None:
    """What stands for a download cannot fail, nor can its certificate."""
    result = await run(executor, HANDLED, stand_ins=True)
    plain = HANDLED.replace("import ssl, torch", "import torch").replace("try:", "if True:")
    without = await run(executor, plain.replace("except OSError", "else"), stand_ins=True)

    assert result.outcome is Outcome.OK, result.stderr
    assert any("no download failed at line 3" in told for told in result.assumptions)
    assert any("no certificate was checked" in told for told in result.assumptions)
    assert [s.name for s in without.stand_ins] == ["a.pth"]
    assert len(without.assumptions) == 1


@pytest.mark.asyncio(loop_scope="session")
async def test_a_library_that_answers_for_a_repository_is_told(executor: ExecutorClient) -> None:
    """With its version, which may be another than the one that is named."""
    code = "import torch\nm = torch.hub.load('pytorch/vision:v0.10.0', 'resnet18')\n"
    result = await run(executor, code, stand_ins=True)

    assert result.outcome is Outcome.OK, result.stderr
    [told] = result.assumptions
    assert told.startswith(
        "`pytorch/vision:v0.10.0` is not here: its models come from the installed torchvision"
    )


ELIDED = {
    "an argument": ("torch.utils.data.DataLoader([1, 2], ...)", 2),
    "a layer": ("torch.nn.Sequential(torch.nn.ReLU(), ...)", 2),
    "a value in a list": ("torch.tensor([...])", 2),
    "one that was kept": ("sizes = [...]\nwidth = 3\ntorch.zeros(2, *sizes)", 2),
    "one that is used later": ("rate = ...\nprint(1)\nabs(rate)", 2),
    "one of two": ("a = ...\nb = {'lr': ...}\ntorch.zeros(b['lr'])", 3),
}


@pytest.mark.parametrize("what", ELIDED)
@pytest.mark.asyncio(loop_scope="session")
async def test_three_dots_in_place_of_a_value_were_left_out(
    executor: ExecutorClient, what: str
) -> None:
    """Whoever refuses them, and wherever."""
    code, line = ELIDED[what]
    result = await run(executor, f"import torch\n{code}")

    assert result.left_out is not None, result.error
    assert (result.left_out.name, result.left_out.line) == ("...", line)


MEANT = {
    "an index": "x = torch.ones(2, 3)\nx[..., 5]",
    "a type": "a: tuple[int, ...] = (1,)\ntorch.ones(2) @ torch.ones(3)",
    "a body": "def f(x):\n    ...\nf(1)\ntorch.ones(2) @ torch.ones(3)",
    "another value": "config = {'lr': ...}\nx = torch.ones(2)\nx @ torch.ones(3)",
}


@pytest.mark.parametrize("what", MEANT)
@pytest.mark.asyncio(loop_scope="session")
async def test_three_dots_that_the_error_is_not_about(executor: ExecutorClient, what: str) -> None:
    """They are Python, or stand for something that was not needed yet."""
    result = await run(executor, f"import torch\n{MEANT[what]}")

    assert result.error is not None and result.left_out is None
