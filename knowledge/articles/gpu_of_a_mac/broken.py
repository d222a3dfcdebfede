import torch

device = "cuda"  # as on other machines
assert device in ("cpu", "mps") or torch.cuda.is_available(), "this machine has no CUDA"
