from torch.utils.data import Subset

data, n_gpus = range(499), 8
parts = [Subset(data, range(rank, len(data), n_gpus)) for rank in range(n_gpus)]
assert sum(map(len, parts)) == len(data), "some samples are predicted twice"
