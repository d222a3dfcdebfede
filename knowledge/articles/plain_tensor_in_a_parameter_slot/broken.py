import torch

layer = torch.nn.Linear(2, 1)
layer.weight = torch.zeros(1, 2)  # error: TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)
