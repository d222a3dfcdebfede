"""Imports of files that were posted too: nothing has to be there for them."""

from __future__ import annotations

import ast

import pytest

from executor.inside.placeholders.own_files import without, without_absent
from executor.protocol import Job, Outcome
from tests.executor.conftest import House

NET = "class Net:\n    pass\n\ndef helper():\n    return 1\n"

LEFT = {
    "one name": ("from mynets import Net", "pass", {"mynets": ("Net",)}),
    "two names": ("from mynets import Net, helper", "pass", {"mynets": ("Net", "helper")}),
    "under its own name": ("from mynets import Net as Net", "pass", {"mynets": ("Net",)}),
    "a part of a package": ("from .mynets import Net", "pass", {"mynets": ("Net",)}),
    "one of two": (
        "from mynets import Net, Other", "from mynets import Other", {"mynets": ("Net",)}
    ),
}  # fmt: skip
KEPT = {
    "of what is installed": "from torch.nn import Net",
    "under another name": "from mynets import Net as Model",
    "of what was not posted": "from mynets import Other",
    "the module itself": "import mynets",
}


@pytest.mark.parametrize(("line", "left", "files"), LEFT.values(), ids=LEFT)
def test_an_import_of_what_was_posted_is_left_out(
    line: str, left: str, files: dict[str, tuple[str, ...]]
) -> None:
    tree, found = without(ast.parse(NET + line))

    assert ast.unparse(tree.body[-1]) == left
    assert found == files


@pytest.mark.parametrize("line", KEPT.values(), ids=KEPT)
def test_every_other_import_stays(line: str) -> None:
    tree, found = without(ast.parse(NET + line))

    assert (ast.unparse(tree.body[-1]), found) == (line, {})


def test_an_import_above_the_definition_stays() -> None:
    """There the name is used before anything that was posted makes it."""
    tree, found = without(ast.parse("from mynets import Net\n" + NET))

    assert (len(found), ast.unparse(tree.body[0])) == (0, "from mynets import Net")


ABSENT = {
    "from mynets import Net, helper": ("pass", (1,)),
    "from .nets import (\n    Net,\n)": ("pass", (1, 2, 3)),
    "from mynets import *": ("pass", (1,)),
    "from torch.nn import Linear": ("from torch.nn import Linear", ()),
    "import mynets": ("import mynets", ()),
    "from mynets import tools\ntools.prepare(3)": (
        "from mynets import tools\ntools.prepare(3)",
        (),
    ),
    "from mynets import net\nnet.eval()": ("pass\nnet.eval()", (1,)),
    "from mynets import Net\nNet.load(3)": ("pass\nNet.load(3)", (1,)),
}


@pytest.mark.parametrize(("line", "left"), ABSENT.items(), ids=ABSENT)
def test_names_of_a_module_that_is_not_here_become_names_that_nothing_binds(
    line: str, left: tuple[str, tuple[int, ...]]
) -> None:
    """Where an error is rebuilt, they get values as any other name that was not posted."""
    tree, lines = without_absent(ast.parse(line))

    assert (ast.unparse(tree), lines) == left


def test_a_program_of_two_files_runs_and_says_so(house: House) -> None:
    code = NET + "from mynets import Net, helper\nprint(helper())\n"
    result = house.supervisor.run(Job(code=code, stand_ins=True))

    assert (result.outcome, result.stdout) == (Outcome.OK, "1\n")
    assert result.assumptions == (
        "`mynets` is your file with `Net` and `helper`, as you posted them",
    )
