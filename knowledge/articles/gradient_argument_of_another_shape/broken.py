import torch

x = torch.rand(2, 3, requires_grad=True)
y = x.square().sum(dim=1)
y.backward(torch.ones(2, 1))  # error: RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2, 1]) and output[0] has a shape of torch.Size([2]).
