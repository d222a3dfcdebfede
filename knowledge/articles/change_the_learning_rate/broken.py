import torch

weight = torch.ones(1, requires_grad=True)
lr = 0.1
optimizer = torch.optim.SGD([weight], lr=lr)
lr = 0.01
weight.sum().backward()
optimizer.step()
assert torch.allclose(weight, torch.tensor([0.99])), "the step was made with the old rate"
