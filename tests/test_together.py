"""tests/together.py: what shares something is tested by one process, where there are several."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.mark.parametrize("number", range(8))
def test_a_file_is_tested_by_one_process(tmp_path_factory: pytest.TempPathFactory, number: int):
    """What a file's tests share is made once; grouping has ended in silence before."""
    base = tmp_path_factory.getbasetemp()
    everybodys = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with (everybodys / "together").open("a") as seen:
        print(os.getpid(), file=seen)
    pids = (everybodys / "together").read_text().split()

    assert set(pids) == {str(os.getpid())}


def test_a_codemod_is_a_group_of_its_own():
    """Its tests ask the same programs, and one answer is kept for all of them."""
    together = pytest.importorskip("tests.together", reason="no pytest-xdist here")
    codemods = Path(__file__).parent / "knowledge/repair/codemods"
    names = {p.stem.replace("_", "-") for p in codemods.glob("*.py")} - {"--init--", "cases"}
    file = "tests/knowledge/repair/test_every_codemod.py"
    test = f"{file}::test_formatting_is_no_matter"
    group = together.Together._split_scope

    assert {group(None, f"{test}[{name}-cat-sizes @ [0]]") for name in names} == names
    assert group(None, f"{file}::test_of_nothing") == file
    cli = "tests/bot/commands/test_cli.py"
    assert group(None, f"{cli}::test_it[a::b]") == cli
