import torch

x = torch.rand(4, 3).half()
u, s, v = torch.linalg.svd(x)  # error: NotImplementedError: "linalg_svd_cpu" not implemented for 'Half'
