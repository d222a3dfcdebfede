from torch import nn


class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(4, 2)  # error: AttributeError: cannot assign module before Module.__init__() call


Net()
