import numpy as np
import torch

image = np.arange(6.0).reshape(2, 3)
torch.from_numpy(np.flip(image, axis=1).copy())
