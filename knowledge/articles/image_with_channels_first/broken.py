import matplotlib.pyplot as plt
import torch

image = torch.rand(3, 28, 28)
plt.imshow(image)  # error: TypeError: Invalid shape (3, 28, 28) for image data
