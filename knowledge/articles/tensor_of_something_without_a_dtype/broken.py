import torch

temperatures = [21.5, None, 19.0]
values = torch.tensor(temperatures)  # error: RuntimeError: Could not infer dtype of NoneType
