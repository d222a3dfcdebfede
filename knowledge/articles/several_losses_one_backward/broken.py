import torch

w = torch.ones(2, requires_grad=True)
loss_a, loss_b = (w * 2).sum(), (w * 3).sum()
loss_a.backward()
w.grad.zero_()
loss_b.backward()
assert w.grad.tolist() == [5.0, 5.0]
