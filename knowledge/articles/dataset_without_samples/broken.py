import tempfile
from pathlib import Path

import torch
from torch.utils.data import DataLoader

folder = Path(tempfile.mkdtemp())
(folder / "one.PNG").touch()
files = sorted(folder.glob("*.png"))
DataLoader(files, shuffle=True)  # error: ValueError: num_samples should be a positive integer value, but got num_samples=0
