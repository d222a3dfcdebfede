"""Scripts as people start them: arguments, loggers, launchers, trainings without an end."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest

from executor.inside.scripts import required_arguments
from executor.protocol import Cut, JobResult, Outcome
from tests.executor.conftest import House

TRAINING = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
{before}
model = nn.Linear(10, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(64, 10), torch.randint(0, 2, (64,)))
for epoch in range({epochs}):
    for x, y in DataLoader(data, batch_size=16):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("trained")
"""


def trained(house: House, epochs: int = 10**9, before: str = "", **more: Any) -> JobResult:
    code = TRAINING.format(epochs=epochs, before=before)
    return house.run(code, **({"wall_s": 2, "cut": True} | more))


def test_a_training_is_stopped_between_two_steps(any_house: House) -> None:
    """It ends as a healthy run, and says how far it came; nothing behind it was run."""
    result = trained(any_house)

    assert (result.outcome, result.error, result.stdout) == (Outcome.OK, None, "")
    assert isinstance(result.cut, Cut) and result.cut.steps > 10
    assert 1.5 < result.cut.seconds < 2 and len(result.cut.losses) == 2
    assert result.trained and not result.findings and not result.reached_end


def test_what_the_probes_saw_until_then_is_told(any_house: House) -> None:
    """A mistake in a training without an end is found as in a short one."""
    code = TRAINING.format(epochs=10**9, before="other = nn.Linear(10, 2)")
    wrong = any_house.run(
        code.replace("(model.parameters", "(other.parameters"), wall_s=2, cut=True
    )

    assert wrong.cut is not None and [f.kind for f in wrong.findings] == ["foreign_optimizer"]


def test_a_training_that_waits_in_each_step_is_stopped_between_two(any_house: House) -> None:
    """It computes next to nothing, and what it computed is told all the same."""
    code = TRAINING.format(epochs=10**9, before="import time")
    waits = code.replace("optimizer.step()", "optimizer.step(); time.sleep(0.05)")
    result = any_house.run(waits, wall_s=2, cut=True)

    assert (result.outcome, result.reached_end) == (Outcome.OK, False)
    assert result.cut is not None and result.cut.steps > 2 and result.cut.seconds < 1


def test_a_training_that_ends_in_time_is_not_cut(any_house: House) -> None:
    result = trained(any_house, epochs=2)

    assert (result.cut, result.stdout) == (None, "trained\n") and result.reached_end


def test_a_job_that_does_not_ask_is_ended_by_the_clock(any_house: House) -> None:
    assert trained(any_house, cut=False).outcome is Outcome.TIMEOUT


def test_no_handler_of_the_snippets_takes_the_end_for_an_error(any_house: House) -> None:
    """`finally` runs, `except Exception` does not, and nothing is listed as caught."""
    result = any_house.run(
        """
        import torch
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.Adam([weight])
        try:
            while True:
                weight.sum().backward()
                optimizer.step()
        except Exception as error:
            print("an error", error)
        finally:
            print("saved")
        """,
        wall_s=2,
        cut=True,
    )

    assert (result.outcome, result.stdout, result.caught) == (Outcome.OK, "saved\n", ())
    assert result.cut is not None


def test_loggers_that_are_not_installed_do_nothing(any_house: House) -> None:
    """Each is an assumption; a configuration is read back as it was given."""
    result = any_house.run(
        """
        import wandb, mlflow
        from google.colab import drive
        from IPython.display import clear_output
        drive.mount("/content/drive")
        run = wandb.init(project="x", config={"lr": 0.1})
        wandb.config.update({"epochs": 2})
        with mlflow.start_run():
            mlflow.log_param("lr", wandb.config.lr)
        @mlflow.trace
        def step(x):
            return x + run.config["epochs"]
        clear_output(wait=True)
        display(step(1))
        wandb.log({"loss": 0.5})
        """
    )

    assert (result.outcome, result.stdout) == (Outcome.OK, "3\n"), result.stderr
    for name in ("wandb", "mlflow", "google.colab", "IPython"):
        told = f"`{name}` is not installed here: what is called of it does nothing"
        assert told in result.assumptions


@pytest.mark.parametrize(
    ("code", "needs"),
    [
        ("import mlflow\nmodel = mlflow.pyfunc.load_model('runs:/1/model')", "mlflow"),
        ("import wandb\nwandb.init().use_artifact('a')", "wandb"),
        ("import wandb\nwandb.Api()", "wandb"),
        ("from google.colab import files\nfiles.download('a')", ""),
    ],
)
def test_what_a_logger_would_have_kept_is_missing(any_house: House, code: str, needs: str) -> None:
    """Nothing computes with a value that is nothing."""
    result = any_house.run(f"import torch\n{code}")

    message = f"No module named '{needs}'"
    assert (result.error.message if result.error else "") == (message if needs else "")


