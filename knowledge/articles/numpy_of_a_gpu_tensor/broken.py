import torch

model = torch.nn.Linear(3, 2).to("cuda")
scores = model(torch.ones(4, 3, device="cuda")).detach()
labels = scores.argmax(1).numpy()  # error: TypeError: can't convert cuda:0 device type tensor to numpy.
