import torch

allowed = 2
torch.set_num_threads(8)  # what a machine with 8 cores gives
assert torch.get_num_threads() <= allowed, "more threads than the container may use"
