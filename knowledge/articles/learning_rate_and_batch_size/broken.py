import torch

torch.manual_seed(0)
inputs = torch.randn(4096, 1)
errors = inputs[:, 0] * torch.randn(4096)  # of one weight: each sample's gradient
small = errors.view(512, 8).mean(dim=1)  # gradients of batches of 8
large = errors.view(512, 8).mean(dim=1)  # a batch that is no larger gives no quieter gradient
assert large.std() < 0.5 * small.std(), "the gradient of the larger batch is as noisy"
