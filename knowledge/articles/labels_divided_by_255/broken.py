import numpy as np
import torch

mask = np.array([[0, 1], [1, 2]], dtype=np.uint8)
label = torch.from_numpy(mask).float().div(255)  # what ToTensor does with bytes
assert label.max() == 2  # the class numbers are still class numbers
