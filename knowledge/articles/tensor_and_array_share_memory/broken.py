import numpy as np
import torch

array = np.zeros(3)
x = torch.from_numpy(array)
array += 1
assert (x == 0).all()
