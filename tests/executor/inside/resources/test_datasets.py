"""Data sets that are not here: torchvision's own classes, with what their authors published."""

from __future__ import annotations

import json

import pytest

from executor.protocol import Job, Outcome
from executor.service.client import ExecutorClient

pytestmark = pytest.mark.asyncio(loop_scope="session")

# class, its arguments → number of samples, and the first sample: image's mode and size, target.
FACTS = [
    ("MNIST", "train=True, download=True", 60_000, "L", [28, 28], range(10)),
    ("MNIST", "train=False", 10_000, "L", [28, 28], range(10)),
    ("FashionMNIST", "train=False", 10_000, "L", [28, 28], range(10)),
    ("KMNIST", "train=True", 60_000, "L", [28, 28], range(10)),
    ("EMNIST", "split='letters', train=False", 20_800, "L", [28, 28], range(1, 27)),
    ("EMNIST", "split='balanced', train=False", 18_800, "L", [28, 28], range(47)),
    ("QMNIST", "what='test10k'", 10_000, "L", [28, 28], range(10)),
    ("CIFAR10", "train=False, download=True", 10_000, "RGB", [32, 32], range(10)),
    ("CIFAR100", "train=False", 10_000, "RGB", [32, 32], range(100)),
    ("SVHN", "split='test'", 26_032, "RGB", [32, 32], range(10)),
    ("STL10", "split='train'", 5_000, "RGB", [96, 96], range(10)),
    ("USPS", "train=False", 2_007, "L", [16, 16], range(10)),
    ("SEMEION", "", 1_593, "L", [16, 16], range(10)),
    ("Flowers102", "split='val'", 1_020, "RGB", [667, 500], range(102)),
    ("Food101", "split='test'", 25_250, "RGB", [512, 512], range(101)),
    ("DTD", "", 1_880, "RGB", [640, 480], range(47)),
    ("FGVCAircraft", "split='test'", 3_333, "RGB", [1024, 695], range(100)),
    ("StanfordCars", "split='test'", 8_041, "RGB", [640, 480], range(196)),
    ("GTSRB", "split='test'", 12_630, "RGB", [48, 48], range(43)),
    ("OxfordIIITPet", "", 3_680, "RGB", [500, 375], range(37)),
    ("EuroSAT", "", 27_000, "RGB", [64, 64], range(10)),
    ("Country211", "split='valid'", 10_550, "RGB", [400, 300], range(211)),
    ("ImageNet", "split='val'", 50_000, "RGB", [500, 375], range(1000)),
    ("Caltech101", "", 8_677, "RGB", [300, 200], range(101)),
    ("SUN397", "", 108_754, "RGB", [500, 375], range(397)),
    ("Places365", "split='val'", 36_500, "RGB", [256, 256], range(365)),
    ("RenderedSST2", "split='val'", 872, "RGB", [448, 448], range(2)),
    ("LFWPeople", "split='test'", 3_708, "RGB", [250, 250], range(5749)),
]  # fmt: skip


async def _printed(executor: ExecutorClient, code: str) -> list[object]:
    run = await executor.run(Job(code=code, stand_ins=True, wall_s=60))
    assert run.outcome is Outcome.OK, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


async def test_every_data_set_has_the_form_of_the_real_one(executor: ExecutorClient) -> None:
    """Length, mode and size of the images, and the range of the labels."""
    made = "\n".join(
        f"show(datasets.{name}('data'{', ' if given else ''}{given}))" for name, given, *_ in FACTS
    )
    printed = await _printed(
        executor,
        "import json\nfrom torchvision import datasets\n"
        "def show(d):\n"
        "    labels = sorted({d[i][1] for i in range(20)})\n"
        "    print(json.dumps([len(d), d[0][0].mode, d[0][0].size, labels]))\n" + made,
    )
    seen = [(n, mode, size) for n, mode, size, _ in printed]  # type: ignore[misc]
    assert seen == [(n, mode, size) for _, _, n, mode, size, _ in FACTS]
    for (name, *_, labels), (_, _, _, some) in zip(FACTS, printed, strict=True):  # type: ignore[misc]
        assert set(some) <= set(labels) and len(some) > 1, name


