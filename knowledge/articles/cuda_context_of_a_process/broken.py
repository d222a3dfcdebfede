import multiprocessing as mp

import torch


def predict(x):
    return (x * 2).tolist()


ended = False
result = predict(torch.ones(2))  # in this very process, whose context stays
assert ended and result == [2.0, 2.0], "what the device holds for this process is still there"
