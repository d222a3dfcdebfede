import torch

weights = torch.tensor([1 / 900] * 900 + [1 / 100] * 100).double()
shares = []
for rank in range(2):
    same = torch.Generator().manual_seed(0)
    order = torch.multinomial(weights, 1000, replacement=True, generator=same)
    shares.append(order[rank::2].tolist())
assert abs(sum(i >= 900 for i in sum(shares, [])) / 1000 - 0.5) < 0.06
assert shares[0] != shares[1], "each process has a share of its own"
