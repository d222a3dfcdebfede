import matplotlib.pyplot as plt
import torch

image = torch.rand(3, 28, 28)
plt.imshow(image.permute(1, 2, 0))
