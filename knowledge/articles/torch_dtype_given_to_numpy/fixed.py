import numpy as np
import torch

array = np.zeros(3)
array.astype(np.float32)
