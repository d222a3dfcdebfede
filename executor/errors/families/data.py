"""Dataset and DataLoader: their protocol, their workers."""

from executor.errors.around import IN_A_CONTAINER
from executor.errors.family import ErrorFamily, Sentence, Suspect

_LOADER = "from torch.utils.data import DataLoader, Dataset\n"

# That it comes with the GPU alone, or that the CPU alone is fine.
_ONLY_ON_GPU = (
    r"\b(?:only|just)\b[^.?!\n]{0,40}\b(?:GPU|cuda)\b|\b(?:GPU|cuda)\b[^.?!\n]{0,20}\bonly\b"
    r"|\b(?:on|with|using) (?:the )?CPU\b[^.?!\n]{0,40}\b(?:works?|fine|runs?|ok|no error)\b"
    r"|\b(?:works?|fine|runs?|ok)\b[^.?!\n]{0,60}\b(?:on|with|using) (?:the )?CPU\b"
)

# That the machine's own memory fills up as it runs.
_GROWS = (
    r"\b(?:memory|ram)\b[^.?!\n]{0,40}\b(?:grow|increas|ris(?:es|ing)|climb|leak|fills? up)"
    r"|\b(?:grow|increas|ris|leak)\w* [^.?!\n]{0,20}\b(?:memory|ram)\b"
    r"|内存[^。？\n]{0,12}(?:涨|增|升|泄)"
)

# What the thread of torch 1.7 says where the workers are asked to begin again.
_RESET = r"not enough values to unpack \(expected 2, got 0\)"

