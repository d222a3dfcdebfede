"""Programs as people write them, with data, files and weights that are not here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from bot.models import Answer
from tests.conftest import Ask
from tests.executor.service.test_packages import needs_whole_set
from tests.rows import some

pytestmark = pytest.mark.asyncio(loop_scope="session")

RECIPES = Path(__file__).parent / "recipes"

# program → status, what is assumed
RUNS = {
    "mnist_cnn": ("runs", ["`MNIST` is not here: 60,000 synthetic samples"]),
    "cifar_resnet": ("runs", ["`CIFAR10` is not here: 50,000 synthetic samples"]),
    "finetune_folder": (
        "not_run",
        ["`data/hymenoptera_data/train` is not here: 2 classes of", "random weights stand in"],
    ),
    "csv_regression": ("not_run", ["`housing.csv` is not here: a table of"]),
    "resume_checkpoint": ("not_run", ["`checkpoints/model_best.pth.tar` is not here"]),
    "bert_classifier": ("runs", ["`bert-base-uncased` is not here: a network of its"]),
    "classify_image": ("not_run", ["`images/dog.jpg` is not here", "random weights stand in"]),
}
# program → a line of it, what stands there instead, what is said of it
MISTAKES = {
    "mnist_cnn": ("nn.Linear(9216, 128)", "nn.Linear(4608, 128)", "9216"),
    "finetune_folder": ("num_ftrs = model_ft.fc.in_features", "num_ftrs = 1024", "512"),
    "csv_regression": ("loss.backward()", "loss.item().backward()", "float"),
    "resume_checkpoint": ("torch.randn(3, 20)", "torch.randn(3, 25)", "25"),
    "bert_classifier": ("nn.Linear(768, 3)", "nn.Linear(512, 3)", "768"),
}
FIXED = {"mnist_cnn"}


def program(name: str) -> str:
    """A recipe's text."""
    return (RECIPES / f"{name}.py").read_text()


async def posted(ask: Ask, code: str) -> Answer:
    """The answer to a post of it."""
    return await ask(f"What is wrong here?\n```python\n{code}```")


# These import what `make snippets` brings.
_WHOLE_SET = {"csv_regression", "bert_classifier"}


def _named(names: Iterable[str]) -> list[ParameterSet]:
    rows = [
        pytest.param(name, marks=needs_whole_set if name in _WHOLE_SET else ()) for name in names
    ]
    return some(rows, 4)


@pytest.mark.parametrize("name", _named(RUNS))
async def test_a_recipe_runs_to_its_end(ask: Ask, name: str) -> None:
    """It runs unchanged, what was assumed is listed, and nothing is called a mistake."""
    answer = await posted(ask, program(name))
    status, assumed = RUNS[name]
    assert answer.run is not None and answer.run.outcome == "ok", answer.headline
    assert answer.status == status, answer.headline
    for words in assumed:
        assert any(words in said for said in answer.assumptions), answer.assumptions
    assert not [f for f in answer.findings if f.mistake], answer.findings


@pytest.mark.parametrize("name", _named(MISTAKES))
async def test_a_mistake_in_a_recipe_is_found(ask: Ask, name: str) -> None:
    """The person's mistake is told as theirs, and mended where that can be done."""
    right, wrong, told = MISTAKES[name]
    code = program(name)
    assert right in code
    answer = await posted(ask, code.replace(right, wrong, 1))
    assert answer.status in ("fixed", "reproduced"), answer.headline
    words = f"{answer.headline} {answer.explanation} {[f.message for f in answer.findings]}"
    assert told in words, words
    assert answer.fix is not None or name not in FIXED, answer.headline


async def test_what_depends_on_the_values_is_not_said(ask: Ask) -> None:
    """An assertion on an accuracy says nothing about made-up data."""
    code = program("mnist_cnn").replace(
        'torch.save(model.state_dict(), "mnist_cnn.pt")',
        "assert correct / len(test_loader.dataset) > 0.9",
    )
    answer = await posted(ask, code)
    assert answer.status not in ("reproduced", "fixed"), answer.headline


async def test_a_missing_file_that_is_asked_about_stays_missing(ask: Ask) -> None:
    """Who asks why a file is not found is not given one."""
    answer = await ask(
        "Why?\n```python\nimport torch\nstate = torch.load('model.pt')\nprint(state['epoch'])\n"
        "```\n```\nFileNotFoundError: [Errno 2] No such file or directory: 'model.pt'\n```"
    )
    assert not any("model.pt" in said for said in answer.assumptions), answer.assumptions
