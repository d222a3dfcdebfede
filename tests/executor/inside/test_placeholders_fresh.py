"""executor/inside/placeholders/fresh.py: what passes only because more is imported here."""

from __future__ import annotations

import pytest

from executor.protocol import Outcome
from tests.conftest import Ask
from tests.executor.conftest import House

# Both are imported by the warm server's optimizers and torch._dynamo; neither by `import torch`.
HIDDEN = "import torch\nprint(torch.distributed.fsdp.ShardingStrategy.NO_SHARD.name)"


@pytest.mark.parametrize(
    "code",
    [
        HIDDEN,
        "import torch.distributed as dist\nprint(dist.fsdp)",
        "from torch import distributed\nprint(distributed.fsdp)",
        "print(torch.distributed.fsdp)",
    ],
)
def test_a_submodule_that_nobody_imported_is_noticed(code: str, any_house: House) -> None:
    """It passes here; the report says by which module's grace."""
    result = any_house.run(code)

    assert result.outcome is Outcome.OK
    assert result.warm_only == ("torch.distributed.fsdp",)


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nimport torch.distributed.fsdp\nprint(torch.distributed.fsdp)",
        "import torch\nfrom torch.distributed import fsdp\nprint(torch.distributed.fsdp)",
        "import torch\nfrom torch.distributed.fsdp import api\nprint(torch.distributed.fsdp)",
        "import torch\nprint(torch.onnx)",  # torch imports it itself at the first use
        "import torch\nprint(torch.nn.functional.relu, torch.utils.data.DataLoader)",
        "import torch\nprint(torch.optim.lr_scheduler.StepLR, torch.linalg.norm)",
        "x = 1",
    ],
)
def test_ordinary_code_costs_no_cold_run(code: str, any_house: House) -> None:
    """What was imported, or comes with torch, is no reason to run twice."""
    assert any_house.run(code).warm_only == ()


def test_a_fresh_interpreter_fails_on_it(any_house: House) -> None:
    """The cold run is the truth."""
    result = any_house.run(HIDDEN, cold=True, wall_s=60)

    assert result.error is not None
    assert result.error.type == "AttributeError" and "'fsdp'" in result.error.message


@pytest.mark.asyncio(loop_scope="session")
async def test_the_answer_shows_the_fresh_interpreters_error(ask: Ask) -> None:
    """And says why it may pass elsewhere, and which import is missing."""
    answer = await ask(f"Does this work?\n```python\n{HIDDEN}\n```")

    assert answer.status == "reproduced"
    assert answer.error is not None and answer.error.type == "AttributeError"
    assert "already imported" in answer.headline
    assert "add `import torch.distributed.fsdp`" in answer.headline
