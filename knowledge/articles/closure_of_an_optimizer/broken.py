import torch

w = torch.nn.Parameter(torch.tensor([5.0]))
optimizer = torch.optim.LBFGS([w], lr=1.0)
loss = ((w - 2) ** 2).sum()
loss.backward()
optimizer.step(lambda: loss)  # it asks again and again, and gets the first loss each time
assert abs(w.item() - 2) < 1e-3, f"w is {w.item():.3f}"
