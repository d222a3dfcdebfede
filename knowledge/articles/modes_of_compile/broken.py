import torch

options = torch._inductor.list_mode_options("default")
assert options.get("triton.cudagraphs"), "this mode uses no CUDA graphs"
