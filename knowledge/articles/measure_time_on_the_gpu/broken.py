import time
from concurrent.futures import ThreadPoolExecutor

queue = ThreadPoolExecutor(1)  # as a GPU's queue: a call returns at once
start = time.perf_counter()
work = queue.submit(time.sleep, 0.2)
seconds = time.perf_counter() - start
work.result()
assert seconds > 0.19, "only putting it into the queue was timed"
