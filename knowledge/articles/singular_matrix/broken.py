import torch

x = torch.tensor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
y = torch.tensor([[1.0], [2.0], [3.0]])
w = torch.linalg.inv(x.T @ x) @ x.T @ y  # error: _LinAlgError: linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because the input matrix is singular.
