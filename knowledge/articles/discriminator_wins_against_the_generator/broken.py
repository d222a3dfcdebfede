import torch
import torch.nn.functional as F

score = torch.tensor([-15.0], requires_grad=True)  # the discriminator is sure that it is a fake
loss = torch.log(1 - torch.sigmoid(score)).mean()
loss.backward()
assert score.grad.abs() > 0.1, "no gradient for the generator"
