import multiprocessing as mp

import torch


def predict(x, answers):
    answers.put((x * 2).tolist())


context = mp.get_context("fork")  # "spawn" where CUDA is used
answers = context.Queue()
worker = context.Process(target=predict, args=(torch.ones(2), answers))
worker.start()
result = answers.get()
worker.join()
ended = worker.exitcode == 0
assert ended and result == [2.0, 2.0], "what the device holds for this process is still there"
