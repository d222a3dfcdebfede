import torch

scores = torch.tensor([[1.2, -0.3, 0.5]])
choice = torch.multinomial(scores, num_samples=1)  # error: RuntimeError: probability tensor contains either `inf`, `nan` or element < 0
