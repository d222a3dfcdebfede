import torch

flags = "avx512f avx512_vnni"  # of lscpu, on a Xeon Silver 4214R
dtype = torch.bfloat16
in_hardware = "avx512_bf16" in flags or "amx_bf16" in flags
assert dtype is torch.float32 or in_hardware, "each product would be converted to float32 and back"
