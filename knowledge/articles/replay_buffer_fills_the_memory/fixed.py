import numpy as np
import torch

capacity, frame = 100_000, (3, 84, 84)
frames = torch.from_numpy(np.zeros(frame, dtype=np.uint8))
needed = capacity * frames.nbytes  # each frame once, stacked when a batch is drawn
assert needed < 8 * 2**30
