import sys

import numpy as np

paths = np.array([f"images/{n}.png" for n in range(1000)])
before = sys.getrefcount(paths[7])
held = paths[7]
assert sys.getrefcount(paths[7]) == before, "reading an entry writes into it"
