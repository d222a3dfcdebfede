import copy

import torch

output = torch.ones(2, requires_grad=True) * 2
copy.deepcopy(output)  # error: RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.
