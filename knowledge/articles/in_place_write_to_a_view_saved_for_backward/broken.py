import torch

images = torch.rand(3, 4, 4, requires_grad=True)
scaled = images.clone()
for c in range(3):
    channel = scaled[c]
    low, high = channel.min(), channel.max()
    channel[:] = (channel - low) / (high - low)

scaled.sum().backward()  # error: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [4, 4]], which is output 0 of AsStrided...
