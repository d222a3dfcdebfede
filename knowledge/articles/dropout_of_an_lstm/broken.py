import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
lstm = nn.LSTM(4, 8, num_layers=1, dropout=0.5)
x = torch.randn(5, 1, 4)
assert not torch.equal(lstm(x)[0], lstm(x)[0]), "no value was dropped"
