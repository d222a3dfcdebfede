import torch
import torch.nn as nn
import torch.optim as optim
from PIL import Image
import torchvision.transforms as transforms
import torchvision.models as models
from torchvision.utils import save_image

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
imsize = 64
loader = transforms.Compose([transforms.Resize((imsize, imsize)), transforms.ToTensor()])


def load_image(image_name):
    image = Image.open(image_name)
    return loader(image).unsqueeze(0).to(device)


class VGG(nn.Module):
    def __init__(self):
        super(VGG, self).__init__()
        self.chosen_features = ["0", "5", "10", "19", "28"]
        self.model = models.vgg19(pretrained=True).features[:29]

    def forward(self, x):
        features = []
        for layer_num, layer in enumerate(self.model):
            x = layer(x)
            if str(layer_num) in self.chosen_features:
                features.append(x)
        return features


original_img = load_image("annahathaway.png")
style_img = load_image("style.jpg")
generated = original_img.clone().requires_grad_(True)
model = VGG().to(device).eval()
alpha, beta = 1, 0.01
optimizer = optim.Adam([generated], lr=0.001)
for step in range(3):
    generated_features = model(generated)
    original_features = model(original_img)
    style_features = model(style_img)
    style_loss = original_loss = 0
    for gen, orig, style in zip(generated_features, original_features, style_features):
        b, c, h, w = gen.shape
        original_loss += torch.mean((gen - orig) ** 2)
        G = gen.view(c, h * w).mm(gen.view(c, h * w).t())
        A = style.view(c, h * w).mm(style.view(c, h * w).t())
        style_loss += torch.mean((G - A) ** 2)
    total_loss = alpha * original_loss + beta * style_loss
    optimizer.zero_grad()
    total_loss.backward()
    optimizer.step()
print(total_loss.item())
save_image(generated, "generated.png")
