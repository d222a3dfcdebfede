import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
losses = (x - 5) ** 2
losses.backward()  # error: RuntimeError: grad can be implicitly created only for scalar outputs
