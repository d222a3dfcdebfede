import resource

import torch
from torch.utils.data import DataLoader

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # a low `ulimit -n`
kept = []
loader = DataLoader(torch.arange(200.0), num_workers=1)
for batch in loader:  # error: RuntimeError: Too many open files. Communication with the workers is no longer possible.
    kept.append(batch)
