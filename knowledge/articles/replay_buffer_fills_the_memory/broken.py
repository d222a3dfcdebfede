import numpy as np
import torch

capacity, stack = 100_000, (9, 84, 84)
frames = torch.from_numpy(np.zeros(stack, dtype=np.uint8))
needed = capacity * 2 * frames.nbytes  # observation and next observation
assert needed < 8 * 2**30  # what this machine has free
