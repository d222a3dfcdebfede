"""What libraries renamed or took away, where their packages do not show it; of torch, modules.

Where a name is today is read from the installed package first (executor/inside/explain/,
knowledge/repair/toolkit/lookups.py); what stands here no rule of spelling finds. A row counts only
where the installed package lacks the old name, and the new one is never taken on trust: a fix with
it is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from executor.errors.family import SeenError

# What to do where it is known what does the same today.
AS_TODAY = "Write it so, or install the version that the code was written for"


@dataclass(frozen=True)
class Moved:
    """What became of a name.

    Moved("torchmetrics.F1Score")                     # that name does the same
    Moved(how="`torch.cat`; a table has no append")   # what to write, where no one name does
    """

    today: str = ""  # dotted, of a module: the same thing under another name
    how: str = ""

    @property
    def told(self) -> str:
        """What does it today, as the rest of a sentence."""
        return self.how or f"today that is `{self.today}`"


_AUTO = "`AutoModelForCausalLM`, `AutoModelForMaskedLM` or `AutoModelForSeq2SeqLM`"
_CODEC = "torchaudio gave it up with 2.9: TorchCodec or `soundfile` reads and writes audio"

# The package and the last part of the name, whichever module it is asked of.
_NAMES: Mapping[str, Moved] = {
    "torch._six": Moved(
        how="it helped with Python 2, and torch 2.0 took it out: `string_classes` is `(str, "
        "bytes)`, `int_classes` is `int`, `container_abcs` is `collections.abc`, `inf` is "
        "`math.inf`"
    ),
    "torch.legacy": Moved(how="torch 1.0 took it out: `torch.nn` has such layers"),
    "torch.utils.ffi": Moved(
        how="torch 1.0 took it out: extensions are built by `torch.utils.cpp_extension`"
    ),
    "torch.utils.serialization": Moved(
        how="torch 1.0 took out what read Lua's files, `load_lua`: convert them with an older one"
    ),
    "transformers.AdamW": Moved("torch.optim.AdamW"),
    "transformers.BertAdam": Moved(how="today that is `torch.optim.AdamW`"),
    "transformers.AutoModelWithLMHead": Moved(how=f"today it says which head: {_AUTO}"),
    "transformers.WarmupLinearSchedule": Moved(
        how="today that is `get_linear_schedule_with_warmup(optimizer, num_warmup_steps, "
        "num_training_steps)`"
    ),
    "transformers.cached_path": Moved(how="`huggingface_hub.hf_hub_download` fetches a file"),
    "transformers.BertLayerNorm": Moved("torch.nn.LayerNorm"),
    "transformers.load_metric": Moved(how="the library `evaluate` has `evaluate.load`"),
    "datasets.load_metric": Moved(
        how="metrics moved to a library of their own: `import evaluate; evaluate.load(name)`"
    ),
    "torchvision.Scale": Moved("torchvision.transforms.Resize"),
    "torchvision.RandomSizedCrop": Moved("torchvision.transforms.RandomResizedCrop"),
    "torchvision.model_urls": Moved(
        how="each model's weights carry their address: `ResNet18_Weights.DEFAULT.url`"
    ),
    "torchvision.load_state_dict_from_url": Moved("torch.hub.load_state_dict_from_url"),
    "torchmetrics.F1": Moved("torchmetrics.F1Score"),
    "torchmetrics.FBeta": Moved("torchmetrics.FBetaScore"),
    "torchmetrics.IoU": Moved("torchmetrics.JaccardIndex"),
    "torchmetrics.FID": Moved("torchmetrics.image.fid.FrechetInceptionDistance"),
    "torchmetrics.PSNR": Moved("torchmetrics.image.PeakSignalNoiseRatio"),
    "torchmetrics.SSIM": Moved("torchmetrics.image.StructuralSimilarityIndexMeasure"),
    "torchmetrics.WER": Moved("torchmetrics.text.WordErrorRate"),
    "torchmetrics.f1": Moved("torchmetrics.functional.f1_score"),
    "torchmetrics.fbeta": Moved("torchmetrics.functional.fbeta_score"),
    "torchmetrics.iou": Moved("torchmetrics.functional.jaccard_index"),
    "torchmetrics.dice_score": Moved("torchmetrics.functional.segmentation.dice_score"),
    "pytorch_lightning.metrics": Moved(
        how="metrics are a library of their own, `torchmetrics`, since 1.3"
    ),
    "pytorch_lightning.data_loader": Moved(
        how="no decorator is needed: `train_dataloader` is an ordinary method"
    ),
    "pytorch_lightning.EvalResult": Moved(how="log with `self.log(name, value)`"),
    "pytorch_lightning.TrainResult": Moved(how="log with `self.log(name, value)`, return the loss"),
    "pytorch_lightning.LightningLoggerBase": Moved("pytorch_lightning.loggers.Logger"),
    "torchaudio.info": Moved(how=_CODEC),
    "torchaudio.set_audio_backend": Moved(how="no backend is set any more: leave the line out"),
    "torchaudio.get_audio_backend": Moved(how="there are no backends any more"),
    "torchaudio.load_wav": Moved(how=_CODEC),
    "torchtext.legacy": Moved(
        how="torchtext had it from 0.9 to 0.11 alone (`torchtext.data` before), and is no longer "
        "developed: a `Dataset` of one's own with a `collate_fn` does what its iterators did"
    ),
    "torchtext.Field": Moved(
        how="torchtext took it out with 0.9, and is no longer developed: a tokenizer and "
        "`pad_sequence` in a `collate_fn` do what it did"
    ),
    "torchtext.BucketIterator": Moved(
        how="torchtext took it out with 0.9, and is no longer developed: a `DataLoader` with a "
        "`collate_fn` that pads does what it did"
    ),
    "sklearn.joblib": Moved(how="`import joblib` by itself"),
    "sklearn.load_boston": Moved(
        how="that data set was taken out; `fetch_california_housing` is of the same kind"
    ),
    "sklearn.plot_confusion_matrix": Moved(
        how="today that is `ConfusionMatrixDisplay.from_estimator`"
    ),
    "sklearn.Imputer": Moved("sklearn.impute.SimpleImputer"),
    "scipy.imread": Moved(how="read with `imageio.imread` or `PIL.Image.open`"),
    "scipy.imsave": Moved(how="write with `imageio.imwrite` or Pillow's `image.save`"),
    "scipy.imresize": Moved(how="resize with Pillow: `image.resize((width, height))`"),
    "scipy.interp": Moved("numpy.interp"),
    "scipy.logsumexp": Moved("scipy.special.logsumexp"),
    "PIL.ANTIALIAS": Moved("PIL.Image.LANCZOS"),
    "PIL.LINEAR": Moved("PIL.Image.BILINEAR"),
    "PIL.CUBIC": Moved("PIL.Image.BICUBIC"),
    "matplotlib.get_cmap": Moved("matplotlib.pyplot.get_cmap"),
    "seaborn.factorplot": Moved("seaborn.catplot"),
    "seaborn.tsplot": Moved("seaborn.lineplot"),
    "cv2.xfeatures2d": Moved(how="SIFT is in OpenCV itself: `cv2.SIFT_create()`"),
    "pandas.rolling_mean": Moved(how="today that is a method: `series.rolling(window).mean()`"),
    "torch_geometric.train_test_split_edges": Moved(
        how="the transform `RandomLinkSplit` does it today"
    ),
}

# The same for what an object lacks: its class, and the name.
_OF_OBJECTS: Mapping[str, Moved] = {
    "pandas.DataFrame.append": Moved(
        how="pandas took it away with 2.0: `pd.concat([table, pd.DataFrame([row])])`"
    ),
    "pandas.Series.append": Moved(how="pandas took it away with 2.0: `pd.concat([a, b])`"),
    "pandas.DataFrame.ix": Moved(how="`.loc` asks by label, `.iloc` by position"),
    "pandas.Series.ix": Moved(how="`.loc` asks by label, `.iloc` by position"),
    "pandas.DataFrame.as_matrix": Moved("to_numpy"),
    "pandas.Series.as_matrix": Moved("to_numpy"),
    "pandas.DataFrame.get_value": Moved(how="today that is `.at[row, column]`"),
    "pandas.DataFrame.applymap": Moved("map"),
    "datasets.Dataset.rename_column_": Moved(
        how="`rename_column` gives a new one: keep what it returns"
    ),
    "pytorch_lightning.Trainer.tune": Moved(
        how="since 2.0 a tuner does it: `from pytorch_lightning.tuner import Tuner`, then "
        "`Tuner(trainer).lr_find(model)` or `.scale_batch_size(model)`"
    ),
    "transformers.Tokenizer.encode_plus": Moved(
        how="the tokenizer itself is called: `tokenizer(text, …)`"
    ),
    "transformers.Tokenizer.batch_encode_plus": Moved(
        how="the tokenizer itself is called: `tokenizer(texts, …)`"
    ),
    "transformers.Tokenizer.prepare_seq2seq_batch": Moved(
        how="the tokenizer itself is called: `tokenizer(texts, text_target=targets, …)`"
    ),
    "transformers.Tokenizer.max_len": Moved("model_max_length"),
    "transformers.TrainingArguments.logging_dir": Moved(
        how="the folder of TensorBoard is no argument any more"
    ),
}


def moved_name(package: str, name: str) -> Moved | None:
    """What became of a name of a package; None if that is not known."""
    package = _package(package)
    return _NAMES.get(f"{package}.{name}")


def name_today(seen: SeenError, message: str) -> Mapping[str, str]:
    """The value `today` of an error of a name of a package: what became of it."""
    moved = moved_name(seen["package"], seen["name"])
    return {"today": moved.told} if moved is not None else {}


def moved_attribute(cls: type, name: str) -> Moved | None:
    """What became of an attribute of a class's objects; None if that is not known."""
    for base in cls.__mro__:
        package = _package(base.__module__)
        kind = "Tokenizer" if "Tokeniz" in base.__name__ else base.__name__
        if found := _OF_OBJECTS.get(f"{package}.{kind}.{name}"):
            return found
    return None


