import torch
from torch import nn

torch.manual_seed(0)
generator, discriminator = nn.Linear(2, 4), nn.Linear(4, 1)
fake = generator(torch.randn(8, 2))
score = discriminator(fake.detach())
nn.functional.binary_cross_entropy_with_logits(score, torch.ones(8, 1)).backward()
assert generator.weight.grad is not None
