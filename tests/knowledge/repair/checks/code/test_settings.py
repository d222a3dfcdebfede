"""knowledge/repair/checks/code/settings.py: the training's settings are the person's."""

from __future__ import annotations

import pytest

from executor.protocol import Finding
from knowledge.repair.checks.code.settings import check
from tests.built import ran
from tests.knowledge.repair.checks.code.changed import refused, saw

_NAMES = [
    "batch_size", "batchsize", "bs", "lr", "learning_rate", "momentum",
    "weight_decay", "betas", "dropout", "drop_prob", "epochs", "n_epochs",
    "num_epochs", "max_epochs", "epoch", "iters", "num_iterations", "max_steps",
    "seed", "random_seed", "shuffle", "n_samples", "num_batches", "num_examples",
    "n_points", "train_size", "val_size", "test_size", "gamma", "temperature",
    "patience", "clip", "clip_value", "max_norm", "self.lr", "args.lr",
    "cfg.lr", "config.lr",
]  # fmt: skip
ROUNDS = "for e in range(10):\n    f().backward()\n"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("DataLoader(d, batch_size=8)\n", "DataLoader(d, batch_size=1)\n", "batch_size was `8`"),
        (
            "DataLoader(d, batch_size=8)\n",
            "DataLoader(d)\n",
            "batch_size was `8` and is `left out`",
        ),
        ("DataLoader(d, batch_size=8)\n", "DataLoader(d, batch_size=None)\n", ""),
        ("DataLoader(d, 8)\n", "DataLoader(d, 1)\n", "what `DataLoader` is given was `8`"),
        ("DataLoader(d, 8)\n", "DataLoader(e, 8)\n", ""),
        ("DataLoader(d, shuffle=True)\n", "DataLoader(d, shuffle=False)\n", "shuffle"),
        ("DataLoader(d)\n", "DataLoader(d, collate_fn=f)\n", ""),
        ("DataLoader(d, batch_size=b)\n", "DataLoader(d, batch_size=int(b))\n", ""),
        ("DataLoader(d, batch_size=b)\n", "DataLoader(d, batch_size=min(b, 2))\n", "batch_size"),
        ("DataLoader(d, batch_size=b)\n", "DataLoader(d, batch_size=int(c))\n", "batch_size"),
        ("SGD(p, lr=0.1)\n", "SGD(p, lr=0)\n", "lr was `0.1`"),
        ("SGD(p, 0.1)\n", "SGD(p, 0)\n", "what `SGD` is given"),
        ("torch.optim.AdamW(p, 0.1)\n", "torch.optim.AdamW(p, 0)\n", "what `AdamW` is given"),
        ("SGD(p, 0.1)\n", "SGD(q, 0.1)\n", ""),
        ("TSNE(2, n_iter=300)\n", "TSNE(2, max_iter=300)\n", ""),
        ("TSNE(2, n_iter=300)\n", "TSNE(2, max_iter=30)\n", "n_iter"),
        ("TSNE(n_iter=3, m=3)\n", "TSNE(m=3)\n", "n_iter"),
        ("nn.Dropout(0.5)\n", "nn.Dropout(0.0)\n", "what `Dropout` is given"),
        ("nn.Linear(3, 4)\n", "nn.Linear(3, 5)\n", ""),
        ("torch.manual_seed(0)\n", "torch.manual_seed(1)\n", "what `manual_seed` is given"),
        ("batch_size = 8\n", "batch_size = 1\n", "batch_size was `8`"),
        ("self.lr = 8\n", "self.lr = 1\n", "self.lr was `8`"),
        ("num_epochs = 8\n", "num_epochs = 1\n", "num_epochs"),
        ("n_samples = 2 * 50\n", "n_samples = 2 * 40\n", "n_samples"),
        ("hidden = 8\n", "hidden = 1\n", ""),
        ("seed_words = 8\n", "seed_words = 1\n", ""),
        ("batch_size = f(8)\n", "batch_size = f(9)\n", "batch_size"),
        ("batch_size = x.size(0)\n", "batch_size = x.shape[0]\n", ""),
        ("lr = a = 8\n", "lr = a = 1\n", ""),
        ("def f(x, lr=8):\n    pass\n", "def f(x, lr=1):\n    pass\n", "lr"),
        ("def f(x, *, lr=8):\n    pass\n", "def f(x, *, lr=1):\n    pass\n", "lr"),
        ("def f(x, y=8):\n    pass\n", "def f(x, y=1):\n    pass\n", ""),
        ("x = torch.randn(4, 3)\n", "x = torch.randn(3, 3)\n", "the size of the data"),
        ("x = torch.randint(0, 9, (4,))\n", "x = torch.randint(0, 5, (4,))\n", "the size of"),
        ("f(torch.rand(4))\n", "f(torch.rand(3))\n", "the size of the data"),
        ("x = torch.rand(size=(4, 3))\n", "x = torch.rand(size=(3, 3))\n", "the size of the data"),
        ("x = torch.rand(n)\n", "x = torch.rand(m)\n", ""),
        ("x = torch.rand(4, requires_grad=False)\n", "x = torch.rand(4, requires_grad=True)\n", ""),
        ("x = torch.zeros(4)\n", "x = torch.zeros(3)\n", ""),
        ("h0 = torch.randn(1, 4)\n", "h0 = torch.randn(1, 3)\n", ""),
        ("(h, c) = torch.randn(2, 4)\n", "(h, c) = torch.randn(2, 3)\n", ""),
        ("state = torch.randn(1, 4)\n", "state = torch.randn(1, 3)\n", ""),
        ("weight = torch.randn(1, 4)\n", "weight = torch.randn(1, 3)\n", ""),
        ("self.x = torch.randn(1, 4)\n", "self.x = torch.randn(1, 3)\n", ""),
        ("w = nn.Parameter(torch.randn(4))\n", "w = nn.Parameter(torch.randn(3))\n", ""),
        (ROUNDS, ROUNDS.replace("10", "1"), "the number of rounds"),
        (ROUNDS, ROUNDS.replace("range(10)", "range(len(x))"), "the number of rounds"),
        (ROUNDS, ROUNDS.replace("range(10)", "tqdm(range(10))"), ""),
        (ROUNDS.replace("range", "f"), ROUNDS.replace("range(10)", "f(1)"), ""),
        ("for epoch in range(9):\n    f()\n", "for epoch in range(1):\n    f()\n", "rounds"),
        ("for i in range(10):\n    f()\n", "for i in range(9):\n    f()\n", ""),
    ],
)
def test_no_setting_is_changed(old: str, new: str, what: str):
    """A batch of one, no learning, one round: each makes an error go away."""
    told = refused(check, old, new)

    assert what in told and bool(what) is bool(told)


