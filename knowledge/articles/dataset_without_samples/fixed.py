import tempfile
from pathlib import Path

import torch
from torch.utils.data import DataLoader

folder = Path(tempfile.mkdtemp())
(folder / "one.PNG").touch()
files = sorted(f for f in folder.iterdir() if f.suffix.lower() == ".png")
DataLoader(files, shuffle=True)
