import numpy as np

np.save("x.npy", np.zeros((1000, 100), dtype=np.float32))
x = np.load("x.npy")
assert isinstance(x, np.memmap), "all of it was read"
