import torch

x = torch.ones(2, device="cuda", requires_grad=True)
try:
    array = (x * 2).detach().cpu().numpy()
except (TypeError, RuntimeError):
    array = None
assert array is not None and array.tolist() == [2.0, 2.0], "it became no array"