async def test_targets_of_other_kinds_have_their_form(executor: ExecutorClient) -> None:
    """Masks, boxes and attributes, as the data sets give them."""
    masks, boxes, faces, pets = await _printed(
        executor,
        "import json\nimport numpy as np\nfrom torchvision import datasets\n"
        "image, mask = datasets.VOCSegmentation('d', image_set='val')[3]\n"
        "print(json.dumps([image.size, mask.size, int(np.array(mask).max())]))\n"
        "image, boxes = datasets.VOCDetection('d', year='2012')[5]\n"
        "print(json.dumps(boxes['annotation']['object'][0]['name']))\n"
        "image, attr = datasets.CelebA('d', split='valid')[7]\n"
        "print(json.dumps([image.size, list(attr.shape), sorted(set(attr.tolist()))]))\n"
        "image, trimap = datasets.OxfordIIITPet('d', target_types='segmentation')[0]\n"
        "print(json.dumps([image.size == trimap.size, trimap.mode]))\n",
    )
    assert masks[0] == masks[1] and 0 < masks[2] < 21  # type: ignore[index]
    assert boxes == "person"
    assert faces == [[178, 218], [40], [0, 1]]
    assert pets == [True, "L"]


async def test_the_class_is_torchvisions_own(executor: ExecutorClient) -> None:
    """Arguments are checked, transforms applied, attributes there, and subclasses work."""
    arrays, mine, wrong = await _printed(
        executor,
        "import json, torch\nfrom torchvision import datasets, transforms\n"
        "class Mine(datasets.CIFAR10):\n"
        "    def __getitem__(self, i):\n"
        "        x, y = super().__getitem__(i)\n"
        "        return x, y, i\n"
        "d = Mine('data', transform=transforms.ToTensor(), target_transform=lambda y: y + 100)\n"
        "print(json.dumps([list(d.data.shape), str(d.data.dtype), len(d.targets), d.classes[0],\n"
        "                  d.class_to_idx['cat']]))\n"
        "x, y, i = d[4]\n"
        "print(json.dumps([list(x.shape), y - d.targets[4], i, isinstance(d, datasets.CIFAR10)]))\n"
        "try:\n"
        "    datasets.SVHN('data', split='validation')\n"
        "except ValueError as e:\n"
        "    print(json.dumps(str(e)[:33]))\n",
    )
    assert arrays == [[50_000, 32, 32, 3], "uint8", 50_000, "airplane", 3]
    assert mine == [[3, 32, 32], 100, 4, True]
    assert wrong == "Unknown value 'validation' for ar"


async def test_a_loader_gives_the_first_batches_and_the_last(executor: ExecutorClient) -> None:
    """The last batch of an epoch is smaller, and its size is the real one's."""
    [sizes, length] = await _printed(
        executor,
        "import json\nfrom torch.utils.data import DataLoader, random_split\n"
        "from torchvision import datasets, transforms\n"
        "d = datasets.MNIST('data', transform=transforms.ToTensor())\n"
        "train, val = random_split(d, [50000, 10000])\n"
        "loader = DataLoader(train, batch_size=64, shuffle=True)\n"
        "print(json.dumps([len(y) for x, y in loader]))\n"
        "print(len(loader))\n",
    )
    assert sizes == [64, 64, 64, 50_000 % 64]
    assert length == 782


async def test_a_network_learns_the_synthetic_images(executor: ExecutorClient) -> None:
    """A linear layer over a few batches tells the classes apart."""
    [first, last] = await _printed(
        executor,
        "import torch\nfrom torch import nn\nfrom torchvision import datasets, transforms\n"
        "d = datasets.FashionMNIST('data', transform=transforms.ToTensor())\n"
        "x = torch.stack([d[i][0] for i in range(128)]).flatten(1)\n"
        "y = torch.tensor([d[i][1] for i in range(128)])\n"
        "net = nn.Linear(784, 10)\n"
        "opt = torch.optim.Adam(net.parameters(), lr=0.01)\n"
        "for step in range(40):\n"
        "    loss = nn.functional.cross_entropy(net(x), y)\n"
        "    if step == 0:\n"
        "        print(loss.item())\n"
        "    opt.zero_grad(); loss.backward(); opt.step()\n"
        "print(loss.item())\n",
    )
    assert isinstance(first, float) and isinstance(last, float)
    assert last < first / 4


async def test_fake_data_are_left_alone(executor: ExecutorClient) -> None:
    """FakeData is no placeholder: it needs no files."""
    job = Job(
        code="from torchvision import datasets\nprint(len(datasets.FakeData(7)))", stand_ins=True
    )
    run = await executor.run(job)
    assert run.stdout == "7\n" and run.stand_ins == ()
