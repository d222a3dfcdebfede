import timm
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, model_name="resnet18", pretrained=True, num_classes=5):
        super().__init__()
        self.backbone = timm.create_model(model_name, pretrained=pretrained, num_classes=0, global_pool="avg")
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(self.backbone.num_features, num_classes))

    def forward(self, x):
        return self.head(self.backbone(x))


model = Model()
x = torch.randn(2, 3, 96, 96)
print(model(x).shape)
features = timm.create_model("resnet18", features_only=True, pretrained=True)
for f in features(x):
    print(f.shape)
