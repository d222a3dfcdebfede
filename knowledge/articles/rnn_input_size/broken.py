import torch
from torch import nn

lstm = nn.LSTM(input_size=10, hidden_size=16, batch_first=True)
sentences = torch.randn(8, 20, 7)  # batch, words, numbers for each word
outputs, state = lstm(sentences)  # error: RuntimeError: input.size(-1) must be equal to input_size. Expected 10, got 7
