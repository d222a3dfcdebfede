import torch

net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3, verbose=True)  # error: TypeError: ReduceLROnPlateau.__init__() got an unexpected keyword argument 'verbose'
