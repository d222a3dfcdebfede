import torch

temperatures = [21.5, None, 19.0]
values = torch.tensor([float("nan") if t is None else t for t in temperatures])
