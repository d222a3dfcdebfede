"""Models, tokenizers and processors of a hub: a folder of the model's form takes its place.

What `from_pretrained` would download is written as files (configuration, tokenizer), and the
library reads them itself. The network is initialised at random, with fewer layers: no shape that a
program sees hangs on their number, unless it names them.
"""

from __future__ import annotations

import functools
import json
import os
import re
import tempfile
from collections.abc import Callable
from typing import Any

from executor.inside.resources import vocabularies
from executor.inside.resources.hub_forms import Architecture, architecture
from executor.inside.resources.supplied import Supplied
from executor.inside.resources.uses import Uses

_LAYERS = 2
_LAYER_COUNTS = ("num_hidden_layers", "num_layers", "num_decoder_layers", "n_layer", "n_layers",
                 "encoder_layers", "decoder_layers")  # fmt: skip
_SAYS_LAYERS = re.compile(
    r"\blayers?\[|\.layers?\b|\bh\[|\.h\b|hidden_states|num_hidden_layers|n_layer|attentions"
    r"|named_parameters|state_dict"
)
_CONFIG_KEYS = ("return_unused_kwargs", "dtype", "torch_dtype", "device_map", "low_cpu_mem_usage",
                "trust_remote_code", "revision", "cache_dir", "force_download", "token",
                "local_files_only", "use_auth_token", "ignore_mismatched_sizes", "use_safetensors",
                "attn_implementation", "output_loading_info", "subfolder", "adapter_kwargs",
                "quantization_config", "_from_auto", "_commit_hash", "from_tf", "state_dict",
                "weights_only", "proxies", "variant", "key_mapping")  # fmt: skip


