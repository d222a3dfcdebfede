"""knowledge/repair/supplied.py: a fix is a listing that runs without what its runs were given."""

from __future__ import annotations

import pytest

from executor.protocol import Job, JobResult
from knowledge.repair.fix import Fix
from knowledge.repair.supplied import with_supplied_imports
from tests.built import RecordedExecutor, failed, ran

F = "import torch.nn.functional as F"
OLD = "import torch\nfrom torch import (\n    nn,\n)\nf(0)\nF.g(1)\n"
FIXED = OLD.replace("f(0)", "f(1)")
WHOLE = FIXED.replace("import torch\n", f"import torch\n{F}\n")


async def whole(fixed: str, run: JobResult, **facts: object) -> Fix:
    result = ran(stdout="1\n", assumptions=(F, "x is made up"))
    fix = Fix(
        codemod="a", title="f of 1", diff="", code=fixed, verified=True, checks=(), result=result
    )
    executor = RecordedExecutor({WHOLE: run})
    return await with_supplied_imports(
        executor,  # type: ignore[arg-type]
        fix.model_copy(update=facts),
        Job(code=OLD),
    )


async def test_an_import_that_the_code_lacks_is_a_part_of_the_fix() -> None:
    """The listing was run as it is shown."""
    run = ran(stdout="1\n", assumptions=("x is made up",))

    found = await whole(FIXED, run)

    assert (found.code, found.result) == (WHOLE, run)
    assert found.steps == ("f of 1", f"`{F}`, which the code lacks")
    assert f"+{F}" in found.diff and "+f(1)" in found.diff


@pytest.mark.parametrize(
    "run",
    [failed("no"), ran(stdout="2\n"), ran(stdout="1\n", assumptions=(F,))],
)
async def test_a_listing_that_does_another_thing_is_not_shown(run: JobResult) -> None:
    found = await whole(FIXED, run)

    assert (found.code, found.steps) == (FIXED, ())


@pytest.mark.parametrize(
    ("fixed", "facts"),
    [
        ("f(1)\n", {}),  # a part of a program: its imports stand elsewhere
        (FIXED, {"result": ran(stdout="1\n")}),  # it lacks none
        (FIXED, {"result": None}),
        (FIXED, {"verified": False}),
    ],
)
async def test_where_nothing_is_added(fixed: str, facts: dict[str, object]) -> None:
    """Nothing is run either."""
    found = await whole(fixed, ran(), **facts)

    assert found.code == fixed
