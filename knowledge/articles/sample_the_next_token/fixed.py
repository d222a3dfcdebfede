import torch

scores = torch.tensor([2.0, 1.0, 0.0])
sharp = (scores / 0.1).softmax(dim=0)
assert sharp[0] > 0.99, "a temperature of 0.1 should leave nearly one token only"
