import torch
from torch import nn

trained = nn.DataParallel(nn.Linear(2, 1))  # DistributedDataParallel names its parts likewise
saved = trained.module.state_dict()
plain = nn.Linear(2, 1)
assert saved.keys() == plain.state_dict().keys(), f"the names are {list(saved)}"
