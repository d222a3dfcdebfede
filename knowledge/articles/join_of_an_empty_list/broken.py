import torch

boxes = [torch.rand(1, 4), torch.rand(1, 4)]
found = [box for box in boxes if box.sum() > 100]
joined = torch.cat(found)  # error: ValueError: torch.cat(): expected a non-empty list of Tensors
