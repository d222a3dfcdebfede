import torch
from torch import nn

logits = torch.tensor([[5.0, 0.0], [0.0, 5.0], [5.0, 0.0], [5.0, 0.0]])
word_labels, word_ids = [0, 1], [0, 1, 1, None]  # the second word has two pieces, then padding
labels = torch.tensor([0 if w is None else word_labels[w] for w in word_ids])
assert nn.functional.cross_entropy(logits, labels) < 0.1
