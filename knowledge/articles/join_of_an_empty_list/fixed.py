import torch

boxes = [torch.rand(1, 4), torch.rand(1, 4)]
found = [box for box in boxes if box.sum() > 100]
joined = torch.cat(found) if found else torch.empty(0, 4)
