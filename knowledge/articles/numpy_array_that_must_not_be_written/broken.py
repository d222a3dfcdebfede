import warnings

import numpy as np
import torch

warnings.simplefilter("error")  # to stop where it is told
array = np.frombuffer(b"abc", dtype=np.uint8)
x = torch.from_numpy(array)  # error: UserWarning: The given NumPy array is not writable, and PyTorch does not support non-writable tensors.
