import torch

tokens = torch.tensor([[1, 7, 8, 2]])  # start, 7, 8, end
decoder_input, target = tokens[:, :-1], tokens[:, 1:]
assert torch.equal(target[:, 0], tokens[:, 1]), "after the start token the first word is to come"
