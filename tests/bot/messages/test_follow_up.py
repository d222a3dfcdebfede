"""bot/messages/follow_up.py: the error that came first, where the last one says nothing of it."""

from __future__ import annotations

import pytest

from bot.messages.question import read_message

HEAD = "Traceback (most recent call last):\n"
DUMPED = (
    f'{HEAD}  File "fit.py", line 9, in <module>\n    for x in loader:\n'
    '  File "C:\\py\\lib\\multiprocessing\\reduction.py", line 60, in dump\n'
    "    ForkingPickler(file, protocol).dump(obj)\n"
    "TypeError: cannot pickle 'generator' object\n"
)
CHILD = f'{HEAD}  File "<string>", line 1, in <module>\nEOFError: Ran out of input\n'
LAUNCHED = (
    f'{HEAD}  File "/usr/bin/torchrun", line 8, in <module>\n    sys.exit(main())\n'
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
)
REFUSED = "usage: fit.py [-h] [--lr LR]\nfit.py: error: unrecognized arguments: --rate=3 --lrr 4\n"
OWN = f'{HEAD}  File "fit.py", line 3, in <module>\n    f(x)\nValueError: no such split\n'
WORKER = f'{HEAD}  File "set.py", line 3, in __getitem__\n    f(x)\nKeyError: 7\n'
GONE = (
    f'{HEAD}  File "fit.py", line 5, in <module>\n    for x in loader:\n'
    "RuntimeError: DataLoader worker (pid(s) 71) exited unexpectedly\n"
)
WAITED = (
    f'{HEAD}  File "q.py", line 5, in get\n    raise Empty\n_queue.Empty\n\n'
    "The above exception was the direct cause of the following exception:\n\n"
)


@pytest.mark.parametrize(
    ("paste", "type_", "message"),
    [
        # What the parent says, and then the child.
        (DUMPED + CHILD, "TypeError", "cannot pickle 'generator' object"),
        (f"{DUMPED}\n{CHILD}", "TypeError", "cannot pickle 'generator' object"),
        # What a process says, and then its launcher.
        (OWN + LAUNCHED, "ValueError", "no such split"),
        (
            REFUSED + LAUNCHED,
            "SystemExit",
            "fit.py: error: unrecognized arguments: --rate=3 --lrr 4",
        ),
        # What a worker says, and then the loader.
        (f"{WORKER}\n{GONE}", "KeyError", "7"),
        # Where the first one was not posted, the last one is what there is.
        (LAUNCHED, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError", ""),
        (CHILD, "EOFError", "Ran out of input"),
        (WAITED + GONE, "RuntimeError", "DataLoader worker (pid(s) 71) exited unexpectedly"),
        # A file that ends too early, after another error: the last one is asked about.
        (
            OWN + CHILD.replace("<string>", "load.py"),
            "EOFError",
            "Ran out of input",
        ),
        (GONE + OWN, "ValueError", "no such split"),
    ],
)
def test_the_first_error_is_asked_about(paste: str, type_: str, message: str) -> None:
    """In a fence and in the open."""
    for text in (f"It ends so:\n\n```\n{paste}```\n", f"It ends so:\n\n{paste}"):
        found = read_message(text).traceback

        assert found is not None
        assert (found.type, found.message) == (type_, message)


def test_a_warning_of_several_lines_is_no_code() -> None:
    """Neither its text nor the line below it, which Python prints."""
    warned = (
        "/lib/torch/cuda/__init__.py:104: UserWarning:\nA with CUDA capability sm_86 is not "
        "compatible with it.\n\n  warnings.warn(text.format(name, 3))\n"
    )
    question = read_message(f"It says\n\n```\n{warned}{OWN}```\n")

    assert question.snippets == ()
    assert "sm_86 is not compatible" in question.text
    assert question.traceback is not None and question.traceback.type == "ValueError"
