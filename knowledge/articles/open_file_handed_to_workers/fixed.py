import pickle
from pathlib import Path


class Data:
    def __init__(self, path):
        self.path, self.file = path, None


Path("data.bin").write_bytes(b"abc")
data = Data("data.bin")
try:
    sent = pickle.dumps(data)
except TypeError:
    sent = None
assert sent is not None, "an open file cannot be sent to a worker"
