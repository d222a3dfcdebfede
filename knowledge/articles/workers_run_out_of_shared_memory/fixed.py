import resource

import torch
from torch.utils.data import DataLoader

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # a low `ulimit -n`
kept = []
loader = DataLoader(torch.arange(200.0), num_workers=1)
for batch in loader:
    kept.append(batch.clone())
assert len(kept) == 200
