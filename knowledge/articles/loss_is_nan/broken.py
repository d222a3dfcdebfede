import torch

scores = torch.tensor([0.0, 200.0], requires_grad=True)
targets = torch.tensor([1.0, 1.0])
p = torch.sigmoid(scores)
loss = -(targets * torch.log(p) + (1 - targets) * torch.log(1 - p)).mean()
loss.backward()
assert torch.isfinite(loss)
