import numpy as np
import torch

layer = torch.nn.Linear(3, 1)
data = torch.from_numpy(np.ones((2, 3)))
layer(data)  # error: RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float
