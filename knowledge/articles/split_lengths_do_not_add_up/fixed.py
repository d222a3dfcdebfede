from torch.utils.data import random_split

dataset = list(range(101))
train, test = random_split(dataset, [0.8, 0.2])
assert len(train) + len(test) == 101
