"""Memory of the GPU that ran out, and checks that failed on the GPU."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

# That many steps went well before it.
_LATE = (
    r"\bafter (?:more than |about |around |roughly |some |a few |several |\w{0,8} ?hundreds? of )?"
    r"(?:\d[\d,.]*k? ?(?:th)? )?(?:\w+ )?(?:iter\w*|steps|batches|epochs|hours)\b"
)

FAMILIES = (
    ErrorFamily(
        id="cuda_out_of_memory",
        says="A GPU has no room for what is asked.",
        means=(
            Sentence(
                "The GPU had no room for the {wanted} that were asked for at once, at the line "
                "that loads or moves something",
                {"line": r"load|\.to\(|\.cuda\("},
            ),
            "The GPU had no room for the {wanted} that were asked for at once",
            "The GPU had no room for what was asked",
        ),
        remedy=(
            Sentence(
                "A file is loaded to the GPU that it was saved from: `torch.load(path, "
                "map_location='cpu')`, then load_state_dict and `model.to(device)`, and `del` "
                "what was loaded. `nvidia-smi` shows what else holds the memory: another process, "
                "an old notebook kernel, a second model",
                {"line": r"load\w*\("},
            ),
            Sentence(
                "If it comes while the file is loaded, as at `{quoted}`: that loads to the GPU "
                "that it was saved from, beside what is there. `torch.load(path, "
                "map_location='cpu')`, then load_state_dict and `model.to(device)`, and `del` "
                "what was loaded; `nvidia-smi` shows what else holds the memory. If it comes "
                "later, print `torch.cuda.memory_allocated()` in each step to see whether it grows",
                {
                    "words": r"\b(?:re-?)?load(?:s|ing|ed)?\b",
                    "code": r"\btorch\.load\((?!.*map_location)",
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
            "RuntimeError: cuda runtime error (2) : out of memory at "
            "/pytorch/aten/src/THC/generic/THCStorage.cu:58",
        ),
    ),
    ErrorFamily(
        id="cuda_assert",
        says="A kernel on the GPU stopped, often over an index that is too large.",
        means=(
            *(
                Sentence(text, {"words": pattern})
                for pattern, text in (
                    (
                        r"srcIndex < srcSelectDimSize",
                        "A row is asked of a table that has not so many (the assertion is that of "
                        "Embedding and index_select): a token id, a position or an index is too "
                        "large or negative",
                    ),
                    (
                        r"t >= 0 && t < n_classes|cur_target >= 0 && cur_target < n_classes"
                        r"|target_val >= zero && target_val|nll_loss[^\n]{0,200}Assertion",
                        "A class label is not below the number of outputs, or negative: the "
                        "assertion is that of the cross entropy",
                    ),
                    (
                        r"input_val >= zero && input_val <= one",
                        "Binary cross entropy gets values outside of 0 to 1: the assertion is its "
                        "own",
                    ),
                    (
                        r"idx_dim >= 0 && idx_dim < index_size|index >= -sizes\[i\]"
                        r"|-sizes\[i\] <= index",
                        "An index is outside of its dimension: the assertion is that of indexing, "
                        "gather or scatter",
                    ),
                )
            ),
            "A kernel on the GPU stopped at an assertion; it is told late, so the line that is "
            "named may be an innocent one | a class label that is not below the number of outputs "
            "(or negative), a token id not below an Embedding's size, or another index that is "
            "too large",
        ),
        remedy=(
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
        needs="a CUDA device",
        examples=(
            "RuntimeError: CUDA error: device-side assert triggered",
            "RuntimeError: cuda runtime error (59) : device-side assert triggered at "
            "/pytorch/aten/src/THC/generic/THCTensorMath.cu:26",
        ),
    ),
)
