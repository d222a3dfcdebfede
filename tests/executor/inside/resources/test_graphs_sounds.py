"""Data sets of torch_geometric and torchaudio that are not here, and sound without TorchCodec."""

from __future__ import annotations

import pytest

from executor.inside.resources.graphs import GRAPHS
from executor.protocol import Job, Outcome
from executor.service.client import ExecutorClient
from tests.executor.service.test_packages import needs_whole_set

pytestmark = [needs_whole_set, pytest.mark.asyncio(loop_scope="session")]

READS = {
    "one graph": (
        "from torch_geometric.datasets import Planetoid\nd = Planetoid('data', 'Cora')\n"
        "print(d.num_features, d.num_classes, d[0].num_edges, int(d[0].train_mask.sum()))",
        "1433 7 10556 140",
        "`Planetoid(Cora)` is not here: a random graph",
    ),
    "many graphs": (
        "from torch_geometric.datasets import TUDataset\nfrom torch_geometric.loader import "
        "DataLoader\nd = TUDataset('data', name='MUTAG')\nb = next(iter(DataLoader(d, 8)))\n"
        "print(len(d), d.num_classes, b.num_graphs, b.x.shape[1])",
        "188 2 8 7",
        "`TUDataset(MUTAG)` is not here: 188 random graphs",
    ),
    "its transform": (
        "from torch_geometric.datasets import Planetoid\n"
        "from torch_geometric.transforms import NormalizeFeatures\n"
        "d = Planetoid('data', 'Cora', transform=NormalizeFeatures())\n"
        "print(round(float(d[0].x[0].sum()), 3))",
        "1.0",
        "`Planetoid(Cora)`",
    ),
    "words": (
        "from torchaudio.datasets import SPEECHCOMMANDS\n"
        "d = SPEECHCOMMANDS('./', download=True, subset='training')\n"
        "wave, rate, label, *_ = d[0]\nprint(tuple(wave.shape), rate, label)",
        "(1, 16000) 16000 backward",
        "`SPEECHCOMMANDS` is not here",
    ),
    "a sound": (
        "import torchaudio\nwave, rate = torchaudio.load('a/speech.wav')\n"
        "torchaudio.save('out.wav', wave, rate)\n"
        "print(torchaudio.load('out.wav')[0].shape == wave.shape, rate)",
        "True 16000",
        "`a/speech.wav` is not here",
    ),
}


@pytest.mark.parametrize("what", READS)
async def test_a_data_set_that_is_not_here_is_made(executor: ExecutorClient, what: str) -> None:
    """It has the sizes, classes and names of the real one, and is told."""
    code, printed, told = READS[what]
    result = await executor.run(Job(code=f"import torch\n{code}", stand_ins=True))

    assert result.outcome is Outcome.OK, result.stderr
    assert result.stdout.strip() == printed
    assert any(told in said for said in result.assumptions), result.assumptions


@pytest.mark.daily
@pytest.mark.parametrize("kind", sorted(GRAPHS))
async def test_every_data_set_of_the_table_can_be_read(executor: ExecutorClient, kind: str) -> None:
    """One of each class: its features and classes are those of the table."""
    name, form = sorted(GRAPHS[kind].items())[0]
    named = f", {name!r}" if name else ""
    code = (
        f"import torch\nfrom torch_geometric.datasets import {kind}\nd = {kind}('data'{named})\n"
        "print(d.num_node_features, len(d) > 0)"
    )
    result = await executor.run(Job(code=code, stand_ins=True))

    assert result.outcome is Outcome.OK, result.stderr
    assert result.stdout.split() == [str(form.features), "True"]
