import numpy as np
import torch

array = np.arange(6.0).reshape(2, 3)
torch.from_numpy(np.flip(array, axis=1))  # error: ValueError: At least one stride in the given numpy array is negative
