"""Compute a BERT sentence model with onnxruntime, exactly or in 8 bits, without importing torch.

The graph is written from the weights that are installed: nothing is downloaded, nothing traced.
In 8 bits, matrix products multiply 8-bit numbers; all else is float32. One text at a time, on one
thread, several side by side: nothing is padded, no thread waits for another, and a text's vector
does not depend on its neighbours, so that an index embedded in two goes equals one embedded in one.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

RECIPE = "int8-1"  # part of a model's identity: change it whenever the vectors change

# Seven bits, not eight: processors without VNNI add two products of an 8-bit activation and a
# weight in 16 bits, and 8-bit weights overflow there in silence.
# https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html#when-to-use-reduce-range-and-per-channel-quantization
_MOST = 63
_MS = "com.microsoft"
_FEW = 4  # texts not worth a second thread

Weights = dict[str, np.ndarray]


class NotQuickError(ValueError):
    """This model is of another make; the message says what differs."""


class QuickModel:
    """A converted model, opened."""

    def __init__(self, graph: bytes, folder: Path, workers: int | None = None) -> None:
        """`graph`: what `convert` made of `folder`, which also holds the tokenizer."""
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # More would fuse Add and LayerNormalization into one operation that is slower than both.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_max_tokens(folder))
        self._workers = workers or len(os.sched_getaffinity(0))
        self.dim = int(self._session.get_outputs()[0].shape[1])

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, float32, shape (len(texts), dim)."""
        if len(texts) <= _FEW or self._workers == 1:
            rows = [self._one(text) for text in texts]
        else:
            rows = list(self._threads.map(self._one, texts))
        if not rows:
            return np.zeros((0, self.dim), dtype=np.float32)
        return np.concatenate(rows)  # (len(texts), dim)

    def _one(self, text: str) -> np.ndarray:
        # A lone surrogate is nothing that the tokenizer takes.
        text = text.strip().encode("utf-8", "replace").decode("utf-8")
        tokens = self._tokenizer.encode(text).ids
        vector: np.ndarray = self._session.run(None, {"tokens": np.array([tokens], np.int32)})[0]
        return vector  # (1, dim)

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._workers, thread_name_prefix="embedding")


def open_quick(
    folder: Path,
    key: str,
    cache: Path | None,
    before: Callable[[], None] = lambda: None,
    *,
    exact: bool = False,
) -> QuickModel:
    """Open a model, from the cache where it was converted before.

    Args:
        folder: what SentenceTransformer.save() wrote.
        key: names the model's files; equal only if they are.
        cache: folder that keeps the converted model; None converts anew (about a second).
        before: called before weights are read, and may refuse them.
        exact: in float32 throughout, not in 8 bits.

    Raises:
        NotQuickError: a model of another make.
        Exception: whatever the libraries raise at files that are damaged.
    """
    check(folder)
    key = f"{key}-exact" if exact else f"{key}-8bit"
    graph = _read(cache, key) if cache is not None else None
    if graph is None:
        before()
        graph = convert(folder, exact=exact)
        if cache is not None:
            _keep(cache, key, graph)
    return QuickModel(graph, folder)


def _read(cache: Path, key: str) -> bytes | None:
    """The file's name holds its checksum, so that a damaged one is as good as none."""
    for path in cache.glob(f"{key}-{RECIPE}-*.onnx"):
        try:
            graph = path.read_bytes()
        except OSError:
            continue
        if path.stem.endswith(f"-{zlib.crc32(graph):08x}"):
            return graph
        path.unlink(missing_ok=True)
    return None


