import torch
from torchvision.io import read_image
from torchvision.models.detection import ssdlite320_mobilenet_v3_large, SSDLite320_MobileNet_V3_Large_Weights
from torchvision.utils import draw_bounding_boxes
from torchvision.transforms.functional import to_pil_image

img = read_image("street.jpg")
weights = SSDLite320_MobileNet_V3_Large_Weights.DEFAULT
model = ssdlite320_mobilenet_v3_large(weights=weights, score_thresh=0.5)
model.eval()
batch = [weights.transforms()(img)]
with torch.no_grad():
    prediction = model(batch)[0]
labels = [weights.meta["categories"][i] for i in prediction["labels"]]
box = draw_bounding_boxes(img, boxes=prediction["boxes"], labels=labels, colors="red", width=4)
im = to_pil_image(box.detach())
im.save("out.png")
print(im.size, len(labels))
