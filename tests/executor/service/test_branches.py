"""executor/service/branches.py: libraries are imported before the fork that wants them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from executor.exceptions import StartError
from executor.protocol import Outcome
from executor.service.branches import Branches, libraries_of
from executor.service.metrics import text
from tests.executor.conftest import House, open_house


@pytest.mark.parametrize(
    ("code", "libraries"),
    [
        ("import torchvision", {"torchvision"}),
        ("import torch, torchvision.models as m, pandas", {"torchvision", "pandas"}),
        ("from sklearn.metrics import f1_score", {"sklearn"}),
        ("def f():\n    from  timm import create_model", {"timm"}),
        ("import torch\nimport numpy as np", set()),
        ("from torch import torchvision", set()),
        ("from .torchvision import x\nfrom . import pandas", set()),
        ("print('import')\nx = 'import torchvision'", set()),
        ("import os, sys, subprocess, http.server", set()),
        ("import ,\nimport\nfrom\nimport torchvision as", {"torchvision"}),
    ],
)
def test_the_text_says_which_libraries_are_wanted(code: str, libraries: set[str]) -> None:
    """Only names of our own list are ever imported for it."""
    assert libraries_of(code) == libraries
    assert libraries_of(code, lambda _: False) == set()


class FakeServer:
    """A server that can fork others, and notes what they import."""

    def __init__(self, *modules: str) -> None:
        self.modules, self.orders, self.stopped, self.fails = modules, 0, False, ""
        self.ready: Any = type("Ready", (), {"pid": 1})

    def alive(self) -> bool:
        return not self.stopped

    def stop(self) -> None:
        self.stopped = True

    def branch(self, modules: list[str]) -> FakeServer:
        if self.fails:
            raise StartError(self.fails)
        return FakeServer(*self.modules, *modules)


def ask(branches: Branches, first: FakeServer, *wanted: str) -> Any:
    return branches.server_for(first, frozenset(wanted))  # type: ignore[arg-type]


def test_a_branch_is_made_once_and_grows_from_the_nearest() -> None:
    """It never has more than is wanted, and what takes no time makes none."""
    first, branches = FakeServer(), Branches(3, 200, lambda _: None)

    assert ask(branches, first) is first
    timm = ask(branches, first, "timm")
    assert timm.modules == ("timm",) and ask(branches, first, "timm") is timm
    both = ask(branches, first, "timm", "pandas")
    assert both.modules == ("timm", "pandas")
    assert ask(branches, first, "pandas").modules == ("pandas",)
    assert branches.starts == 3


def test_only_some_branches_are_kept() -> None:
    """The one that was used longest ago is stopped."""
    first, branches = FakeServer(), Branches(2, 200, lambda _: None)
    old, used = ask(branches, first, "timm"), ask(branches, first, "sklearn")
    ask(branches, first, "timm")
    ask(branches, first, "datasets")

    assert used.stopped and not old.stopped
    assert ask(Branches(0, 200, lambda _: None), first, "timm") is first


def test_a_branch_is_replaced_with_its_first_server_and_after_many_runs() -> None:
    first, branches = FakeServer(), Branches(2, 5, lambda _: None)
    branch = ask(branches, first, "timm")
    branch.orders = 5
    fresh = ask(branches, first, "timm")

    assert branch.stopped and fresh is not branch
    assert ask(branches, FakeServer(), "timm") is not fresh and fresh.stopped


def test_a_branch_that_fails_is_not_tried_again() -> None:
    """Neither one that cannot import, nor one whose walls do not hold: the run imports itself."""
    first, asked = FakeServer(), []

    def fall(branch: Any) -> None:
        asked.append(branch)
        raise StartError("a wall is missing")

    branches = Branches(2, 200, fall)
    assert ask(branches, first, "timm") is first and ask(branches, first, "timm") is first
    assert len(asked) == 1 and asked[0].stopped
    first.fails = "ImportError"
    assert ask(branches, first, "sklearn") is first


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = open_house("auto", slots=1, runs_per_server=4)
    yield house
    house.supervisor.close()


LOADED = "import sys, torch\nprint('torchvision' in sys.modules)\n"


def test_a_run_finds_its_libraries_imported_and_no_other_does(house: House) -> None:
    """In the jail: the branch's walls are tried, and its runs are as any others."""
    there = house.run(LOADED + "import torchvision\nprint(torchvision.ops.box_iou.__name__)")
    again = house.run(LOADED + "import torchvision")
    other = house.run(LOADED)
    cold = house.run(LOADED + "import torchvision", cold=True, wall_s=30)

    assert (there.outcome, there.stdout) == (Outcome.OK, "True\nbox_iou\n"), there.stderr
    assert [again.stdout, other.stdout, cold.stdout] == ["True\n", "False\n", "False\n"]
    assert there.isolation == other.isolation
    assert "torchmedic_executor_branch_starts_total 1.0" in text(house.supervisor)
    house.assert_clean()


def test_a_branch_goes_with_its_server(house: House) -> None:
    """After the runs of a server, a fresh one starts, and fresh branches with it."""
    house.run(LOADED + "import torchvision")
    [branch] = house.supervisor.branches._branches.values()
    first = house.supervisor._server
    until = time.monotonic() + 60
    while house.supervisor._server is first:
        assert time.monotonic() < until
        house.run("1")
    last = house.run(LOADED + "import torchvision")

    assert last.stdout == "True\n"
    assert branch not in house.supervisor.branches._branches.values()
