import torch

small = torch.full((4,), 1e-30)
product = small * 1e-10
assert ((product == 0) | (product.abs() > 1.2e-38)).all(), "denormal numbers go on being computed with"
