import torch


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.factor * grad, None


x = torch.ones(3, requires_grad=True)
y = Reverse.apply(x, 0.5)
y.sum().backward()
assert x.grad.tolist() == [-0.5, -0.5, -0.5]
