import cv2
import numpy as np
import torch
import torch.nn.functional as F
from torchvision import models, transforms

model = models.resnet18(pretrained=True)
model.eval()
features, gradients = [], []
model.layer4.register_forward_hook(lambda m, i, o: features.append(o))
model.layer4.register_full_backward_hook(lambda m, gi, go: gradients.append(go[0]))

img = cv2.imread("cat_dog.png")
img = cv2.cvtColor(img, cv2.COLOR_BGR2RGB)
img = cv2.resize(img, (224, 224))
tensor = transforms.Compose([
    transforms.ToTensor(),
    transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])(img).unsqueeze(0)
scores = model(tensor)
scores[0, scores.argmax()].backward()
weights = gradients[0].mean(dim=(2, 3), keepdim=True)
cam = F.relu((weights * features[0]).sum(dim=1)).squeeze().detach().numpy()
cam = cv2.resize(cam / (cam.max() + 1e-8), (224, 224))
heatmap = cv2.applyColorMap(np.uint8(255 * cam), cv2.COLORMAP_JET)
cv2.imwrite("cam.jpg", np.uint8(0.4 * heatmap + 0.6 * img[:, :, ::-1]))
print(cam.shape)
