import numpy as np
import torch

pixels = torch.from_numpy(np.array([[-3, 0, 7]], dtype=np.int32))
torch.relu_(pixels)

assert pixels.tolist() == [[0, 0, 7]]
assert pixels.dtype == torch.int32  # no cast to float was needed
