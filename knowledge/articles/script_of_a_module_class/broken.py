import torch


@torch.jit.script  # error: RuntimeError: Type '<class '__main__.Net'>' cannot be compiled since it inherits from nn.Module, pass an instance instead
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


net = Net()
net(torch.ones(2))
