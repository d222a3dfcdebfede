import torch
from torch import nn

start, end = 0, 4
table = nn.Embedding.from_pretrained(torch.eye(5).roll(1, dims=1))  # after a comes a + 1


def decoder(tokens: torch.Tensor) -> torch.Tensor:
    return table(tokens)


scores = decoder(torch.zeros(1, 4, dtype=torch.long))
said = scores.argmax(dim=-1)[0].tolist()
assert said == [1, 2, 3, end], "each token should follow the one that was said before it"
