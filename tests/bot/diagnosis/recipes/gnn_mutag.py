import torch
import torch.nn.functional as F
from torch_geometric.datasets import TUDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, global_mean_pool

dataset = TUDataset(root='data/TUDataset', name='MUTAG')
dataset = dataset.shuffle()
train_dataset, test_dataset = dataset[:150], dataset[150:]
train_loader = DataLoader(train_dataset, batch_size=64, shuffle=True)
test_loader = DataLoader(test_dataset, batch_size=64)


class GAT(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GATConv(dataset.num_node_features, 16, heads=2)
        self.conv2 = GATConv(32, 32)
        self.lin = torch.nn.Linear(32, dataset.num_classes)

    def forward(self, x, edge_index, batch):
        x = F.elu(self.conv1(x, edge_index))
        x = self.conv2(x, edge_index)
        return self.lin(global_mean_pool(x, batch))


model = GAT()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    for data in train_loader:
        out = model(data.x, data.edge_index, data.batch)
        loss = F.cross_entropy(out, data.y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
correct = sum(int((model(d.x, d.edge_index, d.batch).argmax(1) == d.y).sum()) for d in test_loader)
print(correct / len(test_dataset))
