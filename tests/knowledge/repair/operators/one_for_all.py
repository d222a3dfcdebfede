"""one-for-all: a scheduler's one setting is for all parameter groups."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow

GROUPS = """\
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau

body, head = nn.Linear(4, 8), nn.Linear(8, 2)
optimizer = optim.SGD(
    [{"params": body.parameters(), "lr": 0.01}, {"params": head.parameters(), "lr": 0.1}]
)
"""

LAMBDA = (
    GROUPS
    + """\
schedule = LambdaLR(optimizer, [lambda epoch: 0.9**epoch])
optimizer.step()
schedule.step()
print([group["lr"] for group in optimizer.param_groups])
"""
)

KEYWORD = (
    GROUPS
    + """\
def warmup(step):
    return min(1.0, step / 10)


schedule = LambdaLR(optimizer, lr_lambda=[warmup])
print(len(schedule.lr_lambdas))
"""
)

LOWEST = (
    GROUPS
    + """\
schedule = ReduceLROnPlateau(optimizer, min_lr=[1e-5])
print(schedule.min_lrs)
"""
)

THREE = (
    GROUPS
    + """\
schedule = LambdaLR(optimizer, [lambda e: 0.9**e, lambda e: 1.0, lambda e: 0.5**e])
print(len(schedule.lr_lambdas))
"""
)

A_NAME = (
    GROUPS
    + """\
rules = [lambda e: 0.9**e]
schedule = LambdaLR(optimizer, rules)
print(len(schedule.lr_lambdas), len(rules))
"""
)

CASES = Cases(
    mended={},
    paired={
        "a function": (LAMBDA, ("LambdaLR(optimizer, lambda epoch: 0.9**epoch)",)),
        "by its keyword": (KEYWORD, ("lr_lambda=warmup)",)),
        "a bound": (LOWEST, ("min_lr=1e-5)",)),
    },
    refused={"one too many": THREE, "a list with a name": A_NAME},
    wrong={
        "swallowed": ("a function", swallow(LAMBDA.splitlines()[8])),
        "swallowed by its keyword": ("by its keyword", swallow(KEYWORD.splitlines()[-2])),
        "no bound": ("a bound", delete(LOWEST.splitlines()[-2])),
        "deleted": ("by its keyword", delete(KEYWORD.splitlines()[-2])),
    },
)
