import torch

device = "mps" if torch.backends.mps.is_available() else "cpu"
assert device in ("cpu", "mps") or torch.cuda.is_available(), "this machine has no CUDA"
