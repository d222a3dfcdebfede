"""Numbers whose last digits float32 has not: where these decide, and where they do not."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import run

ROWS = "rows = [[30000001 + 2 * i, i % 7, 0.5 * i] for i in range({n})]\n"
IDS = "ids = [{first} + {step} * i for i in range(40)]\n"
STAMPS = "t = [1712345678.25 + 3.0 * i for i in range(50)]\n"
NORTH = "base = torch.tensor([412600.0, {north}, 20.0], dtype=torch.float64)\n"
POINTS = "torch.manual_seed(0)\np = base + 5 * torch.rand({n}, 3, dtype=torch.float64)\n"
FAR = NORTH.format(north=5600200.0) + POINTS + "x = p.float()\n"

MISTAKES = {
    "a table with ids and scores": ROWS.format(n=9)
    + "t = torch.Tensor(rows)\nusers = t[:, 0].long()\n",
    "three ids": ROWS.format(n=3) + "t = torch.tensor(rows)\nusers = t[:, 0].to(torch.int64)\n",
    "ids as an array": IDS.format(first=50000001, step=3)
    + "import numpy as np\na = np.array(ids, dtype=np.float32)\nu = torch.from_numpy(a).long()\n",
    "a tensor of ids among features": IDS.format(first=20000001, step=1)
    + "given = torch.tensor(ids)\nx = torch.stack([given.float(), torch.rand(40)], 1)\n"
    "del ids\nback = x[:, 0].int()\n",
    "a list again": IDS.format(first=20000001, step=1)
    + "x = torch.tensor(ids, dtype=torch.float32)\nnames = [int(v) for v in x]\n",
    "gaps between time stamps": STAMPS + "x = torch.tensor(t)\ngap = x[1:] - x[:-1]\n",
    "gaps of whole seconds": IDS.format(first=1712345678, step=5)
    + "x = torch.tensor(ids).float()\nprint(x.diff())\n",
    "time since the first": STAMPS + "x = torch.tensor(t)\nsince = x - x[0]\n",
    "coordinates about their middle": FAR.format(n=20) + "c = x - x.mean(0)\n",
    "distances far from 0": FAR.format(n=60) + "d = torch.cdist(x, x)\n",
    "distances of two sets": FAR.format(n=60) + "d = torch.cdist(x[0:1], x)\n"
    "a, b = x[:40], x[40:]\nd = torch.cdist(a, b)\n",
}
SOUND = {
    "ids apart from the scores": ROWS.format(n=9)
    + "users = torch.tensor([r[0] for r in rows])\ns = torch.tensor([r[2] for r in rows])\n",
    "a table in float64": ROWS.format(n=9)
    + "t = torch.tensor(rows, dtype=torch.float64)\nusers = t[:, 0].long()\n",
    "ids that float32 holds": IDS.format(first=9000001, step=1)
    + "x = torch.Tensor(ids)\nu = x.long()\n",
    "even ids": IDS.format(first=20000000, step=2) + "x = torch.Tensor(ids)\nu = x.long()\n",
    "a draw that becomes a share": "r = torch.randint(0, 2**31, (5000,))\nu = r.float() / 2**31\n"
    "k = (u * 10).long()\n",
    "buckets of large numbers": IDS.format(first=1712345678, step=1)
    + "x = torch.tensor(ids).float()\nday = (x / 86400).long()\n",
    "large numbers as features": IDS.format(first=1712345678, step=1)
    + "x = torch.tensor(ids, dtype=torch.float32)\ny = (x - x.mean()) / x.std()\n".replace(
        "(x - x.mean()) / x.std()", "x / x.max()"
    ),
    "gaps in float64": STAMPS + "x = torch.tensor(t, dtype=torch.float64)\ngap = x[1:] - x[:-1]\n",
    "gaps of days": IDS.format(first=1712345678, step=86400)
    + "x = torch.tensor(ids).float()\ngap = x[1:] - x[:-1]\n",
    "a middle taken away first": FAR.format(n=60)
    + "x = (p - p.mean(0)).float()\nd = torch.cdist(x, x)\nc = x - x.mean(0)\n",
    "distances by the differences": FAR.format(n=60)
    + 'd = torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist")\n',
    "few rows": FAR.format(n=20) + "d = torch.cdist(x, x)\n",
    "distances around 0": "x = torch.randn(60, 3)\nd = torch.cdist(x, x)\n",
    "distances of embeddings": "x = 40 + torch.randn(300, 64)\nd = torch.cdist(x, x)\n",
    "pixels": "x = torch.randint(0, 256, (30, 1000)).float()\nd = torch.cdist(x, x)\n",
    "a large sum": "x = torch.rand(400) * 1e6\ny = x.tolist()\nz = x - x.mean()\n",
}


@pytest.mark.parametrize("name", MISTAKES)
def test_lost_digits_that_decide_are_named(any_house: House, name: str):
    """As a mistake, before anything else."""
    result = run(any_house, MISTAKES[name])

    assert next((f.kind for f in result.findings if f.mistake), "nothing") == "digits_lost"


@pytest.mark.parametrize("name", SOUND)
def test_lost_digits_that_do_not_decide_are_left_alone(any_house: House, name: str):
    """Nothing is said of them."""
    kinds = {f.kind for f in run(any_house, SOUND[name]).findings}

    assert "digits_lost" not in kinds
