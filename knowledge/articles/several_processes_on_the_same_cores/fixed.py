import torch

cores, runs = 8, 4
torch.set_num_threads(cores // runs)
asked = runs * torch.get_num_threads()
assert asked <= cores, f"{asked} threads on {cores} cores"
