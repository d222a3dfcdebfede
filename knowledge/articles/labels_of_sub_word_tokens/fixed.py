import torch
from torch import nn

logits = torch.tensor([[5.0, 0.0], [0.0, 5.0], [5.0, 0.0], [5.0, 0.0]])
word_labels, word_ids = [0, 1], [0, 1, 1, None]  # the second word has two pieces, then padding
first = [w is not None and w not in word_ids[:n] for n, w in enumerate(word_ids)]
labels = torch.tensor([word_labels[w] if f else -100 for w, f in zip(word_ids, first)])
assert nn.functional.cross_entropy(logits, labels) < 0.1
