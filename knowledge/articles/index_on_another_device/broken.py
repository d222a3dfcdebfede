import torch

device = torch.device("cuda")
rows = torch.arange(6.0).view(3, 2)
scores = torch.tensor([0.1, 0.9, 0.4], device=device)
best = rows[scores.topk(2).indices]  # error: RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)