def test_a_library_sees_that_they_are_not_there(any_house: House) -> None:
    """It would use them; the snippet's import alone finds what does nothing."""
    result = any_house.run(
        """
        import importlib, sys, types
        library = types.ModuleType("library")
        exec(compile("try:\\n    import wandb\\nexcept ImportError:\\n    wandb = None",
                     "/usr/lib/library.py", "exec"), vars(library))
        print(library.wandb)
        import wandb
        print(wandb.log({}) is not None)
        """
    )

    assert result.stdout == "None\nTrue\n", result.stderr


def test_a_module_of_the_persons_own_is_no_silent_one(any_house: House) -> None:
    """An attachment of that name is imported as it is."""
    from tests.executor.conftest import attachment

    result = any_house.run(
        "import wandb\nprint(wandb.mine)", files=(attachment("wandb.py", b"mine = 1"),)
    )

    assert (result.stdout, result.assumptions) == ("1\n", ()), result.stderr


def test_arguments_that_are_required_are_given(any_house: House) -> None:
    result = any_house.run(
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--epochs", type=int, required=True)
        parser.add_argument("--lr", type=float, default=0.1)
        args = parser.parse_args()
        print(args.epochs, args.lr)
        """
    )

    assert (result.outcome, result.stdout) == (Outcome.OK, "1 0.1\n"), result.stderr
    assert result.assumptions == ("started with the arguments `--epochs 1`, which it requires",)


def _parser(*arguments: tuple[tuple[str, ...], dict[str, Any]]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    for names, options in arguments:
        parser.add_argument(*names, **options)
    return parser


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ([(("--lr",), {"type": float})], []),
        ([(("-d", "--data"), {"required": True})], ["--data", "data"]),
        ([(("path",), {})], ["path"]),
        ([(("path",), {"nargs": "?"})], []),
        ([(("paths",), {"nargs": "+"})], ["paths"]),
        ([(("--size",), {"nargs": 2, "type": int, "required": True})], ["--size", "1", "1"]),
        ([(("mode",), {"choices": ["fit", "test"]})], ["fit"]),
        ([(("a",), {}), (("--b",), {"required": True})], ["--b", "b", "a"]),
        ([(("--rate",), {"type": lambda text: float(text), "required": True})], ["--rate", "1"]),
    ],
)
def test_a_command_line_with_what_is_required(arguments: Any, given: list[str]) -> None:
    """And the parser takes it."""
    parser = _parser(*arguments)

    assert required_arguments(parser) == given
    parser.parse_args(given)


def test_one_of_a_group_that_is_required_is_given() -> None:
    parser = argparse.ArgumentParser()
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--train")
    group.add_argument("--test")

    assert required_arguments(parser) == ["--train", "train"]


def test_input_goes_on_where_nobody_looks_at_it(any_house: House) -> None:
    """A value that is used is still asked for in vain."""
    result = any_house.run("input('Press Enter')\nprint('!')\nx = input()")

    assert result.stdout == "Press Enter!\n"
    assert result.error is not None and (result.error.type, result.error.line) == ("EOFError", 3)


DISTRIBUTED = """
import os, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("nccl")
model = DistributedDataParallel(torch.nn.Linear(2, 1))
model(torch.ones(3, 2)).sum().backward()
total = torch.ones(1)
dist.all_reduce(total)
print(dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"]), total.item())
dist.destroy_process_group()
"""


def test_a_distributed_program_runs_as_one_process(any_house: House) -> None:
    """As torchrun starts it; without that it fails as at home."""
    alone = any_house.run(DISTRIBUTED)
    launched = any_house.run(DISTRIBUTED, launched=True)

    assert alone.error is not None and "RANK expected" in alone.error.message
    assert (launched.outcome, launched.stdout) == (Outcome.OK, "0 1 0 1.0\n"), launched.stderr
    assert launched.assumptions == (
        "started as `torchrun --nproc_per_node=1` starts it, with gloo in place of nccl",
    )


def test_the_facts_of_a_cut_are_in_the_json() -> None:
    """And an answer that was stored before there were any is still read."""
    run = JobResult(outcome=Outcome.OK, cut=Cut(steps=3, seconds=1.5))
    words = json.loads(run.model_dump_json())

    assert words["cut"]["steps"] == 3 and JobResult.model_validate(words) == run
    del words["cut"]
    assert JobResult.model_validate(words).reached_end