class Hub:
    """The models of one run that come from a hub."""

    def __init__(self, uses: Uses, supplied: Supplied) -> None:
        self._uses = uses
        self._supplied = supplied
        self._folders: dict[str, str] = {}  # name → folder

    def install(self) -> None:
        """Let every `from_pretrained` go through here."""
        import transformers
        from transformers import (
            PreTrainedConfig,
            PreTrainedModel,
            PreTrainedTokenizerBase,
            feature_extraction_utils,
            image_processing_base,
            processing_utils,
        )

        self._wrap(PreTrainedModel, self._model)
        for owner in (
            PreTrainedConfig,
            PreTrainedTokenizerBase,
            processing_utils.ProcessorMixin,
            image_processing_base.ImageProcessingMixin,
            feature_extraction_utils.FeatureExtractionMixin,
            *(cls for cls in transformers.AutoModel.__mro__ if cls is not object),
            *(getattr(transformers, name) for name in (
                "AutoConfig", "AutoTokenizer", "AutoProcessor", "AutoImageProcessor",
                "AutoFeatureExtractor", "AutoModelForCausalLM", "AutoModelForImageTextToText",
            )),
        ):  # fmt: skip
            if "from_pretrained" in vars(owner):
                self._wrap(owner, self._read_here)

    def _wrap(self, owner: Any, instead: Callable[..., Any]) -> None:
        original = vars(owner)["from_pretrained"].__func__

        @functools.wraps(original)
        def from_pretrained(cls: Any, name: Any = None, *args: Any, **named: Any) -> Any:
            if name is None and "pretrained_model_name_or_path" in named:
                name = named.pop("pretrained_model_name_or_path")
            if name is None:
                return original(cls, *args, **named)
            folder = self._folder(name, cls, own_code=bool(named.get("trust_remote_code")))
            if folder is None:
                return original(cls, name, *args, **named)
            return instead(original, cls, folder, *args, **named)

        owner.from_pretrained = classmethod(from_pretrained)

    def _read_here(self, original: Any, cls: Any, folder: str, *args: Any, **named: Any) -> Any:
        return original(cls, folder, *args, **named)

    def _model(self, original: Any, cls: Any, folder: str, *args: Any, **named: Any) -> Any:
        """A network of the class and the configuration, initialised at random."""
        config = named.pop("config", None)
        own = {k: v for k, v in named.items() if k not in _CONFIG_KEYS}
        if config is None or isinstance(config, (str, os.PathLike)):
            config, own = cls.config_class.from_pretrained(folder, return_unused_kwargs=True, **own)
        model = cls(config, *args, **own)
        dtype = named.get("dtype", named.get("torch_dtype"))
        if dtype is not None and dtype != "auto":
            import torch

            model = model.to(getattr(torch, dtype) if isinstance(dtype, str) else dtype)
        model.eval()
        if named.get("output_loading_info"):
            return model, {"missing_keys": [], "unexpected_keys": [], "mismatched_keys": []}
        return model

    def _folder(self, given: Any, cls: Any, *, own_code: bool = False) -> str | None:
        """The folder that stands for a model's name; None if it is there, or of unknown form.

        Args:
            given: the name, or the path of a folder.
            cls: the class whose instance is asked for: it says the form where the name does not.
            own_code: its class may come with the model, so that only a name that is known will do.
        """
        name = str(os.fspath(given)) if isinstance(given, (str, os.PathLike)) else ""
        if name in self._folders.values():
            return name
        if not name or os.path.isdir(name):
            return None
        if name not in self._folders:
            found = architecture(name) or self._by_class(cls)
            if own_code and found is not None and not found[1]:
                return None
            if found is None or self._uses.handles(self._supplied.line()):
                return None
            self._folders[name] = self._written(*found)
            what = "a network of its architecture with random weights stands in"
            if not found[1]:
                what = f"a small {found[0].kind} network with random weights stands in"
            if found[0].tokens:
                what += ", with a made-up vocabulary"
            self._supplied.add(name, "weights", what, exact=found[1])
        return self._folders[name]

    def _by_class(self, cls: Any) -> tuple[Architecture, bool] | None:
        """A usual architecture of the class, for a name of which nothing else is known."""
        word = cls.__name__.lower()
        pictures = re.search(r"image|vision|vit|object", word)
        if word.startswith("auto") and not re.search(r"speech|audio|ctc", word):
            word = "vit" if pictures else _usual(self._uses.code)
        found = architecture(word)
        return None if found is None else (found[0], False)

    def _written(self, form: Architecture, own: bool) -> str:
        from transformers import AutoConfig

        folder = tempfile.mkdtemp(prefix="hub-")
        config = AutoConfig.for_model(form.kind, **form.sizes)
        if not _SAYS_LAYERS.search(self._uses.code):
            for count in _LAYER_COUNTS:
                if isinstance(getattr(config, count, None), int):
                    setattr(config, count, min(_LAYERS, getattr(config, count)))
        config.save_pretrained(folder)
        if form.tokens:
            size = getattr(config, "vocab_size", None) or config.get_text_config().vocab_size
            vocabularies.write(folder, form, size)
        if form.pictures:
            _save(folder, "preprocessor_config.json", _PICTURES | {
                "image_processor_type": "CLIPImageProcessor" if form.kind == "clip"
                else "ViTImageProcessor"})  # fmt: skip
        if form.sound:
            _save(folder, "preprocessor_config.json", {
                "feature_extractor_type": "Wav2Vec2FeatureExtractor", "sampling_rate": 16_000,
                "feature_size": 1, "do_normalize": True})  # fmt: skip
        return folder


def _usual(code: str) -> str:
    if "Seq2SeqLM" in code:
        return "t5"
    return "gpt2" if re.search(r"CausalLM|LMHead|generate\(", code) else "bert"


_PICTURES: dict[str, Any] = {
    "do_resize": True, "do_rescale": True, "do_normalize": True, "rescale_factor": 1 / 255,
    "size": {"height": 224, "width": 224}, "image_mean": [0.5] * 3, "image_std": [0.5] * 3,
}  # fmt: skip


def _save(folder: str, name: str, content: dict[str, Any]) -> None:
    with open(os.path.join(folder, name), "w") as f:
        json.dump(content, f)
