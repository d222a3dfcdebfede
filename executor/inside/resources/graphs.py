"""torch_geometric's data sets: random graphs of the published sizes where theirs are not here.

A data set of torch_geometric downloads, processes and stores its graphs, and then reads what it has
stored. Both first steps are left out, and graphs of its form are stored instead.

Source:
    The sizes that torch_geometric's own pages list of each data set.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from executor.inside.resources.supplied import Supplied

_CELLS = 20_000_000  # of one data set's features at most: then it has fewer nodes
_EDGES = 300_000  # of a graph at most, in one direction
_GRAPHS = 1_200  # graphs of one data set at most


@dataclass(frozen=True)
class Graphs:
    """A data set: of one large graph whose nodes have classes, or of many small ones."""

    nodes: int  # of each graph, about
    edges: int  # in both directions
    features: int
    classes: int
    graphs: int = 1
    masks: int = 1  # columns of train_mask and its like; 1: they have no columns
    train: int = 20  # training nodes of a class
    edge_features: int = 0
    targets: int = 0  # numbers to predict for a graph, in place of a class
    whole_numbers: bool = False  # its features are categories


def _molecules(graphs: int, targets: int = 1) -> Graphs:
    return Graphs(
        25, 54, 9, 0, graphs, edge_features=3, targets=targets, whole_numbers=True
    )  # fmt: skip


# The data set's class → its name in lower case → its form; "" where the class has one alone.
GRAPHS: Mapping[str, Mapping[str, Graphs]] = {
    "Planetoid": {
        "cora": Graphs(2_708, 10_556, 1_433, 7),
        "citeseer": Graphs(3_327, 9_104, 3_703, 6),
        "pubmed": Graphs(19_717, 88_648, 500, 3),
    },
    "Amazon": {
        "computers": Graphs(13_752, 491_722, 767, 10, masks=0),
        "photo": Graphs(7_650, 238_162, 745, 8, masks=0),
    },
    "Coauthor": {
        "cs": Graphs(18_333, 163_788, 6_805, 15, masks=0),
        "physics": Graphs(34_493, 495_924, 8_415, 5, masks=0),
    },
    "WebKB": {
        "cornell": Graphs(183, 298, 1_703, 5, masks=10),
        "texas": Graphs(183, 325, 1_703, 5, masks=10),
        "wisconsin": Graphs(251, 515, 1_703, 5, masks=10),
    },
    "Actor": {"": Graphs(7_600, 30_019, 932, 5, masks=10)},
    "Flickr": {"": Graphs(89_250, 899_756, 500, 7)},
    "Reddit": {"": Graphs(232_965, 114_615_892, 602, 41)},
    "TUDataset": {
        "mutag": Graphs(18, 40, 7, 2, 188, edge_features=4),
        "enzymes": Graphs(33, 124, 3, 6, 600),
        "proteins": Graphs(39, 146, 3, 2, 1_113),
        "nci1": Graphs(30, 65, 37, 2, 4_110),
        "dd": Graphs(284, 1_431, 89, 2, 1_178),
        "aids": Graphs(16, 32, 38, 2, 2_000, edge_features=3),
        "collab": Graphs(74, 4_914, 0, 3, 5_000),
        "imdb-binary": Graphs(20, 193, 0, 2, 1_000),
        "imdb-multi": Graphs(13, 132, 0, 3, 1_500),
        "reddit-binary": Graphs(430, 996, 0, 2, 2_000),
    },
    "MoleculeNet": {
        "esol": _molecules(1_128), "freesolv": _molecules(642), "lipo": _molecules(4_200),
        "hiv": _molecules(41_127), "bace": _molecules(1_513), "bbbp": _molecules(2_050),
        "tox21": _molecules(7_831, 12), "sider": _molecules(1_427, 27),
        "clintox": _molecules(1_484, 2),
    },
    "QM9": {"": Graphs(18, 37, 11, 0, 130_831, edge_features=4, targets=19)},
    "MNISTSuperpixels": {"": Graphs(75, 1_393, 1, 10, 60_000)},
}  # fmt: skip


def install(supplied: Supplied) -> None:
    """Let the data sets of the table store random graphs instead of theirs."""
    from torch_geometric.data import Dataset

    parts: Any = Dataset
    download, process = parts._download, parts._process

    @functools.wraps(download)
    def not_downloaded(self: Any) -> None:
        if _form(self) is None:
            download(self)

    @functools.wraps(process)
    def stored(self: Any) -> None:
        form = _form(self)
        if form is None or all(os.path.exists(path) for path in self.processed_paths):
            process(self)
            return
        os.makedirs(self.processed_dir, exist_ok=True)
        made = _made(form)
        if self.pre_transform is not None:
            made = [self.pre_transform(data) for data in made]
        for path in self.processed_paths:
            _store(self, made, form, path)
        name = f"{type(self).__name__}({_name(self)})" if _name(self) else type(self).__name__
        whole = len(made) == form.graphs and _nodes(form) == form.nodes
        what = f"{len(made):,} random graphs of its form stand in"
        if len(made) == 1:
            what = "a random graph of its form stands in"
        supplied.add(name, "data", what, exact=whole)

    parts._download, parts._process = not_downloaded, stored


def _name(data_set: Any) -> str:
    return str(getattr(data_set, "name", "") or "")


def _form(data_set: Any) -> Graphs | None:
    forms = GRAPHS.get(type(data_set).__name__, {})
    if not type(data_set).__module__.startswith("torch_geometric."):
        return None
    return forms.get(_name(data_set).lower(), forms.get(""))


def _nodes(form: Graphs) -> int:
    return min(form.nodes, _CELLS // max(form.features, 1))


def _made(form: Graphs) -> list[Any]:
    random = torch.Generator().manual_seed(0)
    count = min(form.graphs, _GRAPHS)
    return [_graph(form, random, n) for n in range(count)]


def _graph(form: Graphs, random: torch.Generator, number: int) -> Any:
    from torch_geometric.data import Data

    nodes = _nodes(form)
    edges = min(form.edges * nodes // form.nodes // 2, _EDGES)
    one_way = torch.randint(0, nodes, (2, max(edges, 1)), generator=random)
    edge_index = torch.cat([one_way, one_way.flip(0)], dim=1)
    data = Data(edge_index=edge_index)
    if not form.features:
        data.num_nodes = nodes
    shape = (nodes, form.features)
    if form.whole_numbers:
        data.x = torch.randint(0, 4, shape, generator=random)
    elif form.features:
        data.x = (torch.rand(shape, generator=random) < 0.2).float()
    if form.edge_features:
        shape = (edge_index.shape[1], form.edge_features)
        data.edge_attr = torch.randint(0, 2, shape, generator=random)
        if not form.whole_numbers:
            data.edge_attr = data.edge_attr.float()
    if form.targets:
        data.y = torch.randn(1, form.targets, generator=random)
        if form.targets == 19:  # molecules with places
            data.pos = torch.randn(nodes, 3, generator=random)
            data.z = torch.randint(1, 10, (nodes,), generator=random)
    elif form.graphs > 1:
        data.y = torch.tensor([number % form.classes])
    else:
        data.y = torch.arange(nodes) % form.classes
        _split(data, form, nodes)
    return data


def _split(data: Any, form: Graphs, nodes: int) -> None:
    if not form.masks:
        return
    first = form.train * form.classes if form.masks == 1 else nodes // 2
    ends = {"train_mask": (0, first), "val_mask": (first, first + min(500, nodes // 4)),
            "test_mask": (nodes - min(1_000, nodes // 4), nodes)}  # fmt: skip
    for name, (begin, end) in ends.items():
        mask = torch.zeros(nodes, dtype=torch.bool)
        mask[begin:end] = True
        data[name] = mask if form.masks == 1 else mask.unsqueeze(1).repeat(1, form.masks)


def _store(data_set: Any, made: list[Any], form: Graphs, path: str) -> None:
    if type(data_set).__name__ != "TUDataset":
        data_set.save(made, path)
        return
    whole, slices = data_set.collate(made)
    sizes = {"num_node_attributes": 0, "num_node_labels": form.features,
             "num_edge_attributes": 0, "num_edge_labels": form.edge_features}  # fmt: skip
    torch.save((whole.to_dict(), slices, sizes, type(whole)), path)
