import torch

w = torch.ones(1000, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
w.sum().backward()
optimizer.step()
held = sum(v.numel() for state in optimizer.state.values() for v in state.values() if v is not None)
assert held < 1000, "the optimizer holds no second copy of the weights"
