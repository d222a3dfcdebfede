import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.arange(100) % 5
dataset = TensorDataset(labels.float(), labels)
loader = DataLoader(dataset, batch_size=10, shuffle=True)
pairs = list(loader)
predicted = torch.cat([x.long() for x, _ in pairs])
labels = torch.cat([y for _, y in pairs])
assert torch.equal(predicted, labels)
