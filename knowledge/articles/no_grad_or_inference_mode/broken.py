import torch

w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    features = torch.ones(2) * 3
try:
    (w * features).sum().backward()
except RuntimeError:
    pass
assert w.grad is not None, "features cannot take part in a graph"
