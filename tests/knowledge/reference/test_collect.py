"""knowledge/reference/collect.py: the public functions of the real torch, each once."""

from __future__ import annotations

import pytest
import pytest_asyncio

from executor.protocol import File, JobResult, Outcome
from executor.service.client import ExecutorClient
from knowledge.reference.asked import ASKED
from knowledge.reference.collect import collecting_job, read_collected
from knowledge.reference.examples import EXAMPLES
from knowledge.reference.model import Documented, Reference


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def reference(executor: ExecutorClient) -> Reference:
    found = read_collected(await executor.run(collecting_job()))
    assert found is not None
    return found


@pytest.fixture
def named(reference: Reference) -> dict[str, Documented]:
    return {name: f for f in reference.functions for name in (f.name, *f.aliases)}


async def test_the_version_is_that_of_the_torch_that_runs_snippets(
    reference: Reference, executor: ExecutorClient
):
    """Whatever torch the bot's own machine has."""
    here = (await executor.capabilities())["torch"]
    assert reference.libraries == {"torch": here.partition("+")[0]}


@pytest.mark.parametrize(
    ("twin", "name"),
    [
        ("torch.Tensor.topk", "torch.topk"),  # "See torch.topk"
        ("torch.clip", "torch.clamp"),  # "Alias for"
        ("torch.Tensor.clamp_", "torch.clamp"),  # in place, of a method that is a twin itself
        ("torch.conv2d", "torch.nn.functional.conv2d"),  # the same object
        ("torch.Tensor.where", "torch.where"),  # "is equivalent to"
        ("torch.autograd.no_grad", "torch.no_grad"),
        ("torch.scatter_add", "torch.Tensor.scatter_add_"),  # "Out-of-place version of"
    ],
)
async def test_twins_are_one_function(named: dict[str, Documented], twin: str, name: str):
    """Two names of one thing are found once, under the name where it is documented."""
    assert named[twin].name == name
    assert named[name].name == name


async def test_what_nobody_should_use_is_left_out(reference: Reference):
    """Private names, deprecated functions, exceptions, storages."""
    names = {f.name for f in reference.functions}
    assert not [n for n in names if any(part.startswith("_") for part in n.split("."))]
    assert not names & {"torch.svd", "torch.qr", "torch.chain_matmul", "torch.FloatStorage"}
    assert "torch.nn.utils.clip_grad_norm" not in names  # the one without the underscore
    assert not [n for n in names if n.endswith("Error")]


async def test_each_says_what_it_does(reference: Reference):
    """Every function has a sentence and a call, and none stands there twice."""
    assert len(reference.functions) > 1_000
    assert all(f.summary and f.signature.startswith("(") for f in reference.functions)
    names = [f.name for f in reference.functions]
    assert len(names) == len(set(names))


async def test_our_words_and_examples_are_of_functions_that_exist(named: dict[str, Documented]):
    """A name that torch no longer has would be left out in silence."""
    gone = {"torch.finfo"}  # has no docstring on every build
    assert {n for n in ASKED if n not in named} <= gone
    assert {n for n in EXAMPLES if n not in named or named[n].name != n} == set()


def test_a_job_that_wrote_nothing_gives_nothing():
    """A snippet may not have run, or have written something else."""
    assert read_collected(JobResult(outcome=Outcome.ERROR)) is None
    other = File(name="reference.json", base64="e30=")
    assert read_collected(JobResult(outcome=Outcome.OK, files=(other,))) is None
