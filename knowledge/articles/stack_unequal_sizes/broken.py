import torch

sentences = [torch.tensor([4, 2, 7]), torch.tensor([5, 1])]
batch = torch.stack(sentences)  # error: RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [2] at entry 1
