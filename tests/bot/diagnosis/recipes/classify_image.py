import torch
from PIL import Image
from torchvision import models, transforms
from torchvision.models import resnet50, ResNet50_Weights
weights = ResNet50_Weights.DEFAULT
model = resnet50(weights=weights)
model.eval()
preprocess = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()])
img = Image.open("images/dog.jpg").convert("RGB")
batch = preprocess(img).unsqueeze(0)
with torch.no_grad():
    out = model(batch).softmax(1)
with open("imagenet_classes.txt") as f:
    classes = [line.strip() for line in f.readlines()]
p, i = out[0].topk(5)
for a, b in zip(p, i):
    print(classes[b], a.item())
