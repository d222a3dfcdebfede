import torch

rewards, dones, gamma = torch.ones(2), torch.tensor([0.0, 1.0]), 0.9
best = torch.tensor([10.0, 10.0])
target = rewards + gamma * best
assert torch.allclose(target, torch.tensor([10.0, 1.0])), "nothing comes after the last step"
