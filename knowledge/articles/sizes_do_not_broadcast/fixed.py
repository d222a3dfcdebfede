import torch

features = torch.randn(8, 5)
weight_per_sample = torch.rand(8)
weighted = features * weight_per_sample.unsqueeze(1)
assert torch.equal(weighted[3], features[3] * weight_per_sample[3])
