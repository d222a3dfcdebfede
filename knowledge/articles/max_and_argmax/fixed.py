import torch

outputs = torch.tensor([[0.1, 2.0, -1.0]])
_, predicted = torch.max(outputs, 1)
assert predicted.tolist() == [1], f"the predicted class is {predicted.tolist()}"
