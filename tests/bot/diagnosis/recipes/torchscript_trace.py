import torch
import torchvision
from torchinfo import summary

model = torchvision.models.mobilenet_v3_small(pretrained=True).eval()
example = torch.rand(1, 3, 224, 224)
traced = torch.jit.trace(model, example)
traced.save("mobilenet.pt")
loaded = torch.jit.load("mobilenet.pt")
with torch.no_grad():
    print(torch.allclose(model(example), loaded(example), atol=1e-5))
summary(model, input_size=(1, 3, 224, 224), verbose=1, depth=2)
