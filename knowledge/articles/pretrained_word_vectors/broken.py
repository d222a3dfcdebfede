import torch
from torch import nn

vectors = {"cat": [1.0, 2.0], "dog": [3.0, 4.0]}
vocabulary = {"dog": 0, "cat": 1}
matrix = torch.tensor(list(vectors.values()))  # in the order of the file of vectors
embedding = nn.Embedding.from_pretrained(matrix, freeze=False)
assert embedding(torch.tensor(vocabulary["cat"])).tolist() == vectors["cat"], "cat has another word's vector"
