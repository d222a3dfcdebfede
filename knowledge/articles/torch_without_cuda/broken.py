import torch

model = torch.nn.Linear(4, 2)
model.cuda()  # error: AssertionError: Torch not compiled with CUDA enabled
