import numpy as np
import torch

layer = torch.nn.Linear(2, 1)
data = np.zeros((3, 2))
layer(data)  # error: TypeError: linear(): argument 'input' (position 1) must be Tensor, not numpy.ndarray
