from torch.utils.data import DataLoader, Dataset, get_worker_info


class Where(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return float(get_worker_info() is not None)


in_a_worker = next(iter(DataLoader(Where(), batch_size=2, num_workers=1)))
assert in_a_worker.all()
