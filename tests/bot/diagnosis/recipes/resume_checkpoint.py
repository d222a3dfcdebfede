import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(20, 2)
    def forward(self, x):
        return self.fc(x)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
checkpoint = torch.load("checkpoints/model_best.pth.tar", map_location="cpu")
state = {k.replace("module.", ""): v for k, v in checkpoint["state_dict"].items()}
model.load_state_dict(state)
optimizer.load_state_dict(checkpoint["optimizer"])
start_epoch = checkpoint["epoch"] + 1
print("resuming at", start_epoch, checkpoint["best_acc"])
model.eval()
print(model(torch.randn(3, 20)).shape)
