import torch
from torch import nn

embed = nn.Embedding(num_embeddings=10, embedding_dim=4)
words = torch.tensor([1, 5, 10])
vectors = embed(words)  # error: IndexError: index out of range in self
