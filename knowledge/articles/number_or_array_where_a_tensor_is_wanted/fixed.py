import numpy as np
import torch

layer = torch.nn.Linear(2, 1)
data = np.zeros((3, 2))
layer(torch.from_numpy(data).float())