def _package(module: str) -> str:
    top = module.partition(".")[0]
    return "pytorch_lightning" if top == "lightning" else top


# -- arguments -------------------------------------------------------------------------------

_NUMBER = r"(?P<n>[1-9]\d*)"
_OFF = r"0|None|False"
_Row = tuple[tuple[str, str], ...]  # what is given, as a pattern → what is given today; "": nothing

_LIGHTNING: Mapping[str, _Row] = {
    "gpus": (
        (_OFF, 'accelerator="cpu"'),
        (_NUMBER, 'accelerator="auto", devices={n}'),
        (r"-1", 'accelerator="auto", devices="auto"'),
        (r"(?P<n>\[[\d, ]+\])", 'accelerator="gpu", devices={n}'),
        (r".*", 'accelerator="auto", devices="auto"'),
    ),
    "tpu_cores": ((_OFF, ""), (r"(?P<n>.*)", 'accelerator="tpu", devices={n}')),
    "num_processes": ((r"(?P<n>.*)", "devices={n}"),),
    "auto_select_gpus": ((r".*", 'devices="auto"'),),
    "distributed_backend": ((r"None|['\"]dp['\"]", ""), (r"(?P<n>.*)", "strategy={n}")),
    "progress_bar_refresh_rate": (
        (_OFF, "enable_progress_bar=False"), (r".*", "enable_progress_bar=True"),
    ),
    "weights_summary": (
        (_OFF, "enable_model_summary=False"), (r".*", "enable_model_summary=True"),
    ),
    "checkpoint_callback": (
        (r"(?P<n>True|False|None)", "enable_checkpointing={n}"),
        (r"(?P<n>.*)", "callbacks=[{n}]"),
    ),
    "early_stop_callback": ((_OFF, ""), (r"(?P<n>.*)", "callbacks=[{n}]")),
    "flush_logs_every_n_steps": ((r".*", ""),),
    "row_log_interval": ((r"(?P<n>.*)", "log_every_n_steps={n}"),),
    "max_nb_epochs": ((r"(?P<n>.*)", "max_epochs={n}"),),
    "min_nb_epochs": ((r"(?P<n>.*)", "min_epochs={n}"),),
    "overfit_pct": ((r"(?P<n>.*)", "overfit_batches={n}"),),
    "train_percent_check": ((r"(?P<n>.*)", "limit_train_batches={n}"),),
    "val_percent_check": ((r"(?P<n>.*)", "limit_val_batches={n}"),),
    "test_percent_check": ((r"(?P<n>.*)", "limit_test_batches={n}"),),
    "nb_sanity_val_steps": ((r"(?P<n>.*)", "num_sanity_val_steps={n}"),),
    "terminate_on_nan": ((r"(?P<n>.*)", "detect_anomaly={n}"),),
    "replace_sampler_ddp": ((r"(?P<n>.*)", "use_distributed_sampler={n}"),),
    "auto_lr_find": ((_OFF, ""),),
    "auto_scale_batch_size": ((_OFF, ""),),
    "resume_from_checkpoint": ((_OFF, ""),),
    "amp_level": ((r".*", ""),),
    "amp_backend": ((r".*", ""),),
    "move_metrics_to_cpu": ((_OFF, ""),),
    "track_grad_norm": ((r"-1", ""),),
    "process_position": ((r".*", ""),),
    "prepare_data_per_node": ((r".*", ""),),
}  # fmt: skip
_HF_TRAINER: Mapping[str, _Row] = {
    "tokenizer": ((r"(?P<n>.*)", "processing_class={n}"),),
}

