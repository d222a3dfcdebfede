import torch.distributed as dist

rank = dist.get_rank() if dist.is_initialized() else 0
if rank == 0:
    print("saving")
