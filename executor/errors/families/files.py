"""Files of weights: reading what is no such file, writing where no folder is."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

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
            (
                "The file is none that torch.load can read to its end | a download that was cut, "
                "an HTML page, a pointer of git-lfs, an interrupted save, or something that "
                "another function wrote (pickle.dump)"
            ),
        ),
        remedy=(
            (
                "Look at its size and first bytes, and download or save it again; delete "
                "the copy in the cache (`~/.cache/torch/hub/checkpoints`)"
            ),
        ),
        suspects=(Suspect(r"load"),),
        types=("RuntimeError", "UnpicklingError", "EOFError"),
        today=(
            r"PytorchStreamReader failed (?P<reading>[\w ]{1,80})",
            r"unexpected EOF, expected (?P<bytes>\d+) more bytes",
            r"invalid load key, (?P<key>'[^'\n]{1,12}')",
            r"^Ran out of input",
            r"^pickle data was truncated",
            r"[Ii]nvalid magic number; corrupt file",
        ),
        values={
            "reading": "what it failed at",
            "bytes": "that are missing",
            "key": "what the file begins with",
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
            "`ImageFolder` looks only into subfolders, one for each class, and finds no image in "
            "those of `{folder}`",
            "`ImageFolder` looks only into subfolders, one for each class, and finds no image "
            "there",
        ),
        remedy=(
            "Lay the images out as `root/class/image.jpg` and give it `root`, the folder above the "
            "classes; a single image is opened with `PIL.Image.open(path)`",
        ),
        suspects=(Suspect(r"ImageFolder|DatasetFolder"),),
        types=("FileNotFoundError", "RuntimeError"),
        today=(
            r"Couldn't find any class folder in (?P<folder>[^\n]{1,300}?)\.(?:\s|$)",
            r"Found no valid file for the classes [^\n]{1,300}",
        ),
        older=(
            r"Found 0 (?:files|images) in (?:subfolders|subdirectories) of: (?P<folder>\S{1,300})",
        ),
        values={"folder": "that was looked into"},
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
            (
                "Build model and optimizer exactly as when it was saved (same layers "
                "frozen, same order of groups) before loading the state"
            ),
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
