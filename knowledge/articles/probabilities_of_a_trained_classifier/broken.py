import torch

logits = torch.tensor([[2.0, -1.0, 0.5]])
probabilities = logits / logits.sum(1, keepdim=True)
assert (probabilities >= 0).all() and torch.allclose(probabilities.sum(1), torch.ones(1))
