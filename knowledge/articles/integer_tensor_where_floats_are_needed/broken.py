import torch

scores = torch.tensor([3, 4, 8])
scores.mean()  # error: RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long
