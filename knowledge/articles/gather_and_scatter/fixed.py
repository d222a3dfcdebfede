import torch

scores = torch.tensor([[0.1, 0.9], [0.8, 0.2]])
best = scores.argmax(dim=1, keepdim=True)  # shape (2, 1)
marks = torch.zeros(2, 2).scatter_(1, best, 1.0)  # it writes 1 at these places
assert marks.tolist() == [[0.0, 1.0], [1.0, 0.0]], "the best place of each row is not marked"
