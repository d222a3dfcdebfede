"""executor/inside/remarks/halves.py: two halves of one job that do not fit each other."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import asked, halves

RULES = {rule.__name__: rule for rule in (*halves.RULES, *asked.RULES)}

XY = "ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing='ij')\n"
SAMPLE = "y = F.grid_sample(x, g{})\n"
THETA = "g = F.affine_grid(theta, x.size(){})\n"
PREPARE = "import torch\ntorch.ao.quantization.prepare(net, inplace=True)\n"
CONVERT = "torch.ao.quantization.convert(net, inplace=True)\n"
COUNTS = "counts = torch.bincount(labels)\nw = 1.0 / counts\n"
DRAW = "s = WeightedRandomSampler(w, len(labels))\n"
TURN = (
    "class Turn:\n    def __init__(self, seed=4):\n        self.rng = {}\n"
    "    def __call__(self, x):\n        return rotate(x, self.rng.{})\n"
)
STREAM = (
    "class Lines(torch.utils.data.IterableDataset):\n    def __iter__(self):\n"
    "        for path in self.files:\n            yield from open(path)\n"
    "lines = Lines(files)\nloader = DataLoader(lines, batch_size=8, num_workers={})\n"
)
HOT = "import torch.nn.functional as F\ndef step(x, y):\n    return loss(x, F.one_hot(y{}))\n"

SAYS = [
    ("corners_unaligned", XY + "g = torch.stack([2 * xs / (w - 1) - 1, 2 * ys / (h - 1) - 1], -1)\n"
     + SAMPLE.format("")),
    ("corners_unaligned", THETA.format(", align_corners=True") + SAMPLE.format("")),
    ("corners_unaligned", THETA.format(", align_corners=False")
     + SAMPLE.format(", align_corners=True")),
    ("corners_unaligned", THETA.format("") + SAMPLE.format(", 'bilinear', 'zeros', True")),
    ("corners_unaligned", "def base(h, w):\n    return torch.stack(torch.meshgrid("
     "torch.linspace(-1, 1, h), torch.linspace(-1, 1, w)), -1)\ng = base(4, 5) + flow\n"
     + SAMPLE.format("")),
    ("corners_unaligned", XY + "g = torch.stack([(2 * xs + 1) / w - 1, (2 * ys + 1) / h - 1], -1)\n"
     + SAMPLE.format(", align_corners=True")),
    ("not_calibrated", PREPARE + CONVERT),
    ("not_calibrated", PREPARE + "print('ready')\n" + CONVERT),
    ("not_calibrated", "import torch\nm = prepare(net)\nm.eval()\nq = convert(m)\n"),
    ("not_calibrated", "import torch\ndef small(net):\n    m = prepare_fx(net, q, x)\n"
     "    return convert_fx(m)\n"),
    ("weights_of_classes", COUNTS + DRAW),
    ("weights_of_classes", "_, counts = np.unique(y, return_counts=True)\n"
     "w = 1. / counts\n" + DRAW.replace("(w", "(torch.from_numpy(w)")),
    ("weights_of_classes", "counts = np.unique(y, return_counts=True)[1]\nw = 1 / counts\n" + DRAW),
    ("generator_copied", TURN.format("np.random.RandomState(seed)", "randint(9)")),
    ("generator_copied", TURN.format("np.random.default_rng(seed)", "uniform()")),
    ("generator_copied", TURN.format("random.Random(seed)", "random()")
     .replace("__call__(self, x)", "__getitem__(self, x)")),
    ("stream_repeated", STREAM.format("4")),
    ("stream_repeated", "n = 2\n" + STREAM.format("n")),
    ("stream_repeated", STREAM.format("4").replace("lines, b", "Lines(files), b")),
    ("stream_repeated", STREAM.format("4").replace("self.files", "zip(self.a, self.b)")),
    ("classes_by_batch", HOT.format("")),
    ("classes_by_batch", HOT.format(", -1")),
    ("classes_by_batch", "for x, y in dl:\n    t = torch.nn.functional.one_hot(y)\n"),
]  # fmt: skip
SILENT = [
    ("corners_unaligned", THETA.format("") + SAMPLE.format("")),
    ("corners_unaligned", THETA.format(", align_corners=ac") + SAMPLE.format("")),
    ("corners_unaligned", THETA.format(", align_corners=True")
     + SAMPLE.format(", align_corners=True")),
    ("corners_unaligned", THETA.format(", align_corners=True") + SAMPLE.format(", **how")),
    ("corners_unaligned", XY + "g = torch.stack([(2 * xs + 1) / w - 1, (2 * ys + 1) / h - 1], -1)\n"
     + SAMPLE.format("")),
    ("corners_unaligned", "g = load('grid.pt')\n" + SAMPLE.format("")),
    # Both ways are in sight, and which one is taken is not known.
    ("corners_unaligned", "if old:\n    " + THETA.format(", align_corners=True") + "else:\n    "
     + THETA.format("") + SAMPLE.format("")),
    ("not_calibrated", PREPARE + "for x in dl:\n    net(x)\n" + CONVERT),
    ("not_calibrated", PREPARE + "evaluate(net, dl)\n" + CONVERT),
    ("not_calibrated", PREPARE + "trainer.validate(model=net)\n" + CONVERT),
    ("not_calibrated", PREPARE + "net.forward(x)\n".replace("net.forward(x)", "y = net.forward(x)")
     + CONVERT),
    ("not_calibrated", PREPARE.replace("prepare(", "prepare_qat(") + CONVERT),
    ("not_calibrated", "import torch\nnet.qconfig = default_dynamic_qconfig\n" + PREPARE + CONVERT),
    ("not_calibrated", PREPARE),
    ("weights_of_classes", COUNTS + "w = w[labels]\n" + DRAW),
    ("weights_of_classes", COUNTS + DRAW.replace("(w", "(w[labels]")),
    ("weights_of_classes", "counts = Counter(ys)\nw = [1 / counts[y] for y in ys]\n" + DRAW),
    ("weights_of_classes", COUNTS + "w = w.gather(0, labels)\n" + DRAW),
    ("weights_of_classes", "w = torch.rand(len(labels))\n" + DRAW),
    ("weights_of_classes", "w = df.label.map(1 / df.label.value_counts()).values\n" + DRAW),
    ("generator_copied", TURN.format("RandomTurn(seed)", "angle()")),
    ("generator_copied", TURN.format("None", "randint(9)")),
    ("generator_copied", TURN.format("np.random.RandomState(seed)", "randint(9)")
     .replace("__call__", "plan")),
    ("generator_copied", TURN.format("np.random.RandomState(seed)", "randint(9)")
     + "def again(w):\n    torch.utils.data.get_worker_info().dataset.turn.rng.seed(w)\n"),
    ("stream_repeated", STREAM.format("1")),
    ("stream_repeated", STREAM.format("0")),
    ("stream_repeated", STREAM.format("n")),
    ("stream_repeated", STREAM.format("4").replace("IterableDataset", "Dataset")),
    ("stream_repeated", STREAM.format("4").replace("self.files:", "mine(self.files):")
     + "def mine(files):\n    return files[get_worker_info().id::2]\n"),
    ("stream_repeated", STREAM.format("4").replace("for path in self.files", "while True")),
    ("stream_repeated", STREAM.format("4").replace("self.files:", "random.sample(self.files, 9):")),
    ("stream_repeated", STREAM.format("4").replace("DataLoader(lines", "DataLoader(other")),
    ("classes_by_batch", HOT.format(", 4")),
    ("classes_by_batch", HOT.format(", num_classes=k")),
    ("classes_by_batch", HOT.format(", **how")),
    ("classes_by_batch", "import torch.nn.functional as F\nt = F.one_hot(torch.tensor([0, 2]))\n"),
    ("classes_by_batch", HOT.format("").replace("import torch.nn.functional as F\n",
                                                "import jax.nn as F\n")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), SAYS)
def test_halves_that_do_not_fit_are_told(kind: str, code: str) -> None:
    found = list(RULES[kind](ast.parse(code)))

    assert [f[0] for f in found] == [kind]


@pytest.mark.parametrize(("kind", "code"), SILENT)
def test_halves_that_fit_or_cannot_be_seen_are_not(kind: str, code: str) -> None:
    assert list(RULES[kind](ast.parse(code))) == []


def test_what_is_told_of_a_grid_is_so() -> None:
    """A grid that moves nothing gives the picture back by one convention, and not by the other."""
    import torch
    import torch.nn.functional as F

    theta = torch.tensor([[[1.0, 0, 0], [0, 1, 0]]])
    picture = torch.rand(1, 1, 5, 7)
    for made in (True, False):
        grid = F.affine_grid(theta, [1, 1, 5, 7], align_corners=made)
        same = F.grid_sample(picture, grid, align_corners=made)
        other = F.grid_sample(picture, grid, align_corners=not made)
        assert torch.allclose(same, picture, atol=1e-5) and not torch.allclose(
            other, picture, atol=0.05
        )
