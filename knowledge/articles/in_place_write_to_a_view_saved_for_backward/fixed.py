import torch

images = torch.rand(3, 4, 4, requires_grad=True)
channels = []
for channel in images:
    low, high = channel.min(), channel.max()
    channels.append((channel - low) / (high - low))
scaled = torch.stack(channels)

scaled.sum().backward()
