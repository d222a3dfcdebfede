import torch


@torch.compile(fullgraph=True, backend="eager")
def total(parts):
    return sum(p.sum() for p in parts)


for count in range(1, 20):
    total([torch.ones(2)] * count)  # error: FailOnRecompileLimitHit: Hard failure due to fullgraph=True
