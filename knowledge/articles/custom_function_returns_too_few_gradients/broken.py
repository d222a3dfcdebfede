import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor


x = torch.ones(2, requires_grad=True)
Scale.apply(x, 3).sum().backward()  # error: RuntimeError: function ScaleBackward returned an incorrect number of gradients (expected 2, got 1)
