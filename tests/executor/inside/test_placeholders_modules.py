"""executor/inside/placeholders/modules.py: imports of what is not installed are put off."""

from __future__ import annotations

import ast

import pytest

from executor.inside.placeholders.modules import LeftOutImports
from executor.protocol import MODULE, Job, JobResult, Outcome
from executor.service.client import ExecutorClient

LEFT_OUT = {
    "a module": ("import no_such_one", {"no_such_one": "no_such_one"}),
    "another name": ("import no_such_one.part as n", {"n": "no_such_one"}),
    "a part of one": ("from no_such_one.part import a, b as c", {"a": "no_such_one.part",
                                                                  "c": "no_such_one.part"}),
    "of the snippet's own package": ("from .models import Net", {"Net": "models"}),
    "below a condition": ("if True:\n    import no_such_one", {"no_such_one": "no_such_one"}),
    "one of two": ("import ast, no_such_one", {"no_such_one": "no_such_one"}),
    "an installed one": ("import ast\nfrom torch import gone", {}),
    "one that is expected to be absent": (
        "try:\n    import no_such_one\nexcept ImportError:\n    pass", {}),
    "one of a function": ("def f():\n    import no_such_one", {}),
    "all of one": ("from no_such_one import *", {}),
    "one that only logs": ("import wandb", {}),
}  # fmt: skip


@pytest.mark.parametrize("what", LEFT_OUT)
def test_which_imports_are_left_out(what: str) -> None:
    """Those that would end the program, by the name that they bind."""
    code, expected = LEFT_OUT[what]
    tree = ast.parse(code)
    left = LeftOutImports(tree)

    assert {n: v.__dict__["module"].name for n, v in left.values().items()} == expected
    kept = {
        alias.asname or alias.name
        for node in ast.walk(left.without(tree))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert not kept & expected.keys()
    assert ast.unparse(tree) == ast.unparse(ast.parse(code))  # the tree itself stays as it was


USES = {
    "a call": "absent()",
    "an attribute": "absent.constant",
    "an item": "absent[0]",
    "a base": "class A(absent): pass",
    "a check": "isinstance(1, absent)",
    "a loop": "list(absent)",
    "a manager": "with absent: pass",
    "a condition": "if absent: pass",
}


@pytest.mark.parametrize("what", USES)
def test_a_use_is_the_import_s_error(what: str) -> None:
    """Whatever is done with it fails as its import would have."""
    left = LeftOutImports(ast.parse("import absent"))

    with pytest.raises(ModuleNotFoundError, match="No module named 'absent'"):
        exec(USES[what], dict(left.values()))


def test_a_module_all_of_whose_names_were_supplied_is_not_told() -> None:
    """What stands for its names is told instead."""
    left = LeftOutImports(ast.parse("from net import Net\nfrom data import a, b"))

    assert [m.name for m in left.modules(("Net", "a"))] == ["data"]


async def run(executor: ExecutorClient, code: str) -> JobResult:
    """A run with placeholders."""
    return await executor.run(Job(code=code, stand_ins=True))


@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_before_its_use_is_the_snippet_s(executor: ExecutorClient) -> None:
    """The module has no part in it, and is told."""
    code = "import torch\nimport no_such_one as n\ntorch.ones(2, 3) @ torch.ones(2)\nn.f()"
    result = await run(executor, code)

    assert result.error is not None and result.error.line == 3
    assert not result.depends_on_stand_ins
    [placeholder] = result.stand_ins
    assert (placeholder.name, placeholder.line, placeholder.kind) == ("no_such_one", 2, MODULE)
    assert "nothing that ran uses it" in result.assumptions[0]


@pytest.mark.asyncio(loop_scope="session")
async def test_its_use_ends_the_run_there(executor: ExecutorClient) -> None:
    """The line is the one that uses it."""
    code = "import torch\nimport no_such_one as n\nx = torch.ones(2)\nn.f(x)"
    result = await run(executor, code)

    assert result.error is not None
    assert (result.error.type, result.error.line) == ("ModuleNotFoundError", 4)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_name_of_it_whose_use_says_what_it_is_gets_a_placeholder(
    executor: ExecutorClient,
) -> None:
    """As a name that was not posted at all."""
    code = (
        "import torch\nfrom data import train_loader\nnet = torch.nn.Linear(4, 2)\n"
        "for x, y in train_loader:\n    loss = torch.nn.functional.cross_entropy(net(x), y)\n"
    )
    result = await run(executor, code)

    assert result.outcome is Outcome.OK, result.stderr
    assert [s.name for s in result.stand_ins] == ["train_loader"]
