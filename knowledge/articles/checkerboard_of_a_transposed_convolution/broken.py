import torch

terms = torch.nn.functional.conv_transpose1d(torch.ones(1, 1, 8), torch.ones(1, 1, 3), stride=2)
inner = terms[0, 0, 3:-3]
assert inner.min() == inner.max(), "some outputs add up more terms than others"
