import torch
from torch import nn

torch.manual_seed(0)
trained = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)).eval()
x = torch.randn(8, 4)
wanted = trained(x)
loaded = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
loaded.load_state_dict(trained.state_dict())
loaded.eval()
assert torch.equal(loaded(x), wanted)