# The function or class → keyword → what is given today, by what was given.
_ARGUMENTS: Mapping[str, Mapping[str, _Row]] = {
    "pytorch_lightning.Trainer": _LIGHTNING,
    "pytorch_lightning.ModelCheckpoint": {
        "filepath": ((r"(?P<n>.*)", "dirpath={n}"),),
        "period": ((r"(?P<n>.*)", "every_n_epochs={n}"),),
        "prefix": ((r"(?P<n>.*)", "filename={n}"),),
    },
    "transformers.Trainer": _HF_TRAINER,
    "transformers.Seq2SeqTrainer": _HF_TRAINER,
    "transformers.TrainingArguments": {
        "no_cuda": ((r"(?P<n>.*)", "use_cpu={n}"),),
        "evaluate_during_training": (
            (_OFF, 'eval_strategy="no"'), (r".*", 'eval_strategy="steps"'),
        ),
        "overwrite_output_dir": ((r".*", ""),),
        "logging_dir": ((r".*", ""),),
        "save_safetensors": ((r".*", ""),),
        "warmup_ratio": ((r"(?P<n>.*)", "warmup_steps={n}"),),
        "group_by_length": (
            (_OFF, ""), (r".*", 'train_sampling_strategy="group_by_length"'),
        ),
    },
    "torchvision.save_image": {"range": ((r"(?P<n>.*)", "value_range={n}"),)},
    "torchvision.make_grid": {"range": ((r"(?P<n>.*)", "value_range={n}"),)},
    "torchvision.RandomRotation": {"resample": ((r"(?P<n>.*)", "interpolation={n}"),)},
    "torchvision.RandomAffine": {"resample": ((r"(?P<n>.*)", "interpolation={n}"),)},
    "torchvision.RandomPerspective": {"resample": ((r"(?P<n>.*)", "interpolation={n}"),)},
    "sklearn.OneHotEncoder": {"sparse": ((r"(?P<n>.*)", "sparse_output={n}"),)},
    "sklearn.mean_squared_error": {"squared": ((r"True", ""),)},
    "accelerate.Accelerator": {
        "fp16": ((_OFF, ""), (r".*", 'mixed_precision="fp16"')),
    },
}  # fmt: skip

