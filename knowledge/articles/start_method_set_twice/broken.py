import torch.multiprocessing as mp

mp.set_start_method("fork", force=True)  # as a library did, or an earlier run of the cell
mp.set_start_method("spawn")  # error: RuntimeError: context has already been set
