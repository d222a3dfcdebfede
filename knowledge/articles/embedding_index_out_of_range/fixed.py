import torch
from torch import nn

embed = nn.Embedding(num_embeddings=11, embedding_dim=4)
words = torch.tensor([1, 5, 10])
vectors = embed(words)
assert vectors.shape == (3, 4)
