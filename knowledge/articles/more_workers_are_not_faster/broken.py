import os

from torch.utils.data import DataLoader


class Data:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return os.getpid()


loader = DataLoader(Data(), num_workers=1)
first, second = ({int(pid) for pid in loader} for _ in range(2))
assert first == second, "the workers were started anew for the second epoch"
