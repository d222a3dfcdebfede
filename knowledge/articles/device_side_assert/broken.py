import torch
import torch.nn.functional as F

# On a GPU the same call says `device-side assert triggered`; this is the run on the CPU.
scores = torch.randn(4, 3)  # three classes
labels = torch.tensor([0, 1, 2, 3])
loss = F.cross_entropy(scores, labels)  # error: IndexError: Target 3 is out of bounds.
