import torch
import torch.nn.functional as F

log_probs = torch.randn(3, 1, 5).log_softmax(2)  # 3 time steps
word = torch.tensor([[2, 2, 3]])  # two equal letters need a blank between them: 4 steps
loss = F.ctc_loss(log_probs, word, torch.tensor([3]), torch.tensor([3]))
assert torch.isfinite(loss), f"the loss is {loss.item()}"
