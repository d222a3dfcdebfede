"""Files, folders and checkpoints that are not here, and folders that a run may not write in."""

from __future__ import annotations

import pytest

from executor.protocol import Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from tests.executor.service.test_packages import needs_whole_set

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def run(executor: ExecutorClient, code: str, *, other: bool = False) -> JobResult:
    """A run with placeholders."""
    return await executor.run(Job(code=code, stand_ins=True, other_choices=other))


READS = {
    "an image": ("from PIL import Image\nprint(Image.open('pics/dog.jpg').mode)", "RGB"),
    "a mask": ("from PIL import Image\nprint(Image.open('masks/dog.png').mode)", "L"),
    "lines": ("print(len(open('imagenet_classes.txt').readlines()))", "1000"),
    "an array": ("import numpy as np\nprint(np.load('x_train.npy').ndim)", "2"),
    "json": ("import json\nd = json.load(open('c.json'))\nprint(d['lr'], d['num_layers'])",
             "0.01 2"),
    "a folder": ("import os\nfrom PIL import Image\n"
                 "names = [n for n in os.listdir('pics') if n.endswith('.png')]\n"
                 "print(len(names), Image.open(os.path.join('pics', names[0])).mode)", "16 RGB"),
    "a pattern": ("import glob\nprint(len(glob.glob('data/*.npy')))", "16"),
    "a folder a class": (
        "from torchvision.datasets import ImageFolder\nd = ImageFolder('data/train')\n"
        "print(len(d), d.classes, d[20][1])", "32 ['class_0', 'class_1'] 1"),
    "another folder": (
        "import os, torch\nos.makedirs('../../out/run', exist_ok=True)\n"
        "torch.save({'a': 1}, '../../out/run/x.pt')\n"
        "print(torch.load('../../out/run/x.pt'), os.listdir('../../out'))", "{'a': 1} ['run']"),
    "a drive": ("open('/content/drive/log.txt', 'w').write('1')\n"
                "print(open('/content/drive/log.txt').read())", "1"),
    "a checkpoint": (
        "import torch\nmodel = torch.nn.Linear(3, 2)\nc = torch.load('best.pth')\n"
        "print(sorted(c['model'].keys()), c['epoch'])\nmodel.load_state_dict(c['model'])",
        "['bias', 'weight'] 1"),
    "trained weights": (
        "import torch, torchvision\nm = torchvision.models.squeezenet1_1(weights='DEFAULT')\n"
        "print(m(torch.rand(1, 3, 64, 64)).shape[1])", "1000"),
}  # fmt: skip


@pytest.mark.parametrize("what", READS)
async def test_what_is_not_here_is_supplied(executor: ExecutorClient, what: str) -> None:
    """It has the form that its name and its use say, and is told."""
    code, printed = READS[what]
    result = await run(executor, code)
    assert result.outcome is Outcome.OK, result.stderr
    assert result.stdout.strip() == printed
    assert result.stand_ins and result.assumptions


STAYS = {
    "handled": "try:\n    open('a.txt')\nexcept FileNotFoundError:\n    print('none')",
    "asked for": "import os\nprint('none' if not os.path.exists('a.txt') else 'some')",
    "of no known kind": "try:\n    open('a.bin')\nexcept ImportError:\n    pass",
}


@pytest.mark.parametrize("what", STAYS)
async def test_what_the_snippet_does_without_stays_missing(
    executor: ExecutorClient, what: str
) -> None:
    """Nothing is made that the snippet does not need, or nobody could make."""
    result = await run(executor, STAYS[what])
    assert result.stand_ins == ()
    assert result.stdout.strip() == "none" or "FileNotFoundError" in result.stderr


@needs_whole_set
async def test_a_table_has_the_columns_that_are_read(executor: ExecutorClient) -> None:
    """By name and by position; labels are whole numbers, names of images end so."""
    result = await run(
        executor,
        "import pandas as pd\ndf = pd.read_csv('train.csv')\n"
        "x = df[['age', 'income']]\ny = df['label']\n"
        "print(list(df.columns), y.dtype.kind, x.shape)",
    )
    assert result.stdout.strip() == "['age', 'income', 'label'] i (120, 2)"


async def test_other_choices_have_other_sizes(executor: ExecutorClient) -> None:
    """What is made up differs between two runs, what is published does not."""
    code = (
        "from PIL import Image\nfrom torchvision.datasets import MNIST\n"
        "print(Image.open('a.jpg').size)\nprint(len(MNIST('d', download=True)))"
    )
    one, two = await run(executor, code), await run(executor, code, other=True)
    first, second = one.stdout.splitlines(), two.stdout.splitlines()
    assert first[0] != second[0] and first[1] == second[1] == "60000"


async def test_an_error_of_a_placeholder_is_told_as_its_own(executor: ExecutorClient) -> None:
    """Sizes of a made-up file decide nothing; those of a public data set do."""
    made_up = await run(
        executor,
        "import torch, numpy as np\nx = torch.from_numpy(np.load('x.npy'))\nx @ torch.ones(77, 3)",
    )
    public = await run(
        executor,
        "import torch\nfrom torchvision import datasets, transforms\n"
        "d = datasets.MNIST('d', transform=transforms.ToTensor())\n"
        "torch.nn.Linear(77, 3)(d[0][0].flatten())",
    )
    assert made_up.error is not None and made_up.depends_on_stand_ins
    assert public.error is not None and not public.depends_on_stand_ins
