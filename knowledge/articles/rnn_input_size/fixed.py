import torch
from torch import nn

lstm = nn.LSTM(input_size=7, hidden_size=16, batch_first=True)
sentences = torch.randn(8, 20, 7)  # batch, words, numbers for each word
outputs, state = lstm(sentences)
assert outputs.shape == (8, 20, 16)