# What has no argument today, and how it is done instead.
_WITHOUT: Mapping[str, str] = {
    "pytorch_lightning.Trainer.resume_from_checkpoint": "`trainer.fit(model, ckpt_path=path)`",
    "pytorch_lightning.Trainer.auto_lr_find": "`Tuner(trainer).lr_find(model)`",
    "pytorch_lightning.Trainer.auto_scale_batch_size": "`Tuner(trainer).scale_batch_size(model)`",
    "sklearn.mean_squared_error.squared": "`root_mean_squared_error(y_true, y_pred)`",
    "torch.export.example_outputs": "nothing: the exporter finds them out, leave it out",
}


@dataclass(frozen=True)
class MovedArgument:
    """What is given today in place of an argument; `arguments` is empty where nothing is."""

    arguments: str = ""
    how: str = ""  # where another call does it

    @property
    def told(self) -> str:
        """What does it today, as the rest of a sentence."""
        if self.how:
            return f"today another call does that: {self.how}"
        return f"today that is `{self.arguments}`" if self.arguments else "today it is left out"


def moved_argument(
    package: str, function: str, keyword: str, value: str | None = None
) -> MovedArgument | None:
    """What became of an argument; None if that is not known.

    Args:
        package: the first part of the module that the function is from.
        function: its name, or that of the class.
        keyword: the argument's.
        value: what the program gives, as text; None: any number of one.
    """
    package = _package(package)
    if how := _WITHOUT.get(f"{package}.{function}.{keyword}"):
        rows = _ARGUMENTS.get(f"{package}.{function}", {}).get(keyword, ())
        off = value is not None and any(re.fullmatch(given, value) for given, _ in rows)
        if not off:
            return MovedArgument(how=how)
    for pattern, today in _ARGUMENTS.get(f"{package}.{function}", {}).get(keyword, ()):
        if found := re.fullmatch(pattern, "1" if value is None else value, re.DOTALL):
            return MovedArgument(today.format(**found.groupdict()))
    return None


def moved_keyword(function: str, keyword: str, value: str | None = None) -> MovedArgument | None:
    """The same where the package is not known; None if that of several is meant, or of none."""
    names = (*_ARGUMENTS, *(name.rpartition(".")[0] for name in _WITHOUT))
    packages = {name.partition(".")[0] for name in names if name.partition(".")[2] == function}
    found = {moved_argument(package, function, keyword, value) for package in packages} - {None}
    return found.pop() if len(found) == 1 else None
