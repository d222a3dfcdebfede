import torch
from torch.utils.data import DataLoader

orders = []
for layers in (1, 2):  # the second run has one more layer
    torch.manual_seed(0)
    model = [torch.nn.Linear(4, 4) for _ in range(layers)]
    orders.append(torch.cat(list(DataLoader(torch.arange(10), 5, shuffle=True))))
assert torch.equal(orders[0], orders[1]), "the order depends on what was drawn before"
