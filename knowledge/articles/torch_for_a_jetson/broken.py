import torch

built_for = torch.version.cuda if "jetson" in torch.__version__ else None
device = "cuda"
assert device == "cpu" or built_for, "this build has no CUDA of a Jetson"
