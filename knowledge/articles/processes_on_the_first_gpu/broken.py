import io

import torch

saved = io.BytesIO()
torch.save({"weight": torch.ones(2, device="cuda")}, saved)  # by rank 0
saved.seek(0)
checkpoint = torch.load(saved)  # by every rank
device = checkpoint["weight"].device
assert device.type == "cpu", f"each rank that loads it has tensors on {device}"
