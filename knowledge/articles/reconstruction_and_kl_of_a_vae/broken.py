import torch
import torch.nn.functional as F

torch.manual_seed(0)
x, decoded = torch.rand(8, 784).round(), torch.zeros(8, 784)
mu, logvar = torch.ones(8, 20), torch.zeros(8, 20)
kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum() / 8
reconstruction = F.binary_cross_entropy_with_logits(decoded, x)
assert reconstruction > kl, "the KL outweighs 784 pixels"