FAMILIES = (
    ErrorFamily(
        id="worker_error",
        says="An error came up in a worker process of a DataLoader.",
        means=(
            (
                "An error came up in worker process {worker} of a DataLoader; the real "
                "error ({type}) stands at the end of the message"
            ),
        ),
        remedy=("Set num_workers=0 to see it where it happens",),
        types=("RuntimeError", "TypeError", "ValueError", "IndexError", "KeyError"),
        today=(
            r"Caught (?P<type>\w+) in DataLoader worker process (?P<worker>\d+)\.\s+Original "
            r"Traceback",
        ),
        values={"type": "of the error in the worker", "worker": "number of the process"},
        sample=(
            f"{_LOADER}\n"
            "class Broken(Dataset):\n    def __len__(self):\n        return 2\n\n    def "
            "__getitem__(self, i):\n        raise "
            "ValueError('broken')\n\nnext(iter(DataLoader(Broken(), num_workers=1)))"
        ),
        breadth=18,
    ),
    ErrorFamily(
        id="pinning_thread_died",
        says="The thread of a DataLoader that copies batches into pinned memory ended.",
        means=(
            *(
                Sentence(
                    "The thread that copies batches into pinned memory got a message that it does "
                    "not know, as the second epoch began: a bug of torch 1.7 where "
                    "persistent_workers=True and pin_memory=True come together. The data set and "
                    "the memory play no part",
                    {where: _RESET},
                )
                for where in ("above", "words")
            ),
            "The thread that copies batches into pinned memory ended, by an error of its own, "
            "which is printed above this one (`Exception in thread`)",
        ),
        remedy=(
            *(
                Sentence(
                    "Upgrade torch: 1.8 and later have it mended. Until then `pin_memory=False`, "
                    "which makes copies to the GPU a little slower, or persistent_workers=False, "
                    "by which the workers start anew in each epoch",
                    {where: _RESET},
                )
                for where in ("above", "words")
            ),
            "Read the error above it, which says what could not be copied; `pin_memory=False` does "
            "without the thread. An object of a class of one's own in a batch is copied by its "
            "method `pin_memory`. Where the main program was ended meanwhile, it is a consequence",
        ),
        suspects=(Suspect(r"DataLoader", "", {"pin_memory": "True"}),),
        types=("RuntimeError",),
        today=(r"Pin memory thread exited unexpectedly",),
        needs="a GPU, and a batch that cannot be pinned",
        examples=("RuntimeError: Pin memory thread exited unexpectedly",),
    ),
    ErrorFamily(
        id="worker_died",
        says="A worker process of a DataLoader ended.",
        values={
            "how": "name of the signal, such as Killed",
            "exit_code": "with which it ended by itself",
        },
        means=(
            Sentence(
                "A worker process of a DataLoader was killed from outside ({how}): the system "
                "does that when memory runs out",
                {"how": r"Killed"},
            ),
            Sentence(
                "A worker process of a DataLoader was ended by a bus error | it ran out of shared "
                "memory, through which workers hand over their batches: a container has 64 MB of "
                "it unless it is given more, however much memory the machine has free",
                {"how": r"Bus error", "words": IN_A_CONTAINER},
            ),
            Sentence(
                "A worker process of a DataLoader was ended by a bus error | it ran out of shared "
                "memory, or a file that it maps is shorter than it was",
                {"how": r"Bus error"},
            ),
            Sentence(
                "A worker process of a DataLoader was ended from outside ({how})",
                {"how": r"Terminated|Interrupt|Hangup"},
            ),
            Sentence(
                "A worker process of a DataLoader was ended at an instruction that this processor "
                "does not have | a library that was built for a newer one",
                {"how": r"Illegal instruction"},
            ),
            Sentence(
                "A worker process of a DataLoader crashed ({how}) | a library's own code, such "
                "as one that reads images",
                {"how": r".+"},
            ),
            Sentence(
                "A worker process of a DataLoader ended by itself, with the exit code {exit_code}, "
                "which Python gives after an error of its own: that one's traceback would stand in "
                "the terminal, above this message (of a notebook, in its server's)",
                {"exit_code": r"1"},
            ),
            (
                "A worker process of a DataLoader ended by itself before it gave its batch | it "
                "crashed, could not start, or its memory ran out"
            ),
        ),
        remedy=(
            Sentence(
                "Use fewer workers or smaller samples, and look whether the dataset keeps more "
                "with each epoch",
                {"how": r"Killed"},
            ),
            Sentence(
                "Give the container more: `docker run --shm-size=8g …` or `--ipc=host` (in "
                "Kubernetes an `emptyDir` with `medium: Memory` at /dev/shm); inside of it `df -h "
                "/dev/shm` shows the size. Where that cannot be changed: fewer workers, or "
                "num_workers=0",
                {"how": r"Bus error", "words": IN_A_CONTAINER},
            ),
            Sentence(
                "`df -h /dev/shm` shows its size: if that is small (64M in a container that was "
                "given no more), or full while the program runs, give it more (Docker's "
                "`--shm-size=8g` or `--ipc=host`), or use fewer workers. If it is large and has "
                "room while it runs, it is a file that is mapped (LMDB, a memmap, an archive): "
                "read it whole once, and make or copy it anew where that fails or the disk was "
                "full",
                {"how": r"Bus error"},
            ),
            Sentence(
                "Look for what ended it: a scheduler whose time or memory was used up, a key that "
                "was pressed, or an error of the main process, which stands above this one",
                {"how": r"Terminated|Interrupt|Hangup"},
            ),
            Sentence(
                "Run with num_workers=0 and `python -X faulthandler`, which shows the line. If it "
                "runs then, a library in the dataset does not go together with forked processes "
                "(`cv2.setNumThreads(0)` for OpenCV; `multiprocessing_context='spawn'`)",
                {"how": r".+"},
            ),
            Sentence(
                "Look whether anything that the workers run (`__getitem__`, a transform, "
                "collate_fn) reaches the GPU, by `.cuda()`, `.to(device)` or a model: a forked "
                "worker cannot use it once the main process has. Return CPU tensors, and move each "
                "batch in the training loop. If nothing does, look in the terminal for an error "
                "that is printed above this one",
                {"words": _ONLY_ON_GPU},
            ),
            Sentence(
                "`dmesg | grep -i kill` shows whether the system ended it for want of memory. What "
                "grows with each worker is mostly a long list in the dataset (of dicts, paths, "
                "texts): every worker gets a copy of its pages by merely reading it. Keep it as "
                "one NumPy array or tensor, or read the entries from a file by their position; "
                "fewer workers make fewer copies, and `gc.collect()` frees none. If it is not the "
                "list, something that is opened for a sample stays open (a video reader)",
                {"words": _GROWS},
            ),
            Sentence(
                "Run with num_workers=0, which shows an error that a worker hides. If it runs "
                "then, perhaps memory is short (fewer workers; in Docker `--shm-size=8g`)",
                {"words": IN_A_CONTAINER},
            ),
            (
                "Run with num_workers=0, which shows an error that a worker hides. If it runs "
                "then, perhaps memory is short (fewer workers), or, on Windows, the script lacks "
                "`if __name__ == '__main__':`"
            ),
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("RuntimeError",),
        today=(
            r"DataLoader worker \(pid\(?s?\)? [^\n]{0,80}?\) (?:is killed by signal: "
            r"(?P<how>[A-Z][\w ]{1,30}\w)|is killed"
            r"|exited(?: unexpectedly)?(?: with exit code (?P<exit_code>\d+))?)",
        ),
        needs="a worker that is killed: the message comes from the process's signal",
        examples=(
            "RuntimeError: DataLoader worker (pid 2145) is killed by signal: Killed.",
            "RuntimeError: DataLoader worker (pid(s) 2145, 2146) exited unexpectedly",
        ),
    ),
    ErrorFamily(
        id="no_length",
        says="A length is asked of something that has none.",
        means=("A length is asked of {type}, which has none",),
        remedy=(
            Sentence(
                "It can only be gone through once: make a list of it first, `list(x)`, if all of "
                "it fits into memory",
                {"type": r"generator|map|filter|zip|enumerate|iterator|reversed"},
            ),
            Sentence(
                "The parentheses are missing where it is made or called: `x()`",
                {"type": r"method|function|type|builtin_function_or_method|ABCMeta"},
            ),
            Sentence(
                "A single number stands where several are meant: a list of one, `[x]`, or the "
                "whole list in place of one element",
                {"type": r"int|float|bool|(?:np\.|numpy\.)?float\d+|(?:np\.|numpy\.)?int\d+"},
            ),
            Sentence(
                "A sample of the data set, or a part of one, is None: `__getitem__` returned "
                "nothing for it, as for a file that could not be read. Return a sample in each of "
                "its branches, or leave those out in a `collate_fn`: `batch = [s for s in batch if "
                "s is not None]`",
                {"type": r"NoneType", "frames": r"collate\.py"},
            ),
            Sentence(
                "What it is asked of is None: see which call gave that, a function without "
                "`return`, or a lookup that found nothing",
                {"type": r"NoneType"},
            ),
            (
                "If {type} is a class of yours, define `__len__(self)` inside it, as a dataset for "
                "a DataLoader needs. If it has no length by its nature (an IterableDataset, a "
                "stream), do not ask for it: count what comes"
            ),
        ),
        types=("TypeError",),
        today=(r"object of type '(?P<type>\w+)' has no len\(\)",),
        subject=("type",),
        values={"type": "of what is asked"},
        sample="len(i for i in range(3))",
    ),
    ErrorFamily(
        id="no_samples",
        says="A DataLoader is to shuffle a dataset without samples.",
        means=("A DataLoader is to shuffle a dataset without samples: the dataset is empty",),
        remedy=("Print `len(dataset)`, and look for a wrong path or a filter that leaves nothing",),
        suspects=(Suspect(r"DataLoader"),),
        types=("ValueError",),
        today=(
            r"num_samples should be a positive integer value, but got num_samples="
            r"(?P<samples>\S+)",
        ),
        values={"samples": "number of samples"},
        sample=f"{_LOADER}DataLoader([], shuffle=True)",
    ),
    ErrorFamily(
        id="tensor_dataset_sizes",
        says="TensorDataset is given tensors of different lengths.",
        means=("TensorDataset is given tensors of different lengths",),
        remedy=(
            "All need the same first dimension, the number of samples: print their shapes. If one "
            "has other dimensions first, transpose it; if one was cut into windows or lost rows, "
            "do the same with the others",
        ),
        suspects=(Suspect(r"TensorDataset"),),
        types=("AssertionError",),
        today=(r"Size mismatch between tensors",),
        sample="torch.utils.data.TensorDataset(torch.ones(3), torch.ones(4))",
    ),
    ErrorFamily(
        id="dataset_without_getitem",
        says="A dataset's class does not say what one sample is.",
        means=("A dataset's class has no __getitem__",),
        remedy=(
            (
                "Define `__getitem__(self, index)` and `__len__(self)` inside the class: "
                "check spelling and indentation"
            ),
        ),
        types=("NotImplementedError",),
        today=(r"Subclasses of Dataset should implement",),
        sample=(
            f"{_LOADER}\nclass Empty(Dataset):\n    def __len__(self):\n        return 2\n\n"
            "Empty()[0]"
        ),
    ),
    ErrorFamily(
        id="split_lengths",
        says="The parts of random_split do not add up to the dataset.",
        decides=True,
        means=("The parts of random_split do not add up to the dataset",),
        remedy=(
            (
                "Compute the last part from the others: `n = len(data); a = int(0.8 * n); "
                "random_split(data, [a, n - a])`"
            ),
        ),
        suspects=(Suspect(r"random_split"),),
        types=("ValueError",),
        today=(r"Sum of input lengths does not equal the length of the input dataset",),
        sample="torch.utils.data.random_split(range(10), [3, 3])",
    ),
    ErrorFamily(
        id="iterable_dataset_option",
        says="A DataLoader is to shuffle or sample a dataset that only comes in its own order.",
        remedy=(
            "Leave {option} out. If an order by chance is wanted, mix inside of its `__iter__` (a "
            "buffer of samples of which one is drawn; `dataset.shuffle(buffer_size=…)` of Hugging "
            "Face). If the dataset has `__len__` and `__getitem__`, make it a Dataset",
        ),
        types=("ValueError",),
        today=(r"DataLoader with IterableDataset: expected unspecified (?P<option>\w+) option",),
        values={"option": "shuffle, sampler or batch_sampler"},
        sample=(
            "from torch.utils.data import DataLoader, IterableDataset\n\nclass "
            "Stream(IterableDataset):\n    def __iter__(self):\n        return "
            "iter(range(4))\n\nDataLoader(Stream(), shuffle=True)"
        ),
    ),
    ErrorFamily(
        id="iterator_finished",
        says="The next item is asked of an iterator that has come to its end.",
        means=(
            *(
                Sentence(
                    "The first parameter is asked of a copy that DataParallel runs: such a copy "
                    "has none that `parameters()` gives, since torch 1.5",
                    {where: r"next\(\s*[\w.]+\.parameters\(|parameter\.dtype|get_parameter_dtype"},
                )
                for where in ("line", "raising")
            ),
            Sentence(
                "A copy that DataParallel runs asks for the next item of what has none | "
                "`next(self.parameters())`, which a copy has not since torch 1.5",
                {"replica": r".+"},
            ),
            "The next item is asked of an iterator that has none left",
        ),
        remedy=(
            *(
                Sentence(
                    "In forward ask a tensor for what is wanted, `x.dtype` or "
                    "`self.fc.weight.dtype`, in place of `next(self.parameters())`. If the line is "
                    "a library's, take a newer one, or run without DataParallel: one GPU "
                    "(`CUDA_VISIBLE_DEVICES=0`), or DistributedDataParallel",
                    {where: pattern},
                )
                for where, pattern in (
                    ("line", r"\.parameters\("),
                    ("raising", r"\.parameters\(|parameter\.dtype|get_parameter_dtype"),
                    ("replica", r".+"),
                )
            ),
            "A `for` loop ends by itself. If `next(it)` is called by hand, make the iterator anew "
            "where it ends (`it = iter(loader)`), or ask `next(it, None)`. If the very first call "
            "fails, it is empty: print the length of what it goes through (a loader with "
            "drop_last=True gives nothing of fewer samples than a batch)",
        ),
        values={"replica": "number of DataParallel's copy"},
        types=("StopIteration",),
        today=(r"^$", r"^Caught StopIteration in replica (?P<replica>\d+)"),
        sample="next(iter([]))",
        typed=True,
    ),
)
