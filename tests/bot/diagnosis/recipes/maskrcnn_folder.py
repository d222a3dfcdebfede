import os
import torch
from torchvision.io import read_image
from torchvision.ops.boxes import masks_to_boxes
from torchvision import tv_tensors
from torchvision.transforms.v2 import functional as F
import torchvision
from torchvision.models.detection.mask_rcnn import MaskRCNNPredictor
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor


class PennFudanDataset(torch.utils.data.Dataset):
    def __init__(self, root):
        self.root = root
        self.imgs = list(sorted(os.listdir(os.path.join(root, "PNGImages"))))
        self.masks = list(sorted(os.listdir(os.path.join(root, "PedMasks"))))

    def __getitem__(self, idx):
        img = read_image(os.path.join(self.root, "PNGImages", self.imgs[idx]))
        mask = read_image(os.path.join(self.root, "PedMasks", self.masks[idx]))
        obj_ids = torch.unique(mask)[1:]
        masks = (mask == obj_ids[:, None, None]).to(dtype=torch.uint8)
        boxes = masks_to_boxes(masks)
        img = tv_tensors.Image(img)
        target = {
            "boxes": tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=F.get_size(img)),
            "masks": tv_tensors.Mask(masks),
            "labels": torch.ones((len(obj_ids),), dtype=torch.int64),
            "image_id": idx,
        }
        return img / 255, target

    def __len__(self):
        return len(self.imgs)


model = torchvision.models.detection.maskrcnn_resnet50_fpn(weights="DEFAULT", min_size=128)
in_features = model.roi_heads.box_predictor.cls_score.in_features
model.roi_heads.box_predictor = FastRCNNPredictor(in_features, 2)
in_features_mask = model.roi_heads.mask_predictor.conv5_mask.in_channels
model.roi_heads.mask_predictor = MaskRCNNPredictor(in_features_mask, 256, 2)
dataset = PennFudanDataset("data/PennFudanPed")
loader = torch.utils.data.DataLoader(dataset, batch_size=1, collate_fn=lambda b: tuple(zip(*b)))
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.005)
images, targets = next(iter(loader))
model.train()
loss = sum(model(list(images), list(targets)).values())
loss.backward()
optimizer.step()
print(loss.item())
