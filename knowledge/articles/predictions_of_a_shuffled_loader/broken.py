import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.arange(100) % 5
dataset = TensorDataset(labels.float(), labels)
loader = DataLoader(dataset, batch_size=10, shuffle=True)
predicted = torch.cat([x.long() for x, _ in loader])
assert torch.equal(predicted, labels)
