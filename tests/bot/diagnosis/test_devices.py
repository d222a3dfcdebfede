"""bot/diagnosis/devices.py: whether an error comes only of the GPUs of this machine."""

from __future__ import annotations

import pytest

from bot.diagnosis import devices
from executor.protocol import Environment, Job, JobResult, Outcome
from tests.built import RecordedExecutor, failed, ran

CPU = Environment(device="cpu")
SIMULATED = Environment(device="simulated cuda:0")
GPU = Environment(device="cuda:0 a name")
ASKS = "n = torch.cuda.device_count()"


@pytest.mark.parametrize(
    ("run", "code", "may"),
    [
        (failed("x", env=CPU), ASKS, True),
        (failed("x", env=SIMULATED), ASKS, True),
        (failed("x", env=SIMULATED), "Trainer(devices=[0, 1])", True),
        (failed("x", env=SIMULATED), "Trainer(gpus=2)", True),
        (failed("x", env=SIMULATED), "DataParallel(net, device_ids=ids)", True),
        (failed("x", env=SIMULATED), "torch.cuda.get_device_capability()", True),
        (failed("x", env=SIMULATED), "x.to(device)", False),  # it asks for none
        (failed("x", env=GPU), ASKS, False),  # that is no simulated one
        (ran(env=CPU), ASKS, False),
        (failed("x", outcome=Outcome.TIMEOUT, env=CPU), ASKS, False),
        (failed("x", env=CPU, needs_module="tf"), ASKS, False),
        (
            failed("Expected all tensors to be on the same device, but found at least two devices, "
                   "cuda:0 and cpu!", env=SIMULATED),
            ASKS,
            False,
        ),
    ],
)  # fmt: skip
def test_which_errors_are_compared(run: JobResult, code: str, may: bool):
    """Those of a program that asks for GPUs, where there is none or a simulated one."""
    assert devices.may_be_of_gpus(run, code) is may


TWO = failed("needs 2, got 0", "AssertionError", env=CPU)
TWO_OF_ONE = failed("needs 2, got 1", "AssertionError", env=SIMULATED)
OTHER = failed("a is not defined", "NameError", env=SIMULATED)


@pytest.mark.parametrize(
    ("run", "many", "one", "of_gpus"),
    [
        (TWO, ran(), None, True),
        (TWO, TWO_OF_ONE, None, False),  # as many as there are
        (TWO, OTHER, TWO_OF_ONE, True),  # one is not enough either
        (TWO, OTHER, OTHER, False),  # another than on the CPU, however many there are
        (TWO_OF_ONE, OTHER, None, True),
        (TWO_OF_ONE, ran(), None, True),
        (TWO_OF_ONE, TWO_OF_ONE, None, False),
    ],
)
async def test_an_error_that_comes_of_the_gpus(
    run: JobResult, many: JobResult, one: JobResult | None, of_gpus: bool
):
    """It does not come up where there are more and larger ones."""
    runs = {("c", "cuda", "8 GPUs"): many} | ({("c", "cuda"): one} if one is not None else {})
    executor = RecordedExecutor(runs)

    assert await devices.are_of_gpus(executor, Job(code="c"), run) is of_gpus
    assert len(executor.asked) == len(runs)
