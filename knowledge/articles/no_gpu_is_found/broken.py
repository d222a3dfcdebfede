import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as on a machine without a GPU

import torch

device = "cuda"
assert device == "cpu" or torch.cuda.is_available(), "no GPU is found here"
