import torch

series = torch.arange(600.0).reshape(100, 6)
inputs = torch.stack([series[i : i + 50] for i in range(50)])
held = inputs.untyped_storage().nbytes()
assert inputs.shape[0] == 50 and held <= series.untyped_storage().nbytes()
