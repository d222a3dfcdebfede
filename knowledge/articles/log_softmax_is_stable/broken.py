import torch

scores = torch.tensor([0.0, 200.0], requires_grad=True)
logs = torch.log(torch.softmax(scores, dim=0))
logs.sum().backward()
assert torch.isfinite(logs).all() and torch.isfinite(scores.grad).all(), f"{logs.tolist()}, gradient {scores.grad.tolist()}"
