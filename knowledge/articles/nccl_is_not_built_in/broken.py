import torch.distributed as dist

dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)  # error: RuntimeError: Distributed package doesn't have NCCL built in
