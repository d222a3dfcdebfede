import numpy as np
import torch

layer = torch.nn.Linear(3, 1)
data = torch.from_numpy(np.ones((2, 3))).float()
layer(data)
