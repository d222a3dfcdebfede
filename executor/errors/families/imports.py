"""Names and modules that cannot be imported."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence
from executor.errors.moved import AS_TODAY, moved_name, name_today


def _part(seen: SeenError, message: str) -> Mapping[str, str]:
    """The package that a missing module is a part of, and what became of that part.

    Where the package itself is missing, Python's message names that alone.
    """
    package, _, part = seen["module"].partition(".")
    if not part:
        return {}
    moved = moved_name(package, part.partition(".")[0]) or moved_name(package, part)
    today = {"today": moved.told} if moved is not None else {}
    return today if package == "torch" else {"package": package} | today


# A file is loaded that holds objects of a class, and no package's import stands between.
_UNPICKLES = {
    "module": r"(?!torch\b).+",
    "line": r"\b(?:torch|pickle|joblib|dill|cloudpickle)\.loads?\(|\bread_pickle\(",
    "raised_in": r"(?:joblib|dill|cloudpickle|pandas|numpy)?",
}
# A package is being built.
_BUILDING = (
    ("words", r"[Gg]etting requirements to build|\b[Bb]uilding wheel|\bbuild isolation\b"),
    ("frames", r"\b(?:setup|build_meta|_in_process)\.py "),
)
_IN_A_PLACE = r"unknown location"
_OF_ONES_OWN = r"(?!.*(?:(?:site|dist)-packages|[\\/]lib[\\/]python)).*\.py"
_COMPILED = r"_C|_ext|\w+_(?:cuda|ext|cpp)"

FAMILIES = (
    ErrorFamily(
        id="import_name",
        says="A module has no such name to import.",
        means=(
            Sentence(
                "`{module}` is still being imported where `{name}` is asked of it",
                {"circular": r".+"},
            ),
            "`{name}` cannot be imported from `{module}`; {today}",
            Sentence(
                "Python takes a folder named `{module}` for the module, in which no file says what "
                "it holds, so `{name}` is not found | a folder of one's own, or what is left of an "
                "install, hides the library",
                {"where": _IN_A_PLACE},
            ),
            (
                "`{name}` cannot be imported from `{module}` | renamed, removed, or of another "
                "version"
            ),
            "`{name}` cannot be imported | renamed, removed, or of another version",
        ),
        remedy=(
            Sentence(
                "If two files import each other, put what both need into a third, or import inside "
                "the function that uses it. If a file of yours is named like the library that is "
                "meant, give it another name",
                {"circular": r".+"},
            ),
            Sentence(
                "`print({package}.__path__)` shows the folder: if it is yours, give it another "
                "name; if it is left from an install, delete it and install `{package}` anew",
                {"where": _IN_A_PLACE},
            ),
            Sentence(
                "The file that was found, `{where}`, is in no folder of installed packages: if a "
                "library is meant, this file hides it, so give it another name; if the file is "
                "meant, see whether it defines `{name}`, spelled so",
                {"where": _OF_ONES_OWN},
            ),
            Sentence(AS_TODAY, {"today": r".+"}),
            Sentence(
                "transformers has its classes for PyTorch only where torch itself is installed, in "
                "the same environment and new enough: `import torch, transformers; "
                "print(torch.__version__, transformers.__version__, transformers.__file__)`. If it "
                "is, the name came with a newer transformers, or went with one",
                {"package": r"transformers"},
            ),
            "Compare the installed version with the one that the code was written for: a name that "
            "came later needs a newer one, one that was removed its successor; a file of yours "
            "named like the library hides it",
        ),
        types=("ImportError",),
        today=(
            r"cannot import name '(?P<name>\w+)' from (?P<circular>partially initialized module )?"
            r"'(?P<module>(?P<package>\w+)[\w.]*)'",
        ),
        details=(r"\((?P<where>[^()\n]{1,300})\)\s*$",),
        older=(r"cannot import name '?(?P<name>\w+)'?$",),
        values={
            "name": "that is imported",
            "module": "it is imported from",
            "package": "the first part of its name",
            "circular": "says that the module is still being imported",
            "where": "the file that was found",
        },
        derive=name_today,
        subject=("package",),
        sample="from torch.optim import NoSuchOptimizer",
        examples=(
            "ImportError: cannot import name 'zero_gradients'",
            "ImportError: cannot import name 'Field' from 'torchtext.data'",
        ),
    ),
    ErrorFamily(
        id="module_not_installed",
        says="A module is not installed.",
        means=(
            Sentence(
                "`{hiding}` is a file here and no package, so it holds no `{module}` | a file "
                "named like the library, in the program's folder, hides it",
                {"hiding": r".+"},
            ),
            Sentence(
                "Python finds `{package}`, and not its compiled part `{module}` | it was installed "
                "without it, or built for another torch, CUDA or Python",
                {"module": rf"[\w.]+\.(?:{_COMPILED})"},
            ),
            Sentence(
                "What Python finds as `torch` lacks its compiled part | the program runs in a "
                "folder that has one named `torch` (such as PyTorch's sources), or the install was "
                "made for another Python or is not whole",
                {"module": r"torch\._C"},
            ),
            Sentence(
                "The file holds whole objects, and of their classes pickle keeps no more than "
                "where they were imported from: `{module}`, which the Python that loads it "
                "does not find | it is a file or folder of the program that saved it, and that "
                "one's folder is not among the places that are searched here; or a package that is "
                "not installed, "
                "or is of another version",
                _UNPICKLES,
            ),
            *(
                Sentence(
                    "The package that is being built asks for torch, and pip builds it in an "
                    "environment of its own, in which there is none",
                    {"module": r"torch", where: pattern},
                )
                for where, pattern in _BUILDING
            ),
            Sentence(
                "The installed PyTorch has no `{module}`; {today}",
                {"module": r"torch\.[\w.]+", "today": r".+"},
            ),
            Sentence(
                "The installed PyTorch has no `{module}` | it is older than that module, or newer "
                "than the code that asks for it, or another Python is running than the one it was "
                "installed into",
                {"module": r"torch\.[\w.]+"},
            ),
            "Python finds `{package}`, and in it no `{module}`; {today}",
            (
                "Python finds `{package}`, and in it no `{module}` | another version of it is "
                "installed than the code was written for, or a file or folder of that name comes "
                "first"
            ),
            "The Python that runs finds no module `{module}` | it is not installed there, or, if "
            "it is a part of a repository, not where modules are looked for",
        ),
        remedy=(
            Sentence(
                "`import torch; print(torch.__path__)` from another folder shows which one it is. "
                "If it is a folder of yours, start elsewhere; if not, install torch anew with the "
                "Python that runs: `python -m pip install --force-reinstall torch`",
                {"module": r"torch\._C"},
            ),
            Sentence(
                "A package that pip finds under the name `{module}` is most likely not it: take "
                "it away again, `pip uninstall {module}`, for it hides the right one. `{module}` "
                "is a file or folder of the project that saved the file: bring it along, and put "
                "the folder that holds it into the search before the load, `sys.path.insert(0, "
                "'/path/of/that/folder')`. Where it loads, save the weights alone, "
                "`torch.save(model.state_dict(), path)`: they need no class to be read, and go "
                "into a model that is made first",
                {**_UNPICKLES, "words": r"\bpip3? install\b(?s:.{1,200})Can't get attribute"},
            ),
            Sentence(
                "If `{module}` is a file or folder of yours, put the folder that holds it into the "
                "search before the load: `sys.path.insert(0, '/path/of/that/folder')` (the one "
                "above it, not the folder of that name itself); if it is a package, install the "
                "version that saved the file. Where it loads, save the weights alone, "
                "`torch.save(model.state_dict(), path)`: they need no class to be read, and go "
                "into a model that is made first",
                _UNPICKLES,
            ),
            *(
                Sentence(
                    "Install torch first, and then that package with `pip install "
                    "--no-build-isolation PACKAGE`",
                    {"module": r"torch", where: pattern},
                )
                for where, pattern in _BUILDING
            ),
            Sentence(
                "`import sys; print(sys.executable)` there says which Python runs; install it into "
                "that one, `python -m pip install torch` (`%pip install torch` in a notebook), "
                "with the command that pytorch.org names for the machine, or choose the "
                "environment that has it",
                {"module": r"torch"},
            ),
            Sentence(
                "`import {hiding}; print({hiding}.__file__)` names it: give that file another "
                "name, and delete the `__pycache__` beside it",
                {"hiding": r"\w+"},
            ),
            Sentence(
                "Install the build of {package} that is made for this torch and CUDA, or build it "
                "from its sources here; what was printed while it was installed says whether the "
                "compiled part was left out",
                {"module": rf"\w[\w.]+\.(?:{_COMPILED})", "package": r"\w+"},
            ),
            Sentence(
                "NVIDIA's apex is not what pip finds under that name. torch has most of it: "
                "`torch.autocast` and `torch.amp.GradScaler` for amp, "
                "`nn.parallel.DistributedDataParallel`, `nn.SyncBatchNorm`; else build it from "
                "NVIDIA's repository",
                {"module": r"apex(?:\.[\w.]+)?"},
            ),
            Sentence(
                "Nothing can be installed for it. Change the import where it stands (the last file "
                "that the traceback names; in a package, its newer version may have done so), or "
                "install the torch that the code was written for",
                {"module": r"torch\.[\w.]+", "today": r".+"},
            ),
            Sentence(
                "Print `torch.__version__` and `sys.executable` in that very notebook or script. "
                "If that torch is older than the module (torch.utils.tensorboard came with 1.1, "
                "torch.func with 2.0), upgrade with that interpreter: `python -m pip install -U "
                "torch` (`%pip` in a notebook), and restart it. If it is newer than the code, the "
                "module was taken out: change the import, or install the torch that the code was "
                "written for",
                {"module": r"torch\.[\w.]+"},
            ),
            Sentence(
                "Installing `{package}` again brings the same version: "
                "`print({package}.__version__, {package}.__file__)` in that very notebook or "
                "script says which one it is; write the code for that version, or install the one "
                "it was written for into an environment of its own. Where the path is a file or "
                "folder of yours, its name hides the library",
                {"package": r"\w+"},
            ),
            Sentence("`pip install opencv-python`", {"module": r"cv2(?:\.[\w.]+)?"}),
            Sentence("`pip install scikit-learn`", {"module": r"sklearn(?:\.[\w.]+)?"}),
            Sentence("`pip install pillow`", {"module": r"PIL(?:\.[\w.]+)?"}),
            Sentence("`pip install pyyaml`", {"module": r"yaml"}),
            Sentence("`pip install scikit-image`", {"module": r"skimage(?:\.[\w.]+)?"}),
            (
                "Install it into the interpreter that runs: `python -m pip install …` "
                "(`%pip install` in a notebook); a part of a repository is found when the "
                "program starts in the folder that holds it, or that folder is in PYTHONPATH"
            ),
        ),
        types=("ModuleNotFoundError", "ImportError"),
        today=(
            r"No module named '?(?P<module>[\w.]+)'?(?:; '(?P<hiding>[\w.]+)' is not a package)?",
        ),
        values={"module": "that is imported", "hiding": "a module that is no package"},
        derive=_part,
        sample="import no_such_module",
        examples=("ModuleNotFoundError: No module named 'torchtext.legacy'",),
    ),
    ErrorFamily(
        id="module_required",
        says="A library needs another one that is not installed.",
        decides=True,
        means=("A library needs `{module}`, which is not installed",),
        remedy=("Install it: `python -m pip install {module}`",),
        types=("ImportError",),
        today=(r"requires `?(?P<module>[\w.]+)[\s\S]{0,400}?pip install",),
        values={"module": "that it needs"},
        needs="a library that asks for another one",
        examples=(
            "ImportError: This modeling file requires `einops` that was not found. Run `pip "
            "install einops`",
        ),
        typed=True,
    ),
)
