import torch

weight = torch.nn.Parameter(torch.ones(3, dtype=torch.bfloat16))
optimizer = torch.optim.AdamW([weight], lr=6e-4)
for _ in range(100):
    optimizer.zero_grad()
    (weight * torch.arange(1, 4)).sum().backward()
    optimizer.step()
assert (weight != 1).all(), "100 steps were rounded away"
