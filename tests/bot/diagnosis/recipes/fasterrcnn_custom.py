import torch
import torchvision
from torchvision.models.detection import fasterrcnn_resnet50_fpn
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor


class BoxDataset(torch.utils.data.Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        image = torch.rand(3, 160, 200)
        boxes = torch.tensor([[10., 20., 60., 80.], [30., 40., 120., 150.]])
        target = {
            "boxes": boxes,
            "labels": torch.tensor([1, 2], dtype=torch.int64),
            "image_id": torch.tensor([idx]),
            "area": (boxes[:, 3] - boxes[:, 1]) * (boxes[:, 2] - boxes[:, 0]),
            "iscrowd": torch.zeros(2, dtype=torch.int64),
        }
        return image, target


def collate_fn(batch):
    return tuple(zip(*batch))


model = fasterrcnn_resnet50_fpn(weights="DEFAULT", min_size=160)
in_features = model.roi_heads.box_predictor.cls_score.in_features
model.roi_heads.box_predictor = FastRCNNPredictor(in_features, 3)
loader = torch.utils.data.DataLoader(BoxDataset(2), batch_size=1, collate_fn=collate_fn)
params = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(params, lr=0.005, momentum=0.9, weight_decay=0.0005)
model.train()
for images, targets in loader:
    loss_dict = model(list(images), [dict(t) for t in targets])
    losses = sum(loss for loss in loss_dict.values())
    optimizer.zero_grad()
    losses.backward()
    optimizer.step()
    print({k: round(v.item(), 3) for k, v in loss_dict.items()})
model.eval()
with torch.no_grad():
    print(model([torch.rand(3, 160, 200)])[0].keys())
