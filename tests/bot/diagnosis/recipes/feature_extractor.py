import torch
from torchvision.models import resnet50, ResNet50_Weights
from torchvision.models.feature_extraction import create_feature_extractor, get_graph_node_names

model = resnet50(weights=ResNet50_Weights.IMAGENET1K_V2)
train_nodes, eval_nodes = get_graph_node_names(model)
extractor = create_feature_extractor(model, return_nodes={"layer2": "mid", "layer4": "deep", "flatten": "vec"})
extractor.eval()
with torch.no_grad():
    out = extractor(torch.randn(2, 3, 160, 160))
for name, value in out.items():
    print(name, tuple(value.shape))
activation = {}


def get_activation(name):
    def hook(module, inputs, output):
        activation[name] = output.detach()
    return hook


handle = model.layer3[0].conv2.register_forward_hook(get_activation("conv2"))
model(torch.randn(2, 3, 64, 64))
handle.remove()
print(activation["conv2"].shape)
