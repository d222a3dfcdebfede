import torch

torch.manual_seed(0)
first = torch.rand(3, device="cuda")
torch.manual_seed(0)
second = torch.rand(3, device="cuda")
assert torch.equal(first.cpu(), second.cpu()), "the GPU's numbers are not the same again"
