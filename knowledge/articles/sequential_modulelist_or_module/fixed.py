from torch import nn


class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))


assert len(list(Net([8, 16, 2]).parameters())) == 4, "two weights and two biases"