def _keep(cache: Path, key: str, graph: bytes) -> None:
    """Write it in one step; a folder that cannot be written costs a second at every start."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".new-", dir=cache)
        with os.fdopen(descriptor, "wb") as file:
            file.write(graph)
        Path(name).replace(cache / f"{key}-{RECIPE}-{zlib.crc32(graph):08x}.onnx")
    except OSError:
        return


def check(folder: Path) -> None:
    """See from its settings whether a model can be converted.

    Raises:
        NotQuickError: it cannot; says why.
    """
    config = _json(folder / "config.json")
    expected = {
        "model_type": ("bert",),
        "hidden_act": ("gelu",),
        "position_embedding_type": ("absolute", None),
    }
    for name, allowed in expected.items():
        if config.get(name) not in allowed:
            raise NotQuickError(f"its {name} is {config.get(name)!r}")
    modules = [str(m.get("type", "")).rpartition(".")[2] for m in _json(folder / "modules.json")]
    if modules not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise NotQuickError(f"it is made of {', '.join(modules) or 'unknown parts'}")
    pooling = _json(folder / "1_Pooling" / "config.json")
    modes = {n for n, on in pooling.items() if n.startswith("pooling_mode_") and on is True}
    by_mean = pooling.get("pooling_mode", "mean") == "mean"  # newer files have this one word
    if not by_mean or not modes <= {"pooling_mode_mean_tokens"}:
        raise NotQuickError("it does not pool by the mean")
    for name in ("tokenizer.json", "model.safetensors"):
        if not (folder / name).is_file():
            raise NotQuickError(f"{name} is missing")


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotQuickError(f"{path.name} cannot be read") from error


def _max_tokens(folder: Path) -> int:
    most = int(_json(folder / "config.json")["max_position_embeddings"])
    if (folder / "sentence_bert_config.json").is_file():
        asked = _json(folder / "sentence_bert_config.json").get("max_seq_length")
        most = min(most, int(asked or most))
    return most


def convert(folder: Path, *, exact: bool = False) -> bytes:
    """Write the graph of a model: token numbers, int32, (1, n) in; a unit vector, (1, dim) out.

    Raises:
        NotQuickError: the weights are not those of a BERT model.

    Source:
        The layers: https://arxiv.org/abs/1810.04805, as in transformers' BertModel.
        DynamicQuantizeMatMul, MultiHeadAttention and BiasGelu:
        https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
    """
    from safetensors.numpy import load_file

    weights = load_file(folder / "model.safetensors")
    weights = {name.removeprefix("bert."): weight for name, weight in weights.items()}
    try:
        return _Writer(weights, _json(folder / "config.json"), exact).write()
    except KeyError as error:
        raise NotQuickError(f"it has no {error.args[0]}") from error


class _Writer:
    """Writes one graph, from the first operation to the last."""

    def __init__(self, weights: Weights, config: dict[str, Any], exact: bool) -> None:
        self._weights = weights
        self._config = config
        self._exact = exact
        self._nodes: list[Any] = []
        self._constants: dict[str, np.ndarray] = {}
        # By name, because its functions carry no types.
        import onnx

        self._onnx: Any = onnx

    def write(self) -> bytes:
        """The whole graph, as a file's content."""
        x = self._embeddings()
        for number in range(self._config["num_hidden_layers"]):
            x = self._layer(x, f"encoder.layer.{number}.")
        axis = self._constant("axis", np.array([1], np.int64))
        x = self._add("ReduceMean", [x, axis], keepdims=0)  # (1, dim)
        self._add("LpNormalization", [x], into="vector", axis=-1, p=2)

        helper, kinds = self._onnx.helper, self._onnx.TensorProto
        dim = self._config["hidden_size"]
        graph = helper.make_graph(
            self._nodes,
            "sentence",
            [helper.make_tensor_value_info("tokens", kinds.INT32, [1, "n"])],
            [helper.make_tensor_value_info("vector", kinds.FLOAT, [1, dim])],
            [
                self._onnx.numpy_helper.from_array(np.ascontiguousarray(value), name)
                for name, value in self._constants.items()
            ],
        )
        domains = [helper.make_opsetid("", 18), helper.make_opsetid(_MS, 1)]
        content: bytes = helper.make_model(
            graph, opset_imports=domains, ir_version=9
        ).SerializeToString()
        return content

    def _embeddings(self) -> str:
        of = "embeddings."
        words = self._weights[of + "word_embeddings.weight"]
        if not self._exact:
            # Halves the file; what is lost is less than the 8-bit products lose.
            words = words.astype(np.float16)
        kinds = self._weights[of + "token_type_embeddings.weight"][0]  # every text is of kind 0
        places = self._weights[of + "position_embeddings.weight"] + kinds
        word = self._add("Gather", [self._constant("words", words), "tokens"])
        word = self._add("Cast", [word], to=self._onnx.TensorProto.FLOAT)
        length = self._add("Shape", ["tokens"], start=1, end=2)
        first = self._constant("first", np.array([0], np.int64))
        place = self._add("Slice", [self._constant("places", places), first, length, first])
        return self._norm(self._add("Add", [word, place]), of + "LayerNorm")

    def _layer(self, x: str, of: str) -> str:
        heads = self._config["num_attention_heads"]
        three = self._times(x, *(f"{of}attention.self.{n}" for n in ("query", "key", "value")))
        parts = [f"{of}{name}" for name in "qkv"]
        self._nodes.append(
            self._onnx.helper.make_node("Split", [three], parts, axis=-1, num_outputs=3)
        )
        seen = self._add("MultiHeadAttention", parts, domain=_MS, num_heads=heads)
        seen = self._times(seen, of + "attention.output.dense")
        x = self._norm(self._add("Add", [seen, x]), of + "attention.output.LayerNorm")

        wide = self._times(x, of + "intermediate.dense", bias=False)
        bias = self._of(of + "intermediate.dense.bias")
        wide = self._add("BiasGelu", [wide, bias], domain=_MS)
        narrow = self._times(wide, of + "output.dense")
        return self._norm(self._add("Add", [narrow, x]), of + "output.LayerNorm")

    def _times(self, x: str, *names: str, bias: bool = True) -> str:
        """A product with one linear layer, or with several side by side."""
        weight = np.concatenate([self._weights[f"{n}.weight"] for n in names]).T  # (in, out)
        if self._exact:
            product = self._add("MatMul", [x, self._constant(f"{names[0]}.weight", weight)])
            if not bias:
                return product
            added = np.concatenate([self._weights[f"{n}.bias"] for n in names])
            return self._add("Add", [product, self._constant(f"{names[0]}.bias", added)])
        scale = np.maximum(np.abs(weight).max(axis=0), 1e-12) / _MOST  # (out,)
        values = {
            "int8": np.round(weight / scale).astype(np.int8),
            "scale": scale.astype(np.float32),
            "zero": np.zeros(scale.shape, np.int8),
        }
        if bias:
            values["bias"] = np.concatenate([self._weights[f"{n}.bias"] for n in names])
        inputs = [self._constant(f"{names[0]}.{kind}", value) for kind, value in values.items()]
        return self._add("DynamicQuantizeMatMul", [x, *inputs], domain=_MS)

    def _norm(self, x: str, name: str) -> str:
        inputs = [x, self._of(f"{name}.weight"), self._of(f"{name}.bias")]
        epsilon = self._config["layer_norm_eps"]
        return self._add("LayerNormalization", inputs, axis=-1, epsilon=epsilon)

    def _of(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _constant(self, name: str, value: np.ndarray) -> str:
        self._constants[name] = value
        return name

    def _add(self, kind: str, inputs: Sequence[str], into: str = "", **words: Any) -> str:
        into = into or f"{kind}_{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(kind, inputs, [into], **words))
        return into
