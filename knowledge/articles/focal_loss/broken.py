import torch
import torch.nn.functional as F

logits = torch.tensor([[4.0, 0.0], [0.0, 1.0]])
target = torch.tensor([0, 0])
ce = F.cross_entropy(logits, target)
loss = (1 - torch.exp(-ce)) ** 2 * ce
p = logits.softmax(1)[:, 0]
assert torch.allclose(loss, ((1 - p) ** 2 * -p.log()).mean())
