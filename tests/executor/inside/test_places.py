"""executor/inside/placeholders/places.py: errors about what this machine has not."""

from __future__ import annotations

import textwrap

import pytest

from executor.protocol import Job, NotHere
from executor.service.client import ExecutorClient

PATHS = {
    "a file": ("open('/data/a.bin')", "/data/a.bin"),
    "a folder": ("import os\nos.chdir('/home/me/project')", "/home/me/project"),
    "a name in bytes": ("open(b'/data/a.bin')", "/data/a.bin"),
    "a copy": ("import shutil\nshutil.copy('/data/a.bin', 'b.bin')", "/data/a.bin"),
    "an error that names it in other words": (
        "torch.ops.load_library('/opt/x/libown.so')", "/opt/x/libown.so"),
    "an error that does not name it": (
        "import sqlite3\nat = '/data/items.db'\nsqlite3.connect(at)", "/data/items.db"),
    "another file beside the snippet": ("torch.jit.load('traced.pt')", "traced.pt"),
    "a check of its own": (
        "import os\np = '/data/a.pth'\nif not os.path.isfile(p):\n    raise ValueError('none')",
        "/data/a.pth"),
    "an assert": (
        "from pathlib import Path\nroot = Path('/mnt/data')\nassert root.exists(), 'no data'",
        "/mnt/data"),
    "an error that it tells": (
        "import os\np = '/data/a.pth'\nif not os.path.isfile(p):\n    raise KeyError(f'no {p} !')",
        "/data/a.pth"),
}  # fmt: skip


@pytest.mark.parametrize("what", PATHS)
@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_about_a_path_that_is_not_here(executor: ExecutorClient, what: str) -> None:
    """Whoever raises it, and in whatever words."""
    code, path = PATHS[what]
    result = await executor.run(Job(code=f"import torch\n{code}"))

    assert result.error is not None
    assert result.not_here == NotHere(kind="path", name=path)


OTHERS = {
    "a program": ("import subprocess\nsubprocess.run(['no-such-tool', '-x'])", "program",
                  "no-such-tool -x"),
    "a program that fails": (
        "import subprocess\nsubprocess.check_call('cd /repo && make', shell=True)", "program",
        "cd /repo && make"),
    "an argument": ("import sys\nrate = float(sys.argv[1])", "argument", "sys.argv[1]"),
    "a variable that is not set": (
        "import os\nroot = os.getenv('DATA_DIR')\nos.path.join(root, 'a')", "variable", "DATA_DIR"),
    "a variable of the environment's": (
        "import os\nroot = os.environ.get('HERE')\nopen(root)", "variable", "HERE"),
    "a variable": ("import os\nos.environ['DATA_DIR']", "variable", "DATA_DIR"),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS)
@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_about_a_program_or_a_variable(executor: ExecutorClient, what: str) -> None:
    """Nothing that was posted could bring them along."""
    code, kind, name = OTHERS[what]
    result = await executor.run(Job(code=f"import torch\n{code}"))

    assert result.not_here is not None
    assert (result.not_here.kind, result.not_here.name) == (kind, name)


OWN = {
    "a file of its own that is gone by now": """
        import os, tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.pt")
            torch.save({"a": torch.ones(1)}, path)
            torch.load(path, map_location="nowhere")
        """,
    "a text that only looks like a path": """
        torch.einsum("...ij,...jk->...ik", torch.ones(2, 3, 4), torch.ones(2, 5, 4))
        """,
    "a path in place of its content": "torch.nn.functional.relu('/data/a.png')",
    "a path that it made itself": """
        import os
        os.makedirs("out")
        os.mkdir("out")
        """,
    "a file that it wrote itself": """
        torch.save(torch.nn.Linear(2, 2).state_dict(), "a.pt")
        torch.nn.Linear(3, 2).load_state_dict(torch.load("a.pt"))
        """,
    "None of its own": "import os\nroot = None\nos.path.join(root, 'a')",
    "a key of its own": "{'a': 1}['/data/b']",
    "another condition": "p = '/data/a.pth'\nif len(p) > 3:\n    raise ValueError('too long')",
    "a ratio in words": "raise ValueError('loss /step is too high')",
}


@pytest.mark.parametrize("what", OWN)
@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_of_its_own(executor: ExecutorClient, what: str) -> None:
    """Though a text of it could be a path."""
    result = await executor.run(Job(code=f"import torch\n{textwrap.dedent(OWN[what])}"))

    assert result.error is not None and result.not_here is None


@pytest.mark.asyncio(loop_scope="session")
async def test_a_name_in_bytes_is_moved_as_others_are(executor: ExecutorClient) -> None:
    """What is written is where the folder was made; the whole path is told."""
    code = (
        "import os, torch\nos.makedirs('/logs/runs/one')\n"
        "with open(b'/logs/runs/one/a', 'wb') as f:\n    f.write(b'x')\n"
        "print(open('/logs/runs/one/a').read())"
    )
    result = await executor.run(Job(code=code, stand_ins=True))

    assert result.stdout == "x\n", result.stderr
    assert [s.name for s in result.stand_ins] == ["/logs/runs/one"]
