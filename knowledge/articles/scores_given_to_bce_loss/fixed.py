import torch
from torch import nn

scores = nn.Linear(2, 1)(torch.full((4, 2), 50.0)) + 100
labels = torch.ones(4, 1)
nn.BCEWithLogitsLoss()(scores, labels)
