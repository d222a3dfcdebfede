"""executor/inside/probes/caught.py and handled.py: what the snippet's own handlers took."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from executor.protocol import Caught, JobResult, Outcome, Probe
from knowledge.repair.mistake import mistake
from tests.executor.conftest import House
from tests.rows import some

TORCH = "torch.ones(2) @ torch.ones(3)"

# name → (code, [(type, line, handler line)])
CAUGHT: dict[str, tuple[str, list[tuple[str, int, int]]]] = {
    "return in finally": (
        f"import torch\ndef f():\n    try:\n        {TORCH}\n    finally:\n        return 1\nf()",
        [("RuntimeError", 4, 6)],
    ),
    "continue in finally": (
        "for i in range(2):\n    try:\n        1 / 0\n    finally:\n        continue",
        [("ZeroDivisionError", 3, 5)],
    ),
    "finally that drops nothing": (
        "def f():\n    try:\n        return 1\n    finally:\n        return 2\nf()",
        [],
    ),
    "nested handlers": (
        "try:\n    {}['a']\nexcept KeyError:\n    try:\n        1 / 0\n"
        "    except ZeroDivisionError:\n        pass",
        [("KeyError", 2, 3), ("ZeroDivisionError", 5, 6)],
    ),
    "raised again and taken": (
        "try:\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        raise\n"
        "except ArithmeticError:\n    pass",
        [("ZeroDivisionError", 3, 4)],
    ),
    "exception group": (
        "try:\n    raise ExceptionGroup('g', [ValueError(1)])\nexcept* ValueError:\n    pass",
        [("ExceptionGroup", 2, 3)],
    ),
    "async": (
        "import asyncio\nasync def f():\n    try:\n        await asyncio.sleep(0)\n        1 / 0\n"
        "    except ZeroDivisionError:\n        pass\nasyncio.run(f())",
        [("ZeroDivisionError", 5, 6)],
    ),
    "thread": (
        "import threading\ndef f():\n    try:\n        1 / 0\n    except ZeroDivisionError:\n"
        "        pass\nt = threading.Thread(target=f)\nt.start()\nt.join()",
        [("ZeroDivisionError", 4, 5)],
    ),
    "ends of generators": (
        "def g():\n    try:\n        yield 1\n    except GeneratorExit:\n        raise\n"
        "x = g()\nnext(x)\nx.close()\ntry:\n    next(iter(()))\nexcept StopIteration:\n    pass\n"
        "print(list(g()))",
        [],
    ),
    "what libraries suppress themselves": (
        "import contextlib, tempfile, types\nlib = types.ModuleType('lib')\n"
        "exec('import contextlib\\ndef f():\\n    with contextlib.suppress(KeyError):\\n"
        "        {}[1]', lib.__dict__)\nlib.f()",
        [],
    ),
}


def brief(result: JobResult) -> list[tuple[str, int | None, int | None]]:
    """What was caught, in short."""
    return [(c.type, c.line, c.handler_line) for c in result.caught]


@pytest.mark.parametrize("name", list(CAUGHT))
def test_what_was_taken_is_seen(any_house: House, name: str) -> None:
    code, expected = CAUGHT[name]
    result = any_house.run(code, wall_s=60)

    assert result.outcome is Outcome.OK, result.stderr
    assert brief(result) == expected


@pytest.mark.parametrize("how", ["from e", "", "from None"])
def test_the_first_error_is_the_mistake_also_when_another_masks_it(
    any_house: House, how: str
) -> None:
    result = any_house.run(
        f"import torch\ntry:\n    {TORCH}\nexcept RuntimeError as e:\n"
        f"    raise ValueError('bad input') {how}"
    )
    wrong = mistake(result).error

    assert result.error is not None and result.error.type == "ValueError"
    assert isinstance(wrong, Caught)
    assert (wrong.type, wrong.line) == ("RuntimeError", 3)


def test_an_error_after_another_that_was_dealt_with_is_itself_the_mistake(
    any_house: House,
) -> None:
    result = any_house.run(
        f"import torch\ntry:\n    {TORCH}\nexcept RuntimeError:\n    pass\nraise ValueError('x')"
    )

    assert mistake(result).error is result.error


def test_torch_compile_compiles_the_same_frames(any_house: House) -> None:
    """Neither the recorder in a compiled function's handler nor any hook costs a graph."""
    code = (
        "import torch\nfrom torch._dynamo.utils import counters\n"
        "@torch.compile(backend='eager')\ndef f(x):\n    try:\n        y = x + 1\n"
        "        if y.shape[0] == 3:\n            raise ValueError('three')\n"
        "    except ValueError:\n        y = x * 2\n    return y.sin()\n"
        "m = torch.compile(torch.nn.Linear(2, 2), backend='eager')\n"
        "opt = torch.optim.SGD(m.parameters(), lr=0.1)\n"
        "for n in (2, 3):\n    try:\n        f(torch.ones(n))\n"
        "        m(torch.ones(n, 2)).sum().backward()\n        opt.step()\n        {}['a']\n"
        "    except KeyError:\n        pass\n"
        "print(dict(counters['frames']), dict(counters['stats']), dict(counters['graph_break']))"
    )
    bare = any_house.run(code, probes=(Probe.NONE,), wall_s=120)
    probed = any_house.run(code, wall_s=120)

    assert bare.outcome is Outcome.OK, bare.stderr
    assert "'unique_graphs': " in bare.stdout
    assert probed.stdout == bare.stdout
    assert ("KeyError", 19, 20) in brief(probed)


