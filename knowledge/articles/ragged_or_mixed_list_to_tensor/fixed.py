import torch

rows = [torch.tensor([1, 2]), torch.tensor([3])]
torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
