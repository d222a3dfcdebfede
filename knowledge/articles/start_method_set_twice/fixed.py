import torch.multiprocessing as mp

mp.set_start_method("fork", force=True)  # as a library did, or an earlier run of the cell
spawn = mp.get_context("spawn")
assert spawn.get_start_method() == "spawn"
