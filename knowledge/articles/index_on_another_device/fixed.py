import torch

device = torch.device("cuda")
rows = torch.arange(6.0).view(3, 2)
scores = torch.tensor([0.1, 0.9, 0.4], device=device)
best = rows[scores.topk(2).indices.cpu()]
assert best.tolist() == [[2.0, 3.0], [4.0, 5.0]]
