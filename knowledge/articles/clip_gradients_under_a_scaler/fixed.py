import torch

p = torch.nn.Parameter(torch.tensor([1.0]))
scale = 1024.0  # what a GradScaler multiplies the loss by
(scale * 3.0 * p.sum()).backward()
p.grad /= scale  # what scaler.unscale_(optimizer) does
torch.nn.utils.clip_grad_norm_([p], max_norm=1.0)
assert torch.allclose(p.grad, torch.tensor([1.0])), f"the step uses a gradient of {p.grad.item():.5f}"
