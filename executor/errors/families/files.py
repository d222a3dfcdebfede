"""Files of weights: reading what is no such file, writing where no folder is."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

# What a text begins with; compressed files begin with an x.
_LETTER = r"'(?!x)[\x20-\x7e]'"
# Frames of a process that is being started.
_STARTED = r"\b(?:spawn|popen_\w+|forkserver)\.py "

FAMILIES = (
    ErrorFamily(
        id="torch_file_by_pickle",
        says="A file that torch.save wrote is read by pickle.",
        decides=True,
        means=("The file was written by torch.save, and pickle alone cannot read its tensors",),
        remedy=("Read it with `torch.load(path, map_location='cpu')`",),
        suspects=(Suspect(r"load"),),
        types=("UnpicklingError",),
        today=(r"persistent[_ ]load|persistent id instruction",),
        sample=(
            "import io, pickle\n"
            "file = io.BytesIO()\n"
            "torch.save(torch.ones(2), file, _use_new_zipfile_serialization=False)\n"
            "file.seek(0)\n"
            "for _ in range(4):\n"
            "    pickle.load(file)"
        ),
    ),
    ErrorFamily(
        id="checkpoint_unwritable",
        says="A checkpoint could not be written.",
        means=(
            "torch.save could not write its file | the disk or a quota is full, or the folder does "
            "not let this program write",
        ),
        remedy=(
            "Look at `df -h` and the folder's rights; what was written so far is no checkpoint, so "
            "save under another name first and `os.replace` it",
        ),
        suspects=(Suspect(r"save\w*"),),
        types=("RuntimeError",),
        today=(r"PytorchStreamWriter failed (?P<writing>[\w ]{1,80})",),
        values={"writing": "what it failed at"},
        needs="a full disk",
        examples=(
            "RuntimeError: [enforce fail at inline_container.cc:319] . PytorchStreamWriter failed "
            "writing file data/7: file write failed",
        ),
    ),
    ErrorFamily(
        id="checkpoint_unreadable",
        says="A file is loaded that torch.load cannot read to its end.",
        means=(
            Sentence(
                "A worker process was started and got nothing to begin with: the process that "
                "starts it failed first, with an error of its own",
                {"empty": r".+", "frames": _STARTED},
            ),
            Sentence(
                "Nothing was left to read where an object begins: the file is empty, was read to "
                "its end before, or ends too early | it was opened for writing, which empties it, "
                "or an earlier save or download was interrupted",
                {"empty": r".+"},
            ),
            Sentence(
                "The file is no checkpoint but text: it begins with {key} | a web page (`<`), a "
                "pointer of git-lfs (`v`), JSON (`{{`) or a server's message in place of the file",
                {"key": _LETTER},
            ),
            Sentence(
                "The file is a zip archive, and no scripted module is in it",
                {"reading": r"locating file constants"},
            ),
            Sentence(
                "The file is a zip archive that torch.save did not write: what it begins with is "
                "not in it",
                {"reading": r"locating file data"},
            ),
            Sentence("The file ends {bytes} bytes too early", {"bytes": r"\d+"}),
            "The file is none that torch.load can read to its end | a download or a save that was "
            "cut, or something that another function wrote (pickle.dump, a .h5 or .npz file)",
        ),
        remedy=(
            Sentence(
                "Read the other traceback, of the process that starts the workers: it names what "
                "cannot be sent to them (a lambda, an open file). num_workers=0 does without; a "
                "script needs `if __name__ == '__main__':` around what it does",
                {"empty": r".+", "frames": _STARTED},
            ),
            Sentence(
                "Look at its size. If it is not empty and was read before from the same handle: "
                "`file.seek(0)`. If it is empty, save or download it again: what it held is gone. "
                "Open with 'rb' for reading",
                {"empty": r".+"},
            ),
            Sentence(
                "Look at its beginning (`open(path, 'rb').read(100)`), and fetch the file itself: "
                "`git lfs pull`, or the link to the file and not to its page",
                {"key": _LETTER},
            ),
            Sentence(
                "What torch.save wrote is read by `torch.load`; `torch.jit.load` takes what "
                "`torch.jit.save` wrote",
                {"reading": r"locating file constants"},
            ),
            "Look at its size and first bytes (`open(path, 'rb').read(20)`): if it is shorter than "
            "it should be, download or save it again (a copy of torch.hub's lies in "
            "`~/.cache/torch/hub/checkpoints`); if it begins like another kind of file (HDF "
            "for .h5), read it with what wrote it",
        ),
        suspects=(Suspect(r"load"),),
        types=("RuntimeError", "UnpicklingError", "EOFError"),
        today=(
            r"PytorchStreamReader failed (?P<reading>[\w ]{1,80})",
            r"unexpected EOF, expected (?P<bytes>\d+) more bytes",
            r"invalid load key, (?P<key>'[^'\n]{1,12}')",
            r"^Ran out of (?P<empty>input)",
            r"^pickle data was truncated",
            r"[Ii]nvalid magic number; corrupt file",
        ),
        values={
            "reading": "what it failed at",
            "bytes": "that are missing",
            "key": "what the file begins with",
            "empty": "`input` where nothing was there to read",
        },
        sample='import io\ntorch.load(io.BytesIO(b"PK\\x03\\x04"))',
        examples=(
            "UnpicklingError: invalid load key, '<'.",
            "RuntimeError: unexpected EOF, expected 7415 more bytes. The file might be corrupted.",
            "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central "
            "directory",
            "EOFError: Ran out of input",
        ),
    ),
    ErrorFamily(
        id="checkpoint_version",
        says="A file was saved by a newer torch than the one that loads it.",
        means=("The file was saved by a newer torch than the one that loads it",),
        remedy=(
            ("Upgrade torch here, or save it there with `_use_new_zipfile_serialization=False`"),
        ),
        suspects=(Suspect(r"load"),),
        types=("RuntimeError",),
        today=(
            r"version_ <= kMaxSupportedFileFormatVersion",
            r"Attempted to read a PyTorch file with version (?P<version>\d+), but the maximum "
            r"supported version for reading is (?P<most>\d+)",
        ),
        values={"version": "of the file's format", "most": "that this torch reads"},
        needs="a file of a newer torch",
        examples=(
            "RuntimeError: version_ <= kMaxSupportedFileFormatVersion INTERNAL ASSERT FAILED at "
            "/pytorch/caffe2/serialize/inline_container.cc:132, please report a bug to PyTorch.",
            "RuntimeError: Attempted to read a PyTorch file with version 3, but the maximum "
            "supported version for reading is 2. Your PyTorch installation may be too old.",
        ),
    ),
    ErrorFamily(
        id="folder_missing",
        says="Something is saved into a folder that is not there.",
        decides=True,
        means=(
            Sentence(
                "The folder `{folder}` is not found: it is not there, or on Windows it has letters "
                "in its name that torch.save does not read",
                {"folder": r".*[^\x00-\x7f].*"},
            ),
            "The folder `{folder}` is not there; saving makes none",
            "The folder to save into is not there; saving makes none",
        ),
        remedy=(
            Sentence(
                "If it is there: a path of plain letters, or `with open(path, 'wb') as f: "
                "torch.save(x, f)`. If not: `os.makedirs(folder, exist_ok=True)` before it",
                {"folder": r".*[^\x00-\x7f].*"},
            ),
            "`os.makedirs(folder, exist_ok=True)` before it",
        ),
        suspects=(Suspect(r"save"),),
        types=("RuntimeError",),
        today=(r"Parent directory (?P<folder>[^\n]{1,300}?) does not exist",),
        values={"folder": "that is not there"},
        sample='torch.save({}, "/no-such-folder/weights.pt")',
    ),
    ErrorFamily(
        id="image_folder_empty",
        says="ImageFolder finds no image where it looks: in one subfolder for each class.",
        means=(
            Sentence(
                "`ImageFolder` takes every subfolder for a class, and the hidden folder {classes} "
                "holds no image",
                {"classes": r"\..*"},
            ),
            Sentence(
                "`ImageFolder` takes every subfolder for a class, and there is no image in those "
                "of {classes} | they are empty, the images lie a folder deeper or higher than "
                "the classes, or end otherwise than in the extensions that the message lists",
                {"classes": r".+"},
            ),
            Sentence(
                "`ImageFolder` looks only into subfolders, one for each class, and `{folder}` has "
                "none",
                {"bare": r".+"},
            ),
            "`ImageFolder` looks only into subfolders, one for each class, and finds no image in "
            "those of `{folder}`",
            "`ImageFolder` looks only into subfolders, one for each class, and finds no image "
            "there",
        ),
        remedy=(
            Sentence(
                "If nothing of it is needed (`.ipynb_checkpoints` is a notebook's own), remove the "
                "folder; else keep hidden folders outside of the data's",
                {"classes": r"\..*"},
            ),
            "Lay the images out as `root/class/image.jpg` and give it `root`, the folder above the "
            "classes; a single image is opened with `PIL.Image.open(path)`",
        ),
        suspects=(Suspect(r"ImageFolder|DatasetFolder"),),
        types=("FileNotFoundError", "RuntimeError"),
        today=(
            r"Couldn't find (?P<bare>any class) folder in (?P<folder>[^\n]{1,300}?)\.(?:\s|$)",
            r"Found no valid file for the classes (?P<classes>[^\n]{1,300}?)(?:\. Supp|$)",
        ),
        older=(
            r"Found 0 (?:files|images) in (?:subfolders|subdirectories) of: (?P<folder>\S{1,300})",
        ),
        values={
            "folder": "that was looked into",
            "classes": "those without an image",
            "bare": "says that there are no subfolders",
        },
        needs="torchvision, and a folder without images",
        examples=(
            "FileNotFoundError: Couldn't find any class folder in data/train.",
            "FileNotFoundError: Found no valid file for the classes a. Supported extensions are: "
            ".jpg, .jpeg, .png",
            "RuntimeError: Found 0 files in subfolders of: data/train\nSupported extensions are: "
            ".jpg,.png",
            "RuntimeError: Found 0 images in subfolders of: data/train",
        ),
    ),
    ErrorFamily(
        id="optimizer_groups",
        says="An optimizer's saved state is of a model with other parameters.",
        means=(
            ("The optimizer's saved state is of a model with other parameters, or of other groups"),
        ),
        remedy=(
            "Build model and optimizer exactly as when it was saved (same layers frozen, same "
            "order of groups) before loading the state. If layers are to be unfrozen from now on, "
            "do that behind it, and hand them over by `optimizer.add_param_group({{'params': …}})`"
            ". Where the model was changed on purpose (a new head), the old state does not fit it: "
            "leave that line out, and the optimizer starts afresh; the weights lose nothing by it",
        ),
        suspects=(Suspect(r"load_state_dict"),),
        types=("ValueError",),
        today=(
            r"loaded state dict contains a parameter group that doesn't match the size",
            r"loaded state dict has a different number of parameter groups",
        ),
        sample=(
            "layer = nn.Linear(2, 2)\n"
            "saved = torch.optim.SGD(layer.parameters(), lr=0.1).state_dict()\n"
            "torch.optim.SGD([layer.weight], lr=0.1).load_state_dict(saved)"
        ),
    ),
)
