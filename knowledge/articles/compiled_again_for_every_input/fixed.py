import torch


@torch.compile(fullgraph=True, backend="eager")
def total(parts):
    return parts.sum()


for count in range(1, 20):
    total(torch.stack([torch.ones(2)] * count))
