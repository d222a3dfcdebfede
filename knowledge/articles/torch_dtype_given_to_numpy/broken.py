import numpy as np
import torch

array = np.zeros(3)
array.astype(torch.float32)  # error: TypeError: Cannot interpret 'torch.float32' as a data type
