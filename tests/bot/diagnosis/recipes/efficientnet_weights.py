import torch
from PIL import Image
from torchvision.models import efficientnet_b0, EfficientNet_B0_Weights

weights = EfficientNet_B0_Weights.DEFAULT
model = efficientnet_b0(weights=weights)
model.eval()
preprocess = weights.transforms()
img = Image.open("test.jpg").convert("RGB")
batch = preprocess(img).unsqueeze(0)
with torch.no_grad():
    prediction = model(batch).squeeze(0).softmax(0)
class_id = prediction.argmax().item()
category_name = weights.meta["categories"][class_id]
print(f"{category_name}: {100 * prediction[class_id].item():.1f}%")
