import torch

curve = {}
for step in range(5):
    loss = torch.tensor(1.0 / (step + 1))
    curve[step] = loss.item()  # add_scalar("loss", loss, step)
assert len(curve) == 5, "all numbers lie upon one place"
