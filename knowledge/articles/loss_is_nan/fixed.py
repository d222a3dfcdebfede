import torch

scores = torch.tensor([0.0, 200.0], requires_grad=True)
targets = torch.tensor([1.0, 1.0])
loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, targets)
loss.backward()
assert torch.isfinite(loss)