def test_a_setting_that_there_is_not_may_go():
    """The error says that the function has no argument of this name."""
    old, new = "f(x, lr=1)\n", "f(x)\n"

    assert refused(check, old, new)
    assert not refused(check, old, new, saw("f() got an unexpected keyword argument 'lr'"))


def test_a_sampler_shuffles():
    """Where the error says that both exclude each other, the sampler stays."""
    old, new = "DataLoader(d, shuffle=True, sampler=s)\n", "DataLoader(d, sampler=s)\n"

    assert refused(check, old, new)
    assert not refused(check, old, new, saw("sampler option is mutually exclusive with shuffle"))


@pytest.mark.parametrize(
    ("old", "new", "ran_away", "passes"),
    [
        ("SGD(p, lr=0.1)\n", "SGD(p, lr=0.01)\n", True, True),
        ("SGD(p, 0.1)\n", "SGD(p, 0.01)\n", True, True),
        ("lr = 0.1\n", "lr = 0.01\n", True, True),
        ("lr = 0.1\n", "lr = 0.01\n", False, False),
        ("lr = 0.1\n", "lr = 0.0\n", True, False),  # no step is not a smaller one
        ("lr = 0.1\n", "lr = 0.2\n", True, False),
        ("lr = 0.1\n", "lr = f()\n", True, False),
        ("seed = 9\n", "seed = 1\n", True, False),
    ],
)
def test_only_of_a_loss_that_ran_away_may_the_rate_be_smaller(
    old: str, new: str, ran_away: bool, passes: bool
):
    """The run shows then that this is what has to change."""
    seen = Finding(kind="loss_ran_away", line=1, name="", message="", facts={"ran_away": ran_away})

    assert (not refused(check, old, new, ran(findings=(seen,)))) is passes


@pytest.mark.parametrize(
    "name",
    _NAMES,
)
def test_what_is_a_setting(name: str):
    """By its name, whatever holds it."""
    assert refused(check, f"{name} = 8\n", f"{name} = 1\n").startswith(f"line 1: {name} was `8`")
    assert not refused(check, f"my_{name}_x = 8\n", f"my_{name}_x = 1\n")


@pytest.mark.parametrize("name", ["epoch", "iteration", "n_epoch"])
def test_which_loops_are_rounds(name: str):
    """A loop over epochs is one of training, though the steps are taken elsewhere."""
    old = f"for {name} in range(9):\n    train()\n"

    assert "rounds" in refused(check, old, old.replace("9", "1"))


@pytest.mark.parametrize(("title", "passes"), [("`y` is made up for as many samples as `x`", True),
                                               ("`y` is made anew", False)])  # fmt: skip
def test_data_is_made_up_for_other_samples_where_the_fix_says_so(title: str, passes: bool):
    """`torch.randn(8, 2)` for `torch.randn(4, 2)`."""
    old, new = "y = torch.randn(4, 2)\n", "y = torch.randn(8, 2)\n"
    assert (refused(check, old, new, title=title) == "") is passes
