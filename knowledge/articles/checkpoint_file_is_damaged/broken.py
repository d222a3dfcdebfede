import io

import torch

whole = io.BytesIO()
torch.save({"weight": torch.ones(100)}, whole)
half = io.BytesIO(whole.getvalue()[:600])  # as a download that stopped
weights = torch.load(half)  # error: RuntimeError: PytorchStreamReader failed reading zip archive
