import torch

flags = "avx512f avx512_vnni"  # of lscpu, on a Xeon Silver 4214R
in_hardware = "avx512_bf16" in flags or "amx_bf16" in flags
dtype = torch.bfloat16 if in_hardware else torch.float32
assert dtype is torch.float32 or in_hardware, "each product would be converted to float32 and back"
