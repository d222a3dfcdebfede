import torch

weights = torch.tensor([0.0, 1.0], requires_grad=True)
y = weights.exp()
y.add_(1)
y.sum().backward()  # error: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected version 0 instead
