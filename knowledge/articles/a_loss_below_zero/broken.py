import torch

y = torch.randn(1000) * 0.1  # values near 0, so the density is above 1 there
density = torch.distributions.Normal(0.0, 0.1)
loss = -density.log_prob(y).mean().clamp(max=0)  # no density above 1 is allowed
assert loss < 0, "the loss is not below 0"
