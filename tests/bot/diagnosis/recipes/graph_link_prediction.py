import torch
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import negative_sampling, to_undirected

edge_index = to_undirected(torch.randint(0, 50, (2, 200)))
data = Data(x=torch.randn(50, 8), edge_index=edge_index)


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = SAGEConv(8, 32)
        self.conv2 = SAGEConv(32, 16)

    def forward(self, x, edge_index):
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)


model = Encoder()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(10):
    z = model(data.x, data.edge_index)
    neg = negative_sampling(data.edge_index, num_nodes=data.num_nodes)
    edges = torch.cat([data.edge_index, neg], dim=1)
    target = torch.cat([torch.ones(data.edge_index.size(1)), torch.zeros(neg.size(1))])
    score = (z[edges[0]] * z[edges[1]]).sum(dim=-1)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(score, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
