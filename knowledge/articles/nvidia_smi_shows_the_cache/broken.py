import gc
import weakref

import torch
from torch import nn

model = nn.Linear(100, 100)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
watched = weakref.ref(model.weight)
del model
gc.collect()
assert watched() is None, "the optimizer still holds the weights"
