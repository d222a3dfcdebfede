import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as on a machine without a GPU

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
assert device == "cpu" or torch.cuda.is_available(), "no GPU is found here"
