import torch

rnn = torch.nn.RNN(3, 4)
state = torch.zeros(1, 2, 4)
for _ in range(2):
    output, state = rnn(torch.randn(5, 2, 3), state)
    output.square().mean().backward()  # error: RuntimeError: Trying to backward through the graph a second time
