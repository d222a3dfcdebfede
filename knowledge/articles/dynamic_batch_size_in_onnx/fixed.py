import torch
from torch import nn

batch = torch.export.Dim("batch")
program = torch.export.export(nn.Linear(4, 2), (torch.ones(3, 4),), dynamic_shapes=({0: batch},))
try:
    shape = program.module()(torch.ones(5, 4)).shape
except (RuntimeError, AssertionError):
    shape = None
assert shape == (5, 2), "the exported model takes batches of 3 alone"
