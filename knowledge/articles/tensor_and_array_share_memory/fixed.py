import numpy as np
import torch

array = np.zeros(3)
x = torch.tensor(array)
array += 1
assert (x == 0).all()
