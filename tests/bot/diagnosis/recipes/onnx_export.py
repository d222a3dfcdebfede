import numpy as np
import onnx
import torch
import torchvision

model = torchvision.models.resnet18(weights="DEFAULT")
model.eval()
dummy_input = torch.randn(1, 3, 224, 224)
torch.onnx.export(model, dummy_input, "resnet18.onnx", input_names=["input"], output_names=["output"],
                  dynamic_axes={"input": {0: "batch"}, "output": {0: "batch"}}, dynamo=False)
onnx_model = onnx.load("resnet18.onnx")
onnx.checker.check_model(onnx_model)
print([n.name for n in onnx_model.graph.input], np.prod(dummy_input.shape))
