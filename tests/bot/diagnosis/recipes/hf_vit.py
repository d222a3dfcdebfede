import torch
from PIL import Image
from transformers import ViTForImageClassification, ViTImageProcessor

processor = ViTImageProcessor.from_pretrained("google/vit-base-patch16-224")
model = ViTForImageClassification.from_pretrained("google/vit-base-patch16-224")
image = Image.open("000000039769.jpg")
inputs = processor(images=image, return_tensors="pt")
with torch.no_grad():
    logits = model(**inputs).logits
predicted = logits.argmax(-1).item()
print("Predicted class:", model.config.id2label[predicted], logits.shape)
