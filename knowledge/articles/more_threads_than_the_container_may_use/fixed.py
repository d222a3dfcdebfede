import torch

allowed = 2
torch.set_num_threads(allowed)
assert torch.get_num_threads() <= allowed, "more threads than the container may use"
