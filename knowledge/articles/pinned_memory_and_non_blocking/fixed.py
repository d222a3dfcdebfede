import torch

batch = torch.ones(64, 3).pin_memory()
copied = batch.to("cuda", non_blocking=True)
assert batch.is_pinned() and copied.is_cuda, "the batch is not in pinned memory: its copy cannot run beside the program"
