from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Numbers(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        yield from range(first, 6, step)


seen = [int(n) for n in DataLoader(Numbers(), batch_size=None, num_workers=2)]
assert sorted(seen) == list(range(6)), "samples come several times"
