import numpy as np
import torch

pixels = np.array([[-3, 0, 7]], dtype=np.int32)
torch.relu_(pixels)  # error: TypeError: relu_(): argument 'input' (position 1) must be Tensor, not numpy.ndarray
