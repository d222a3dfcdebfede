import torch
from torch.utils.data import DataLoader

# `spawn` is how Windows and macOS start a worker.
loader = DataLoader(
    torch.arange(4.0),
    num_workers=1,
    multiprocessing_context="spawn",
    collate_fn=lambda rows: torch.stack(rows),
)
batches = list(loader)  # error: PicklingError: Can't pickle <function <lambda> at 0x7f66c6a86520>: attribute lookup <lambda> on __main__ failed
