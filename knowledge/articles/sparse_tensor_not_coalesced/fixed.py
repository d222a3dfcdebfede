import torch

positions = torch.tensor([[0, 0, 2], [1, 1, 0]])
grid = torch.sparse_coo_tensor(positions, torch.ones(3), (3, 3)).coalesce()
print(grid.values())
