import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        x, factor = ctx.saved_tensors
        return grad * factor, None


x = torch.ones(2, requires_grad=True)
Scale.apply(x, 3).sum().backward()  # error: TypeError: save_for_backward can only save variables, but argument 1 is of type int
