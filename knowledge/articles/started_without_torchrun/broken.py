import os

import torch

local_rank = int(os.environ["LOCAL_RANK"])  # error: KeyError: 'LOCAL_RANK'
weights = torch.zeros(3)
