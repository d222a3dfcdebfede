import torch.distributed as dist

if dist.get_rank() == 0:  # error: ValueError: Default process group has not been initialized, please make sure to call init_process_group.
    print("saving")
