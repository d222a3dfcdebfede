import torch
import torch.nn.functional as F

two = torch.tensor([[0.2, 1.5], [1.0, -0.5]])
labels = torch.tensor([1, 0])
one = two[:, 1] - two[:, 0]
bce = F.binary_cross_entropy_with_logits(one, labels.float())
assert torch.allclose(bce, F.cross_entropy(two, labels)), "the two losses differ"
