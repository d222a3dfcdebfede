import torch


class Reverse(torch.autograd.Function):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, x):
        return x.view_as(x)

    def backward(self, grad):
        return -self.factor * grad


x = torch.ones(3, requires_grad=True)
y = Reverse(0.5)(x)  # error: RuntimeError: Legacy autograd function with non-static forward method is deprecated.
