import torch

outputs = torch.tensor([[0.1, 2.0, -1.0]])
predicted, _ = torch.max(outputs, 1)  # the scores, not their places
assert predicted.tolist() == [1], f"the predicted class is {predicted.tolist()}"
