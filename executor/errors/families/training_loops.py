"""Lightning and torchmetrics: hooks, loaders, what is logged, and what a metric takes."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

_LIGHTNING = "lightning"
_METRICS = "torchmetrics"

# A value that is logged at each step and never gathered, and the names of what an evaluation logs.
_OF_STEPS_ALONE = r"\.log(?:_dict)?\([^\n]{0,300}\bon_epoch\s{0,3}=\s{0,3}False"
_OF_AN_EVALUATION = r"(?i).*(?:val|test|dev).*"

# Rows that were pooled to one for each graph, given to a layer of nodes under the same name.
_POOLED_AND_USED_ON = (
    r"\b(\w+) *= *global_\w+_pool\( *(?:\w+)\b[^\n]{0,80}(?:\n[^\n]{0,200}){0,3}?"
    r"\n[^\n]{0,80}\b\w*[cC]onv\w*\( *\1 *, *[\w.]"
)


def _rows_of_nodes(seen: SeenError, message: str) -> Mapping[str, str]:
    """How many rows `x` has: older wordings name it as where the interval ends, newer the last."""
    return {"rows": str(seen.number("nodes") + (seen["bracket"] == "]"))}


FAMILIES = (
    ErrorFamily(
        id="lightning_hook_missing",
        says="A LightningModule lacks a method that the Trainer calls.",
        means=("The LightningModule has no `{hook}`, and the Trainer needs it",),
        remedy=(
            "Write it into the class, with that very name and at the indentation of the other "
            "methods; a loader may be given to `trainer.fit(model, loader)` instead",
        ),
        suspects=(Suspect(r"fit|validate|test|predict"),),
        types=("MisconfigurationException",),
        today=(r"No `(?P<hook>\w+)(?:\(\))?` method defined",),
        values={"hook": "the method"},
        needs=_LIGHTNING,
        examples=(
            "MisconfigurationException: No `training_step()` method defined. Lightning `Trainer` "
            "expects as minimum `training_step()`, `train_dataloader()` and "
            "`configure_optimizers()` to be defined.",
        ),
    ),
    ErrorFamily(
        id="lightning_scheduler_unknown",
        says="Lightning does not know the schedule as one of PyTorch's.",
        means=(
            "Lightning does not take `{scheduler}` for a schedule of PyTorch's | a Lightning older "
            "than the torch beside it (2.0 gave the schedules another base class), or a schedule "
            "of one's own",
        ),
        remedy=(
            "If it is one of `torch.optim.lr_scheduler`, use a Lightning that was made for this "
            "torch (1.9 or newer for torch 2). If it is one's own, define `lr_scheduler_step(self, "
            "scheduler, metric)` in the module and step it there",
        ),
        types=("MisconfigurationException",),
        today=(r"The provided lr scheduler `(?P<scheduler>\w+)` doesn't follow PyTorch's LRSch",),
        values={"scheduler": "its class"},
        needs=_LIGHTNING,
        examples=(
            "MisconfigurationException: The provided lr scheduler `StepLR` doesn't follow "
            "PyTorch's LRScheduler API.",
        ),
    ),
    ErrorFamily(
        id="lightning_log_place",
        says="Lightning's log() is called where nothing collects what it logs.",
        means=(
            "self.log() is called where Lightning collects nothing | in a hook in which it is not "
            "taken, or in a step that was called by hand, without a Trainer",
        ),
        remedy=(
            "Call it in training_step, validation_step, test_step or one of their epoch-end hooks, "
            "with `trainer.fit(module, …)` running them; elsewhere "
            "`self.logger.log_metrics({{…}}, step)`",
        ),
        suspects=(Suspect(r"log|log_dict"),),
        types=("MisconfigurationException", "RuntimeError"),
        today=(r"You(?:'re| are) trying to `self\.log\(\)`",),
        needs=_LIGHTNING,
        examples=(
            "MisconfigurationException: You are trying to `self.log()` but it is not managed by "
            "the `Trainer` control flow",
        ),
    ),
    ErrorFamily(
        id="old_environment",
        says="An environment of reinforcement learning follows the older interface.",
        decides=True,
        means=(
            "The environment's reset() gives the observation alone, as the gym of old did; "
            "gymnasium wants (observation, info)",
        ),
        remedy=(
            "Return `obs, dict()` from reset(self, *, seed=None, options=None), and `obs, reward, "
            "terminated, truncated, info` from step()",
        ),
        suspects=(Suspect(r"make|reset"),),
        types=("AssertionError",),
        today=(r"result returned by `env\.reset\(\)` was not a tuple of the form",),
        needs="gymnasium",
        examples=(
            "AssertionError: The result returned by `env.reset()` was not a tuple of the form "
            "`(obs, info)`",
        ),
    ),
    ErrorFamily(
        id="lightning_loader_missing",
        says="Lightning's Trainer gets no loader.",
        means=("The Trainer was given no loader, and the module makes none",),
        remedy=(
            "`trainer.fit(model, train_loader)`, or let the LightningModule or LightningDataModule "
            "return one from `train_dataloader`",
        ),
        suspects=(Suspect(r"fit|validate|test|predict"),),
        types=("MisconfigurationException", "TypeError"),
        today=(
            r"An invalid dataloader was passed to `Trainer\.(?P<step>\w+)",
            r"No [`']\w{1,40}_dataloader\(\)[`'] method defined to run [`']Trainer\.(?P<step>\w+)",
        ),
        values={"step": "the Trainer's method"},
        needs=_LIGHTNING,
        examples=(
            "MisconfigurationException: An invalid dataloader was passed to "
            "`Trainer.fit(train_dataloaders=...)`. Either pass the dataloader to the `.fit()` "
            "method OR implement `def train_dataloader(self):` in your LightningModule.",
        ),
    ),
    ErrorFamily(
        id="lightning_hook_removed",
        says="A hook is written that Lightning has no more.",
        decides=True,
        means=("Lightning calls no `{hook}` any more since 2.0",),
        remedy=(
            "Name it `on_{phase}_epoch_end(self)`, without outputs: keep in a list of the module "
            "what the step computes (`self.outputs.append(…)`), and clear the list there. "
            "A mean of the epoch is what `self.log(name, value, on_epoch=True)` gives",
        ),
        suspects=(Suspect(r"fit|validate|test"),),
        types=("NotImplementedError", "RuntimeError"),
        today=(
            r"Support for `(?P<hook>(?P<phase>training|validation|test)_epoch_end)` has been "
            r"removed",
        ),
        values={"hook": "its name", "phase": "training, validation or test"},
        derive=lambda seen, message: {"phase": seen["phase"].replace("training", "train")},
        needs=_LIGHTNING,
        examples=(
            "NotImplementedError: Support for `training_epoch_end` has been removed in v2.0.0. `M` "
            "implements this method. You can use the `on_train_epoch_end` hook instead.",
        ),
    ),
    ErrorFamily(
        id="property_without_setter",
        says="An attribute is set that the class only computes.",
        decides=True,
        means=(
            Sentence(
                "`{name}` is a property, and nothing may be assigned to it", {"name": r".+"}
            ),
            "An attribute is set that only gives its value: a property, or a field of a named "
            "tuple",
        ),
        remedy=(
            Sentence(
                "In a LightningModule `self.save_hyperparameters()` (or "
                "`self.save_hyperparameters(hparams)`) sets it; `self.hparams` reads it",
                {"name": r"hparams"},
            ),
            Sentence(
                "A LightningModule knows its device: `self.device`; call your own by another name",
                {"name": r"device|dtype|trainer|logger|global_step|current_epoch"},
            ),
            Sentence(
                "Since torch 1.8 a transform's `event_dim` follows from its `domain` and "
                "`codomain`: leave the assignment out, and write both into the class, for vectors "
                "`domain = codomain = torch.distributions.constraints.real_vector`",
                {"name": r"event_dim"},
            ),
            Sentence(
                "A distribution hands its shapes to its base class: `super().__init__("
                "batch_shape, event_shape)`",
                {"name": r"batch_shape|event_shape"},
            ),
            "If a class that yours is derived from computes it, leave the assignment out, and give "
            "that class what it computes it from; if it is an attribute of yours alone, give it "
            "another name; if it is a field of a named tuple: `x = x._replace(field=value)`",
        ),
        suspects=(Suspect(r"{name}", "", kinds=("attribute", "change")),),
        types=("AttributeError",),
        today=(r"^property '(?P<name>\w+)' of '(?P<type>[\w.]+)' object has no setter",),
        older=(r"^can't set attribute(?: '(?P<name>\w+)')?$",),
        values={"name": "of the attribute", "type": "class of the object"},
        sample=(
            "class Net(nn.Module):\n    @property\n    def size(self):\n        return 3\n\n"
            "Net().size = 4"
        ),
        examples=("AttributeError: can't set attribute 'hparams'",),
    ),
    ErrorFamily(
        id="metric_not_logged",
        says="A callback watches a value that nothing logs under that name.",
        means=(
            Sentence(
                "`{name}` is logged with `on_epoch=False`: such a value goes to the logger at each "
                "step, and a callback watches only what is gathered over a whole validation",
                {"named": _OF_STEPS_ALONE, "name": _OF_AN_EVALUATION},
            ),
            Sentence(
                "`{name}` is watched and logged in what you posted, and not there yet when it is "
                "asked for",
                {"named": r"\blog(?:_dict)?\("},
            ),
            "`{name}` is watched, and is not among what was logged",
        ),
        remedy=(
            Sentence(
                "Leave out `on_step` and `on_epoch` there: in `validation_step` the default is one "
                "mean for each run of the validation, under the name `{name}` itself, also where "
                "it runs several times in an epoch (`val_check_interval`)",
                {"named": _OF_STEPS_ALONE, "name": _OF_AN_EVALUATION},
            ),
            Sentence(
                "Look whether that line is reached before it is asked for: the validation has to "
                "run by then (a loader for it, `check_val_every_n_epoch`), and no `if` may skip "
                "the line. Print `trainer.callback_metrics` to see what is there",
                {"named": r"\blog(?:_dict)?\("},
            ),
            "The message lists what was logged. If it is there under another name, watch that; if "
            'not, `self.log("{name}", value)`, in `validation_step` if it is of the validation. A '
            "validation that does not run each time (`check_val_every_n_epoch`, no loader) logs "
            "nothing",
        ),
        suspects=(Suspect(r"ModelCheckpoint|EarlyStopping|log|ReduceLROnPlateau"),),
        types=("MisconfigurationException", "RuntimeError"),
        today=(
            r"ModelCheckpoint\(monitor='(?P<name>[\w/.-]{1,100})'\)`? (?:could not|not found)",
            r"Early stopping conditioned on metric `(?P<name>[\w/.-]{1,100})` which is not avail",
            r"ReduceLROnPlateau conditioned on metric (?P<name>[\w/.-]{1,100}) which is not avail",
        ),
        values={"name": "of the value"},
        needs=_LIGHTNING,
        examples=(
            "MisconfigurationException: `ModelCheckpoint(monitor='val_acc')` could not find the "
            "monitored key in the returned metrics: ['train_loss', 'epoch', 'step'].",
            "RuntimeError: Early stopping conditioned on metric `val_loss` which is not available. "
            "Pass in or modify your `EarlyStopping` callback to use any of the following: "
            "`train_loss`",
        ),
    ),
    ErrorFamily(
        id="step_without_loss",
        says="A training step returns a dictionary without a loss.",
        means=("`training_step` returns a dictionary that has no `loss`",),
        remedy=("Return the loss, or a dictionary that has it under the key `loss`",),
        suspects=(Suspect(r"fit|training_step"),),
        types=("MisconfigurationException",),
        today=(
            r"when `training_step` returns a dict, the 'loss' key needs to be present",
            r"`training_step` must return a Tensor, a dict, or None",
        ),
        needs=_LIGHTNING,
        examples=(
            "MisconfigurationException: In automatic_optimization, when `training_step` returns a "
            "dict, the 'loss' key needs to be present",
        ),
    ),
    ErrorFamily(
        id="module_without_trainer",
        says="A LightningModule is asked for its Trainer before it has one.",
        decides=True,
        means=("The module is not attached to a Trainer there",),
        remedy=(
            "What asks for it (`self.trainer`, `self.log`, `self.global_step`) works only inside "
            "the hooks that `trainer.fit(model)` calls",
        ),
        types=("RuntimeError",),
        today=(r"^(?P<type>\w+) is not attached to a `Trainer`",),
        values={"type": "class of the module"},
        needs=_LIGHTNING,
        examples=("RuntimeError: Net is not attached to a `Trainer`.",),
    ),
    ErrorFamily(
        id="not_a_lightning_module",
        says="Lightning's Trainer is given a plain module.",
        decides=True,
        means=("The Trainer takes a LightningModule and gets a {type}",),
        remedy=(
            "Derive the class from `LightningModule` of the same package as the Trainer: "
            "`lightning` and `pytorch_lightning` have one each, and they do not mix",
        ),
        suspects=(Suspect(r"fit|validate|test|predict"),),
        types=("TypeError",),
        today=(r"`model` must be a `LightningModule`[^\n]{0,80}got `(?P<type>\w+)`",),
        values={"type": "class of what it gets"},
        needs=_LIGHTNING,
        examples=(
            "TypeError: `model` must be a `LightningModule` or `torch._dynamo.OptimizedModule`, "
            "got `Sequential`",
        ),
    ),
    ErrorFamily(
        id="accelerator_name",
        says="Lightning's Trainer is given a strategy where it takes an accelerator.",
        decides=True,
        means=("`{name}` is no accelerator",),
        remedy=(
            'An accelerator is the kind of device ("cpu", "gpu", "auto"); how several work '
            'together ("ddp") is `strategy=`, and how many there are `devices=`',
        ),
        suspects=(Suspect(r"Trainer"),),
        types=("ValueError", "MisconfigurationException"),
        today=(r"invalid accelerator name: `accelerator=['\"](?P<name>\w+)['\"]`",),
        values={"name": "that was given"},
        needs=_LIGHTNING,
        examples=(
            "ValueError: You selected an invalid accelerator name: `accelerator='ddp'`. Available "
            "names are: auto, cpu, cuda, mps, tpu.",
        ),
    ),
    ErrorFamily(
        id="metric_shapes",
        says="A metric gets predictions and targets of different shapes.",
        means=(
            "Predictions are {preds}, targets {target}; this metric takes the same shape",
            "Predictions and targets differ in shape, and this metric takes the same",
        ),
        remedy=(
            "Class scores [N, C] against class numbers [N] are the task `multiclass`, with "
            "`num_classes`; for `binary` take one score for each sample (`preds[:, 1]`, or "
            "`squeeze(1)`), or the predicted class (`argmax(1)`)",
        ),
        suspects=(Suspect(r"update|forward|accuracy|f1|metric|acc"),),
        types=("RuntimeError", "ValueError"),
        today=(
            r"Predictions and targets are expected to have the same shape, but got "
            r"torch\.Size\((?P<preds>\[[\d, ]*\])\) and torch\.Size\((?P<target>\[[\d, ]*\])\)",
            r"Expected `preds` and `target` to have the same shape",
        ),
        values={"preds": "sizes of the predictions", "target": "sizes of the targets"},
        needs=_METRICS,
        examples=(
            "RuntimeError: Predictions and targets are expected to have the same shape, but got "
            "torch.Size([4, 2]) and torch.Size([4]).",
        ),
    ),
    ErrorFamily(
        id="metric_values",
        says="A metric gets values that its task does not have.",
        means=(
            "`{name}` holds {found}, and this metric takes other values there",
            "`{name}` holds more different values than this metric takes there",
        ),
        remedy=(
            "`binary` and `multilabel` take 0 and 1, `multiclass` the numbers from 0 to "
            "`num_classes - 1`: the task or `num_classes` is another than the labels'; "
            "`ignore_index` leaves a padding value out",
        ),
        suspects=(Suspect(r"update|forward|accuracy|f1|metric|acc"),),
        types=("RuntimeError",),
        today=(
            r"Detected (?:the following|more unique) values in `(?P<name>\w+)`: "
            r"(?P<found>tensor\([^)]{1,300}\))",
            r"Detected more unique values in `(?P<name>\w+)` than expected",
        ),
        values={"name": "preds or target", "found": "the values"},
        needs=_METRICS,
        examples=(
            "RuntimeError: Detected the following values in `target`: tensor([0, 1, 2]) but "
            "expected only the following values [0, 1].",
        ),
    ),
    ErrorFamily(
        id="metric_option",
        says="A metric is made with an option that it does not have, or without one it needs.",
        means=("The metric's `{name}` has to be {wanted}",),
        remedy=(
            "`num_classes` belongs to `multiclass`, `num_labels` to `multilabel`; a mean of each "
            'sample (`average="samples"`) is `multidim_average="samplewise"`',
        ),
        suspects=(Suspect(r"[A-Z]\w+|\w+"),),
        types=("ValueError",),
        today=(
            r"Optional arg `(?P<name>\w+)` must be (?P<wanted>type `\w+` when task is \S+)\.",
            r"Expected argument `(?P<name>\w+)` to be (?P<wanted>one of \([^)]{1,200}\))",
        ),
        values={"name": "of the option", "wanted": "what it has to be"},
        needs=_METRICS,
        examples=(
            "ValueError: Optional arg `num_classes` must be type `int` when task is multiclass. "
            "Got <class 'NoneType'>",
            "ValueError: Expected argument `average` to be one of ('micro', 'macro', 'weighted', "
            "'none', None), but got samples",
        ),
    ),
    ErrorFamily(
        id="edges_outside",
        says="A graph's edges name nodes that it does not have.",
        decides=True,
        derive=_rows_of_nodes,
        means=(
            Sentence(
                "`edge_index` goes up to node {highest}, and the `x` that the layer is given has "
                "{rows} rows, one for each node that it may name",
                {"highest": r".+"},
            ),
            "`edge_index` names a node that the `x` which the layer is given has no row for: it "
            "has {rows}",
        ),
        remedy=(
            Sentence(
                "Pooling leaves one row for each graph, {rows} here, and the next layer needs one "
                "for each node: `h = conv1(x, edge_index)`, `p1 = global_add_pool(h, batch)`, `h = "
                "conv2(h, edge_index)`, and join the pooled ones, `torch.cat((p1, p2), 1)`",
                {"code": _POOLED_AND_USED_ON},
            ),
            Sentence(
                "For the layer `x` has one row: its nodes are counted along the last dimension but "
                "one. Print `x.shape` before it; an Embedding of [nodes, 1] gives [nodes, 1, "
                "channels], which wants `x.squeeze(1)`",
                {"rows": "1"},
            ),
            "Print `x.shape` and `edge_index.max()` right before that layer. If `x` has fewer rows "
            "than there are nodes, it is another one than this graph's (pooled, say); if it has a "
            "row for each, number the nodes from 0 without gaps, and build `edge_index` as [2, "
            "edges] of int64 (`.t().contiguous()` of a list of pairs)",
        ),
        suspects=(Suspect(r"conv\w*|\w*Conv|propagate|Data"),),
        types=("IndexError", "ValueError"),
        today=(
            r"'edge_index' point to valid indices in the interval \[0, (?P<nodes>\d+)"
            r"(?P<bracket>[)\]])(?: \(got interval \[\d+, (?P<highest>\d+)\]\))?",
        ),
        details=(r"larger than \d+ \(got (?P<highest>\d+)\)",),
        values={
            "nodes": "where the interval ends",
            "bracket": "whether that end is one of them, `]`, or not, `)`",
            "highest": "the largest node that is named",
        },
        needs="torch_geometric",
        examples=(
            "IndexError: Encountered an index error. Please ensure that all indices in "
            "'edge_index' point to valid indices in the interval [0, 3) in your node feature "
            "matrix and try again.",
            "IndexError: Encountered an index error. Please ensure that all indices in "
            "'edge_index' point to valid indices in the interval [0, 2] (got interval [0, 9])",
        ),
    ),
)  # fmt: skip
