import torch
from einops import rearrange, repeat
from einops.layers.torch import Rearrange
from torch import nn


class ViT(nn.Module):
    def __init__(self, image_size=32, patch=8, dim=64, depth=2, heads=4, classes=10):
        super().__init__()
        self.to_patch = nn.Sequential(
            Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch, p2=patch),
            nn.Linear(patch * patch * 3, dim))
        self.pos = nn.Parameter(torch.randn(1, (image_size // patch) ** 2 + 1, dim))
        self.cls = nn.Parameter(torch.randn(1, 1, dim))
        layer = nn.TransformerEncoderLayer(dim, heads, dim * 2, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth)
        self.head = nn.Linear(dim, classes)

    def forward(self, img):
        x = self.to_patch(img)
        cls = repeat(self.cls, "1 1 d -> b 1 d", b=x.shape[0])
        x = torch.cat((cls, x), dim=1) + self.pos
        return self.head(self.encoder(x)[:, 0])


model = ViT()
img = torch.randn(4, 3, 32, 32)
print(model(img).shape, rearrange(img, "b c h w -> b (c h w)").shape)
