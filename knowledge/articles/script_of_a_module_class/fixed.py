import torch


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


net = torch.jit.script(Net())
net(torch.ones(2))
