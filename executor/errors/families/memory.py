"""Memory of the GPU that ran out, and checks that failed on the GPU."""

import re
from collections.abc import Mapping

from executor.errors.around import before
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

# That many steps went well before it.
_LATE = (
    r"\bafter (?:more than |about |around |roughly |some |a few |several |\w{0,8} ?hundreds? of )?"
    r"(?:\d[\d,.]*k? ?(?:th)? )?(?:\w+ )?(?:iter\w*|steps|batches|epochs|hours)\b"
)

_SIZE = r"(\d{1,9}(?:\.\d{1,9})? [KMG]iB)"
_MIB = {"K": 1 / 1024, "M": 1.0, "G": 1024.0}
_CONTEXT = 1024.0  # MiB that CUDA itself takes, and more
_ROOM = 4  # times what was asked for, and more is free
_MANY = 0.25  # of what tensors use lies between them: a little does always
_PROCESS = re.compile(r"\bProcess (\d{1,9}) has \d")
_LOADS = r"\btorch\.load\((?!.*map_location)"


def _who_shares(seen: SeenError, message: str) -> Mapping[str, str]:
    """Who holds the memory, and whether the message lists several processes."""
    several = len(set(_PROCESS.findall(message))) > 1
    return {**_who_holds(seen, message), **({"shared": "yes"} if several else {})}


