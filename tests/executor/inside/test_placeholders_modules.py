"""executor/inside/placeholders/modules.py: imports of what is not installed are put off."""

from __future__ import annotations

import ast
import textwrap

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
    "one that is called like Python's own tests": (
        "from test import evaluate", {"evaluate": "test"}),
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
    "its version": "absent.__version__",
    "a text of it": "f'{absent}'",
    "a number of it": "2 * absent",
    "a comparison": "absent == 1",
    "an index": "[1, 2][absent]",
    "a path": "open(absent)",
    "unpacking": "a, b = absent",
    "keywords": "dict(**absent)",
    "a metaclass": "class A(metaclass=absent): pass",
    "a pickle of it": "import pickle; pickle.dumps(absent)",
    "an array of it": "import numpy; numpy.array(absent)",
    "torch": "import torch; torch.add(torch.ones(1), absent)",
}

HANDED_ON = {
    "a list": "a = [absent]",
    "a dictionary's key": "a = {absent: 1}",
    "a type": "from typing import Optional; a: Optional[absent] = None",
    "a union": "def f(a: absent | None): pass",
    "a default": "def f(a=absent): pass",
    "a copy": "import copy; copy.deepcopy({1: absent})",
    "an attribute": "import torch; torch.nn.ReLU().a = absent",
}


@pytest.mark.parametrize("what", USES)
def test_a_use_is_the_import_s_error(what: str) -> None:
    """Whatever is done with it fails as its import would have."""
    left = LeftOutImports(ast.parse("import absent"))

    with pytest.raises(ModuleNotFoundError, match="No module named 'absent'"):
        exec(USES[what], {"__name__": "__main__", **left.values()})


@pytest.mark.parametrize("what", HANDED_ON)
def test_what_a_class_or_a_function_allows_too_is_no_use(what: str) -> None:
    """The run goes on to an error of its own, if there is one."""
    left = LeftOutImports(ast.parse("import absent"))

    exec(HANDED_ON[what], {"__name__": "__main__", **left.values()})
    assert left.modules(())[0].used is None


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
    assert "nothing that ran needs it" in result.assumptions[0]


@pytest.mark.asyncio(loop_scope="session")
async def test_its_use_ends_the_run_there(executor: ExecutorClient) -> None:
    """The line is the one that uses it."""
    code = "import torch\nimport no_such_one as n\nx = torch.ones(2)\nn.f(x)"
    result = await run(executor, code)

    assert result.error is not None
    assert (result.error.type, result.error.line) == ("ModuleNotFoundError", 4)


# How Python, torch and others refuse what stands for a module, in errors of their own.
REFUSED = {
    "a script of a function": """
        @torch.jit.script
        def act(x):
            return m.gelu(x)
        """,
    "a script of a module": """
        class Act(torch.nn.Module):
            def forward(self, x):
                return m.gelu(x)
        torch.jit.script(torch.nn.Sequential(torch.nn.ReLU(), Act()))
        """,
    "a type that is refused": "import json\njson.dumps({1: [thing]})",
    "a class of errors": "try:\n    torch.ones(2) @ torch.ones(3)\nexcept thing:\n    pass",
    "raised": "raise thing",
    "a parameter": "net = torch.nn.Linear(2, 2)\nnet.weight = thing",
    "kept and handed on": """
        class Net(torch.nn.Module):
            def __init__(self, block=thing):
                super().__init__()
                self.block = block
                self.add_module("b", self.block)
        Net()
        """,
    "what only logs": "import wandb\nfloat(wandb.init().summary['best'])",
    "a setting of what only logs": "import wandb\nwandb.init(config={})\nwandb.config.width + 1",
    "expected, and its name used": """
        try:
            import no_such_two
        except ImportError:
            print("not there")
        no_such_two.run()
        """,
    "expected, and told": """
        try:
            import no_such_two
            HAS = True
        except ImportError:
            HAS = False
        def available():
            return HAS
        if not available():
            raise RuntimeError("install it")
        """,
    "expected, and given None": """
        try:
            from no_such_two import run
        except ImportError:
            run = None
        run(torch.ones(2))
        """,
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_over_what_stands_for_it_is_the_module_s(
    executor: ExecutorClient, what: str
) -> None:
    """Whoever raises it."""
    head = "import torch\nimport no_such_one as m\nfrom no_such_one import thing\n"
    result = await run(executor, head + textwrap.dedent(REFUSED[what]).strip())

    assert result.error is not None, result.stderr
    assert result.error.type != "ModuleNotFoundError"
    assert result.needs_module in {"no_such_one", "no_such_two", "wandb"}


OWN = {
    "another value in the call": "f = {'a': thing}\ntorch.ones(2, 3) @ torch.ones(2)",
    "a function that names it later": """
        def f(x):
            y = x @ torch.ones(7)
            return thing(y)
        f(torch.ones(2))
        """,
    "an object that keeps it": """
        class Net(torch.nn.Module):
            def __init__(self, block=thing):
                super().__init__()
                self.block = block
                self.fc = torch.nn.Linear(4, 4)
            def forward(self, x):
                return self.fc(x)
        Net()(torch.ones(2, 3))
        """,
    "an expected one that is not needed": """
        try:
            import no_such_two
        except ImportError:
            no_such_two = None
        torch.ones(2, 3) @ torch.ones(2)
        """,
}


@pytest.mark.parametrize("what", OWN)
@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_over_other_values_is_the_snippet_s(
    executor: ExecutorClient, what: str
) -> None:
    """Though what stands for a module is near."""
    head = "import torch\nfrom no_such_one import thing\n"
    result = await run(executor, head + textwrap.dedent(OWN[what]).strip())

    assert result.error is not None and result.error.type == "RuntimeError"
    assert not result.needs_module
    assert "nothing that ran needs it" in result.assumptions[0]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_name_that_is_imported_and_never_read_gets_nothing(
    executor: ExecutorClient,
) -> None:
    """There is no use that could say what it is."""
    result = await run(executor, "import torch\nfrom no_such_one import Net, cfg\nprint(cfg is 1)")

    assert [s.name for s in result.stand_ins] == ["no_such_one"]


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
