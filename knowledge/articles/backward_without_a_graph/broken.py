import torch

model = torch.nn.Linear(3, 1)
output = model(torch.randn(4, 3)).detach()
loss = output.square().mean()
loss.backward()  # error: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