def _who_holds(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether the request alone is too large, or the memory is held by something else."""

    def size(*patterns: str) -> str:
        found = (re.search(p.replace("SIZE", _SIZE), message) for p in patterns)
        return next((f[1] for f in found if f is not None), "")

    def mib(text: str) -> float:
        return float(text.split()[0]) * _MIB[text.split()[1][0]] if text else 0.0

    total = size(r"total capacity of SIZE", r"SIZE total capacity")
    held = size(r"SIZE is allocated by PyTorch", r"SIZE already allocated")
    free = size(r"of which SIZE is free", r"SIZE free")
    if not total or not seen["wanted"]:
        return {}
    if mib(seen["wanted"]) >= mib(total):
        return {"total": total, "holder": "request"}
    if mib(free) > _ROOM * mib(seen["wanted"]):
        return {"total": total, "free": free, "holder": "nothing"}
    kept = size(r"SIZE reserved in total", r"SIZE cached", r"SIZE is reserved by PyTorch but")
    ours = mib(held) + mib(kept) if "but unallocated" in message else max(mib(held), mib(kept))
    others = mib(total) - ours - mib(free)
    if held and free and others > max(mib(total) / 3, mib(free), _CONTEXT):
        return {"total": total, "held": held, "holder": "others"}
    # Before it gives up, PyTorch gives back all that lies in whole pieces: the rest is in use
    # in part.
    loose = mib(kept) if "but unallocated" in message else mib(kept) - mib(held)
    if held and kept and loose >= max(mib(seen["wanted"]), _MANY * mib(held)):
        unused = f"{loose / 1024:.2f} GiB" if loose >= 1024 else f"{loose:.0f} MiB"
        return {"total": total, "held": held, "unused": unused, "holder": "pieces"}
    return {}


# Of an assertion in a kernel: what it holds, and what is wrong then.
_ASSERTIONS = (
    (
        r"srcIndex < srcSelectDimSize",
        "A row is asked of a table that has not so many (the assertion is that of Embedding and "
        "index_select): a token id, a position or an index is too large or negative",
    ),
    (
        r"t >= 0 && t < n_classes|cur_target >= 0 && cur_target < n_classes"
        r"|nll_loss[^\n]{0,200}Assertion|label < num_classes",
        "A class label is not below the number of outputs, or negative: the assertion is that of "
        "the cross entropy",
    ),
    (
        r"input(?:_val)? >= (?:zero|0\.) && input(?:_val)? <= (?:one|1\.)",
        "Binary cross entropy gets predictions outside of 0 to 1, or nan: the assertion is its own",
    ),
    (
        r"target_val >= zero && target_val <= one",
        "Binary cross entropy gets targets outside of 0 to 1: the assertion is its own",
    ),
    (
        r"probability tensor contains|cumdist\[size - 1\] > |val >= 0.{0,40}multinomial",
        "Numbers are drawn from probabilities of which one is nan, infinite or negative, or which "
        "are all zero: the assertion is that of multinomial",
    ),
    (
        r"idx_dim >= 0 && idx_dim < index_size|index >= -sizes\[i\]|-sizes\[i\] <= index"
        r"|ind(?:ex)? >= ?0 && ind(?:ex)? < |index out of bounds",
        "An index is outside of its dimension: the assertion is that of indexing, gather or "
        "scatter",
    ),
)


def _told_by(pattern: str) -> tuple[tuple[str, str], ...]:
    """The post's words have to hold a part of it, the message's own assertion the whole."""
    return ("words", pattern), ("assertion", f".*(?:{pattern}).*")


_OF_PROBABILITIES = _ASSERTIONS[4][0]
_OF_BINARY = f"{_ASSERTIONS[2][0]}|{_ASSERTIONS[3][0]}"

FAMILIES = (
    ErrorFamily(
        id="cuda_out_of_memory",
        says="A GPU has no room for what is asked.",
        derive=_who_shares,
        means=(
            Sentence(
                "{wanted} are asked for at once, and the whole GPU has {total}: what is made there "
                "is too large by itself, whatever else is in memory",
                {"holder": r"request"},
            ),
            Sentence(
                "The GPU had no room for the {wanted} that were asked for at once. Of its {total} "
                "PyTorch holds {held} in this process, and most of the rest is held by something "
                "else",
                {"holder": r"others"},
            ),
            Sentence(
                "The GPU refused {wanted}, and by the message's own numbers {free} of its {total} "
                "were free: the memory was not full of what this process keeps",
                {"holder": r"nothing"},
            ),
            Sentence(
                "The GPU has no {wanted} in one piece: PyTorch holds {unused} more than the {held} "
                "that tensors use, in gaps between them, and none of the gaps is large enough. "
                "That is fragmentation, as tensors of ever other sizes leave it",
                {"holder": r"pieces"},
            ),
            Sentence(
                "The GPU had no room for the {wanted} that were asked for at once, at the line "
                "that loads or moves something",
                {"line": rf"{_LOADS}|from_pretrained\(|\.to\(|\.cuda\("},
            ),
            "The GPU had no room for the {wanted} that were asked for at once",
            "The GPU had no room for what was asked",
        ),
        remedy=(
            Sentence(
                "Several processes hold memory of this one GPU: `torch.load` puts tensors back on "
                "the GPU that they were saved from, in every process, whatever "
                "`torch.cuda.set_device` says. `torch.load(path, map_location='cpu')`, and `del` "
                "what it gave once the states are loaded",
                {"shared": r"yes", "code": _LOADS},
            ),
            Sentence(
                "Print the shapes of what the line joins: a broadcast of [n] with [n, 1], a table "
                "of all pairs, or the whole data set in one call makes such a tensor. If it is "
                "meant, do it in parts",
                {"holder": r"request"},
            ),
            Sentence(
                "`nvidia-smi` shows what holds it: another process, an old notebook kernel, a "
                "second process of the same run on this GPU. End what is yours and not needed, or "
                "take another GPU; a smaller batch helps little",
                {"holder": r"others"},
            ),
            Sentence(
                "A smaller batch does not help there. See whether a new process can take as much: "
                "`torch.empty(2**28, device='cuda')`. If not, it lies outside of this code: "
                "another process that took the memory in between (`nvidia-smi`), on Windows a "
                "paging file that is too small, a driver that has to be restarted. If it can, look "
                "for a limit that the code sets (`set_per_process_memory_fraction`)",
                {"holder": r"nothing"},
            ),
            Sentence(
                "Start the program with `PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512` (or 256), "
                "so that large pieces are not cut up; from torch 2.1 on, on Linux, "
                "`expandable_segments:True` does better. Let the largest input come first, whose "
                "pieces the smaller ones then use again, and bring sizes to a few (pad, sort into "
                "buckets, a limit for each batch)",
                {"holder": r"pieces", "torch": before("2.1")},
            ),
            Sentence(
                "Start the program with `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` (on "
                "Linux, from torch 2.1 on; elsewhere `max_split_size_mb:512`). Let the largest "
                "input come first, whose pieces the smaller ones then use again, and bring sizes "
                "to a few (pad, sort into buckets, a limit for each batch)",
                {"holder": r"pieces"},
            ),
            Sentence(
                "A file is loaded to the GPU that it was saved from: `torch.load(path, "
                "map_location='cpu')`, then load_state_dict and `model.to(device)`, and `del` "
                "what was loaded. `nvidia-smi` shows what else holds the memory: another process, "
                "an old notebook kernel, a second model",
                {"line": _LOADS},
            ),
            Sentence(
                "If the weights alone do not fit: in float32 each parameter takes 4 bytes, and "
                "`torch_dtype=torch.bfloat16` (or float16) halves that, `device_map='auto'` puts "
                "what does not fit on other GPUs or the CPU, and quantization makes it smaller "
                "still. `nvidia-smi` shows whether something else holds the memory",
                {"line": r"from_pretrained\("},
            ),
            Sentence(
                "If it comes while the file is loaded, as at `{quoted}`: that loads to the GPU "
                "that it was saved from, beside what is there. `torch.load(path, "
                "map_location='cpu')`, then load_state_dict and `model.to(device)`, and `del` "
                "what was loaded; `nvidia-smi` shows what else holds the memory. If it comes "
                "later, print `torch.cuda.memory_allocated()` in each step to see whether it grows",
                {
                    "words": r"\b(?:re-?)?load(?:s|ing|ed)?\b",
                    "code": _LOADS,
                },
            ),
            Sentence(
                "This line only moves a model to the GPU: look with `nvidia-smi` at what holds "
                "the memory already (another process, an old notebook kernel, an earlier model or "
                "the whole data set)",
                {"line": r"\b(?:model|net)\w*(?:\(\))?\.(?:to|cuda)\(|\)\.(?:to|cuda)\("},
            ),
            Sentence(
                "Where only the evaluation does not fit: wrap it in `with torch.no_grad():` and "
                "`model.eval()`, go through the data in batches (`DataLoader(test_set, "
                "batch_size=64)`), move each output to the CPU before it is kept (`.cpu()`), and "
                "add up `loss.item()`",
                {
                    "words": r"(?:only|just|but)\b[^.?!]{0,40}\b(?:valid|eval|test|infer|predict)"
                    r"|\b(?:valid|eval|test|infer|predict)\w*[^.?!]{0,40}\b(?:only|at once)\b"
                    r"|training (?:itself )?(?:works|is fine|runs fine)"
                    r"|\b(?:during|in|at|before|after|starts?|entering) (?:the )?"
                    r"(?:valid|eval)\w*"
                },
            ),
            Sentence(
                "It comes late, so not every step is too large: print "
                "`torch.cuda.memory_allocated()` every 100 steps. If it rises, something is kept "
                "from step to step with its graph (a loss or an output in a list or a sum, a "
                "hidden state that is carried on): `.item()` or `.detach()`. If it is flat and "
                "jumps, one batch is larger than the others (a long text, a large picture), and "
                "without shuffling it comes at the same step again: cut or sort by size",
                {"words": _LATE},
            ),
            (
                "See first whether it comes in the first step or grows: print "
                "`torch.cuda.memory_allocated()` in each step. If it grows, something keeps "
                "graphs: add up `loss.item()` and not `loss`, drop retain_graph=True, evaluate "
                "under `with torch.no_grad():`. If the first step is too large: a smaller batch "
                "or images, gradient accumulation, mixed precision (`torch.autocast`). "
                "`nvidia-smi` shows whether another process (an old notebook kernel) holds the "
                "memory"
            ),
        ),
        suspects=(
            Suspect(
                r"\w*loss\w*",
                "keeps the graph of every step, unless a number is added",
                kinds=("update",),
                value_not=r"\.item\(\)|\.data|\.detach\(\)",
            ),
            Suspect(r"backward", "keeps the graph", {"retain_graph": "True"}),
            Suspect(
                r"append",
                "keeps the graph, if it is a loss or an output",
                value_not=r"\.item\(\)|\.detach\(\)|\.data|\.cpu\(\)",
            ),
            Suspect(
                r"load",
                "loads to the GPU that it was saved from: `map_location='cpu'`",
                without=("map_location",),
            ),
            Suspect(r"DataLoader"),
        ),
        types=("OutOfMemoryError", "RuntimeError"),
        today=(r"out of memory\. Tried to allocate (?P<wanted>[\d.]+ [KMG]iB)",),
        older=(
            r"cuda runtime error \(2\) : out of memory",
            r"CUDA error: out of memory",
            r"^CUDA:? out of memory",
        ),
        values={"wanted": "memory that was asked for at once"},
        needs="a CUDA device that is full",
        examples=(
            "OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total "
            "capacity of 14.75 GiB of which 8.00 GiB is free.",
            "RuntimeError: CUDA out of memory. Tried to allocate 64.00 MiB (GPU 0; 11.17 GiB total "
            "capacity; 10.49 GiB already allocated; 61.81 MiB free)",
            "OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total "
            "capacity of 15.77 GiB of which 1.02 GiB is free. Of the allocated memory 7.90 GiB is "
            "allocated by PyTorch, and 5.61 GiB is reserved by PyTorch but unallocated.",
            "RuntimeError: cuda runtime error (2) : out of memory at "
            "/pytorch/aten/src/THC/generic/THCStorage.cu:58",
        ),
    ),
    ErrorFamily(
        id="cuda_assert",
        says="A kernel on the GPU stopped, often over an index that is too large.",
        means=(
            *(
                Sentence(text, {where: pattern})
                for pattern, text in _ASSERTIONS
                for where, pattern in _told_by(pattern)
            ),
            "A kernel on the GPU stopped at an assertion; it is told late, so the line that is "
            "named may be an innocent one | a class label that is not below the number of outputs "
            "(or negative), a token id not below an Embedding's size, or another index that is "
            "too large",
        ),
        remedy=(
            *(
                Sentence(
                    "Look for where the probabilities become nan: print "
                    "`torch.isfinite(logits).all()` before the softmax. In half precision numbers "
                    "overflow: bfloat16 or float32 there. Where all of a row is masked, its "
                    "softmax is nan. After this error the process has to be started anew",
                    {where: pattern},
                )
                for where, pattern in _told_by(_OF_PROBABILITIES)
            ),
            *(
                Sentence(
                    "Print `x.min(), x.max()` of predictions and targets before the loss. If the "
                    "predictions are raw scores, `nn.BCEWithLogitsLoss` takes them; if they are "
                    "nan, look for where they become so; targets have to lie between 0 and 1. "
                    "After this error the process has to be started anew",
                    {where: pattern},
                )
                for where, pattern in _told_by(_OF_BINARY)
            ),
            (
                "Run the same on the CPU, which names the real error and line (or set "
                "CUDA_LAUNCH_BLOCKING=1), and print `labels.min(), labels.max()` against "
                "the out_features of the last layer, and ids against num_embeddings; "
                "BCELoss stops so too where its input is not between 0 and 1. After this "
                "error the process has to be started anew"
            ),
        ),
        suspects=(
            Suspect(
                r"CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss|BCELoss|binary_cross_entropy"
            ),
            Suspect(r"Embedding"),
        ),
        types=("RuntimeError", "AcceleratorError"),
        today=(
            r"device-side assert triggered",
            r"block: \[[\d,]{1,40}\], thread: \[[\d,]{1,40}\] Assertion",
        ),
        details=(r"(?P<assertion>[^\n]{0,200}Assertion[^\n]{1,200})",),
        values={"assertion": "the line that names it"},
        needs="a CUDA device",
        examples=(
            "RuntimeError: CUDA error: device-side assert triggered",
            "RuntimeError: cuda runtime error (59) : device-side assert triggered at "
            "/pytorch/aten/src/THC/generic/THCTensorMath.cu:26",
        ),
    ),
)
