"""executor/service/selftest.py: what is said of a self-test that did not hold."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

from executor.jail.walls import Tier
from executor.protocol import Outcome
from executor.service.run import Run
from executor.service.selftest import AttackRow, rows


def ended(*attacks: str, verdict: Outcome | None = None) -> Run:
    """A run that made these attacks, all of them refused."""
    lines = [json.dumps({"attack": name, "got": None, "why": "EPERM"}) for name in attacks]
    seen: Any = SimpleNamespace(
        stdout=SimpleNamespace(text=lambda: "\n".join(lines)),
        stderr=SimpleNamespace(text=lambda: ""),
        ended=None if verdict is not None else object(),
        verdict=verdict,
        setup_error="",
        left=0,
        collected=SimpleNamespace(files=()),
    )
    return cast(Run, seen)


def made(run: Run) -> AttackRow:
    """The row that says whether all attacks were made."""
    found = rows(run, Tier.NAMESPACES, "")
    return next(row for row in found if row.attack == "every_attack_was_made")


def test_an_attack_that_was_not_made_is_named():
    """By its name, and with what ended the run."""
    few = made(ended("write_etc", "write_python", verdict=Outcome.TIMEOUT))
    first = few.seen.partition(";")[0].split(", ")

    assert not few.passed
    assert first[0].startswith("2 of ") and first[1].startswith("not made: ")
    assert "write_etc" not in few.seen and "network" in few.seen
    assert few.seen.endswith("the run was ended (timeout)")


def test_all_attacks_and_an_end_of_its_own_pass():
    """As many as the snippet has."""
    missing = made(ended("write_etc")).seen.partition("not made: ")[2].split(", ")
    whole = made(ended("write_etc", *missing))

    assert whole.passed and whole.seen == f"{len(missing) + 1} of {len(missing) + 1}"
    assert not made(ended("write_etc", *missing, verdict=Outcome.TIMEOUT)).passed
