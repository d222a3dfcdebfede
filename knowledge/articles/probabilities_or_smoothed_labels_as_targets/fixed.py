import torch
import torch.nn.functional as F

scores = torch.tensor([[2.0, 0.5, -1.0]])
soft = torch.tensor([[0.7, 0.3, 0.0]])
loss = F.cross_entropy(scores, soft)
assert torch.allclose(loss, -(soft * scores.log_softmax(dim=1)).sum()), "the soft labels do not count"