# -- Python 3.12 and newer -------------------------------------------------------------------

LISTENER = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("handled", sys.argv[1])
handled = importlib.util.module_from_spec(spec)
spec.loader.exec_module(handled)
seen = []
def take(error, line):
    tb, at = error.__traceback__, None
    while tb is not None:
        at = tb.tb_lineno if tb.tb_frame.f_code.co_filename == "snippet.py" else at
        tb = tb.tb_next
    if isinstance(error, (StopIteration, GeneratorExit)):
        return None
    seen.append((type(error).__name__, at, line))
    return seen[-1]
def drop(taken):
    if taken in seen:
        seen.remove(taken)
assert handled.offered()
listener = handled.Handled("snippet.py", take, drop)
listener.start()
try:
    exec(compile(sys.argv[2], "snippet.py", "exec"), {"__name__": "__main__"})
finally:
    listener.stop()
assert handled.offered()
sys.stdout.write("\\n" + json.dumps(seen))
"""

MONITORED = {
    name: (
        code.replace("import torch\n", "").replace(TORCH, "[][0]"),
        [
            (
                t.replace("RuntimeError", "IndexError"),
                n - ("import torch" in code),
                h - ("import torch" in code),
            )
            for t, n, h in expected
        ],
    )
    for name, (code, expected) in CAUGHT.items()
}
MONITORED |= {
    "suppress": (
        "import contextlib\nwith contextlib.suppress(KeyError):\n    {}['x']",
        [("KeyError", 3, 2)],
    ),
    "handler that does not fit": (
        "try:\n    try:\n        1 / 0\n    except KeyError:\n        pass\n"
        "except ZeroDivisionError:\n    pass",
        [("ZeroDivisionError", 3, 6)],
    ),
    "raised again and taken": (
        CAUGHT["raised again and taken"][0], [("ZeroDivisionError", 3, 6)],
    ),
}  # fmt: skip


def newer_pythons() -> list[str]:
    """Interpreters of Python 3.12 and newer on this machine, one of each version."""
    named = [shutil.which(f"python3.{minor}") for minor in range(12, 16)]
    pyenv = sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python"))
    found: dict[str, str] = {}
    for path in [sys.executable, *filter(None, named), *map(str, pyenv)]:
        asked = "import sys; print(sys.version_info >= (3, 12), sys.version_info[:2])"
        said = subprocess.run([path, "-c", asked], capture_output=True, text=True, check=False)
        if said.stdout.startswith("True"):
            found.setdefault(said.stdout, path)
    return list(found.values())


@pytest.mark.parametrize("name", some(MONITORED, 4))
def test_newer_pythons_tell_it_themselves(name: str) -> None:
    """The same facts from `sys.monitoring`, and more exactly: what is passed on is not taken."""
    pythons = newer_pythons()
    if not pythons:
        pytest.skip("NOT TESTED HERE: no Python 3.12 or newer on this machine")
    code, expected = MONITORED[name]
    module = Path(__file__).parents[3] / "executor" / "inside" / "probes" / "handled.py"
    for python in pythons:
        ran = subprocess.run(
            [python, "-c", LISTENER, module, code], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, (python, ran.stderr)
        seen = [tuple(s) for s in json.loads(ran.stdout.splitlines()[-1])]
        assert list(dict.fromkeys(seen)) == expected, python


def test_a_messages_colours_are_no_part_of_it(any_house: House) -> None:
    """What a terminal would take for colours nobody can read in a chat."""
    result = any_house.run('raise ValueError("do \\x1b[1mthis\\x1b[0m first")')

    assert result.error is not None and result.error.message == "do this first"
