import torch.distributed as dist

backend = "nccl" if dist.is_nccl_available() else "gloo"
dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
assert dist.get_world_size() == 1
