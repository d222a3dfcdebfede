import torch
from torch import nn
from torch.autograd import Variable

model = nn.Linear(3, 2)
images = Variable(torch.ones(4, 3), volatile=True)
scores = model(images)
assert not scores.requires_grad
