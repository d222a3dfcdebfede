from torch.utils.data import random_split

dataset = list(range(101))
sizes = [int(0.8 * len(dataset)), int(0.2 * len(dataset))]
train, test = random_split(dataset, sizes)  # error: ValueError: Sum of input lengths does not equal the length of the input dataset!
