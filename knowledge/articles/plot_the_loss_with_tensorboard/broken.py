import torch

curve = {}
for step in range(5):
    loss = torch.tensor(1.0 / (step + 1))
    curve[0] = loss.item()  # add_scalar("loss", loss, 0)
assert len(curve) == 5, "all numbers lie upon one place"
