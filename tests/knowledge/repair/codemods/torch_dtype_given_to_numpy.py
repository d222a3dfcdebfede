"""Bytes that come back, zeros like a tensor, a cast; and a dtype that NumPy has not."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

BYTES = """\
import numpy as np
import torch
t = torch.arange(4.0, requires_grad=True)
raw = t.detach().numpy().tobytes()
back = np.frombuffer(raw, dtype=t.dtype)   # as it was
print(back)
"""

LIKE = """\
import numpy as np
import torch
mask = torch.tensor([1, 0], dtype=torch.uint8)
kind = mask.dtype
empty = np.zeros(3, dtype=kind)
print(empty, kind)
"""

CAST = """\
import numpy
import torch
table = numpy.arange(3)
x = torch.from_numpy(table.astype(torch.float32))   # measured
print(x.dtype)
"""

BRAIN = """\
import numpy as np
import torch
t = torch.ones(2, dtype=torch.bfloat16)
print(np.zeros(2, dtype=t.dtype))
"""

SETTING = """\
import numpy as np
import torch
settings = {"dtype": torch.float32}
print(np.ones(2, dtype=settings["dtype"]))
"""

CASES = Cases(
    mended={
        "bytes": (BYTES, "np.frombuffer(raw, dtype=t.detach().numpy().dtype)   # as it was"),
        "like a tensor": (LIKE, "empty = np.zeros(3, dtype=mask.numpy().dtype)"),
        "a cast": (CAST, "table.astype(numpy.float32))   # measured"),
    },
    refused={"bfloat16": BRAIN, "from a setting": SETTING},
    wrong={
        "something else": ("bytes", swap("np.frombuffer(raw, dtype=t.dtype)", "np.ones(4)")),
        "zeros instead": ("a cast", swap("table.astype(torch.float32)", "numpy.zeros(3)")),
        "leave it out": ("like a tensor", delete("empty = np.zeros(3, dtype=kind)")),
        "swallow": (
            "a cast",
            swallow("x = torch.from_numpy(table.astype(torch.float32))   # measured"),
        ),
    },
)
