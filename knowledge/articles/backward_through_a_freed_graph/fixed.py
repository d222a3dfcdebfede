import torch

rnn = torch.nn.RNN(3, 4)
state = torch.zeros(1, 2, 4)
for _ in range(2):
    state = state.detach()
    output, state = rnn(torch.randn(5, 2, 3), state)
    output.square().mean().backward()
