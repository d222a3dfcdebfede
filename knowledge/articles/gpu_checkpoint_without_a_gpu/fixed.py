import io

import torch

# As on a machine with a GPU: every tensor in the file is marked `cuda:0`.
torch.serialization.register_package(0, lambda storage: "cuda:0", lambda storage, place: None)
file = io.BytesIO()
torch.save(torch.nn.Linear(3, 2).state_dict(), file)

file.seek(0)
weights = torch.load(file, map_location="cpu")
assert weights["weight"].device.type == "cpu"
