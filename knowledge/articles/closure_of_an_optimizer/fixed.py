import torch

w = torch.nn.Parameter(torch.tensor([5.0]))
optimizer = torch.optim.LBFGS([w], lr=1.0)


def closure():
    optimizer.zero_grad()
    loss = ((w - 2) ** 2).sum()
    loss.backward()
    return loss


optimizer.step(closure)
assert abs(w.item() - 2) < 1e-3, f"w is {w.item():.3f}"
