import numpy as np
import torch

mask = np.array([[0, 1], [1, 2]], dtype=np.uint8)
label = torch.from_numpy(mask).long()
assert label.max() == 2
