import io

import torch

whole = io.BytesIO()
torch.save({"weight": torch.ones(100)}, whole)
whole.seek(0)
weights = torch.load(whole)
assert weights["weight"].sum() == 100
