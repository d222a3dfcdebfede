"""Layers that normalise: over the batch, a layer, groups or a sample."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

_SEVERAL_GPUS = r"(?<!Distributed)\bDataParallel\b|(?i:(?<!distributed)\bdata.parallel\b)"


def _channels_second(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether what LayerNorm was made for stands in the second dimension."""
    wanted, sizes = seen.sizes("normalized_shape"), seen.sizes("input")
    return (
        {"second": "yes"} if len(wanted) == 1 and len(sizes) > 2 and sizes[1] == wanted[0] else {}
    )


FAMILIES = (
    ErrorFamily(
        id="norm_of_weights_missing",
        says="weight_norm or spectral_norm is to be removed from a layer without that kind of it.",
        decides=True,
        means=(
            Sentence(
                "This {norm} is a parametrization (`torch.nn.utils.parametrizations`), and "
                "`remove_{norm}` takes away the older kind alone, which was a hook",
                {"layer": r"Parametrized\w*"},
            ),
            "The layer has no {norm} of `{name}` that `remove_{norm}` knows of | it was removed "
            "already, or never put there",
        ),
        remedy=(
            Sentence(
                "`torch.nn.utils.parametrize.remove_parametrizations(layer, '{name}')` keeps the "
                "weight as it is computed now, so that outputs stay the same. A checkpoint of the "
                "older kind (`weight_g`, `weight_v`) is loaded before that, into the model with "
                "the parametrization, which reads those keys",
                {"layer": r"Parametrized\w*", "norm": r"weight_norm"},
            ),
            Sentence(
                "`torch.nn.utils.parametrize.remove_parametrizations(layer, '{name}')` keeps the "
                "weight as it is computed now",
                {"layer": r"Parametrized\w*"},
            ),
            "Print the layer: what `torch.nn.utils.parametrizations` made shows a "
            "`ParametrizationList`, and is removed by "
            "`torch.nn.utils.parametrize.remove_parametrizations(layer, '{name}')`; of the older "
            "kind the parameters are called `weight_g` and `weight_v` (`weight_orig`). With "
            "neither there is nothing to remove",
        ),
        suspects=(Suspect(r"remove_(?:weight|spectral)_norm"),),
        types=("ValueError",),
        today=(
            r"(?P<norm>weight_norm|spectral_norm) of '(?P<name>\w{1,80})' not found in "
            r"(?P<layer>\w{0,80})",
        ),
        values={
            "norm": "which of the two",
            "name": "of the parameter",
            "layer": "class of the layer",
        },
        sample=(
            "layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))\n"
            "nn.utils.remove_weight_norm(layer)"
        ),
    ),
    ErrorFamily(
        id="batchnorm_one_value",
        says="A normalisation layer in training mode gets a single value for each channel.",
        means=(
            "BatchNorm in training gets {input}, a single value per channel, and has nothing to "
            "average: there is one sample here",
            (
                "A normalisation layer in training gets a single value per channel and has "
                "nothing to average: there is one sample here"
            ),
        ),
        remedy=(
            Sentence(
                "DataParallel cuts a batch into as many parts as there are GPUs, and each part "
                "needs two samples or more at a layer that sees one value of each (behind a global "
                "pooling), so `batch_size` at least twice the number of GPUs, in each batch "
                "(`drop_last=True`). Where that does not fit, use GroupNorm there, leave that "
                "normalisation out, or keep it in eval mode; SyncBatchNorm takes a process for "
                "each GPU (DistributedDataParallel)",
                {"words": _SEVERAL_GPUS},
            ),
            "If it comes at the end of an epoch, give the loader `drop_last=True` (or a batch "
            "size that leaves no single sample). If it comes in a prediction, an export or a "
            "summary of the model, which run a single sample, call `model.eval()` before. If "
            "batches of one are meant in training, use GroupNorm or LayerNorm",
        ),
        suspects=(Suspect(r"BatchNorm[123]d|DataLoader"),),
        types=("ValueError",),
        today=(
            r"Expected more than 1 (?P<unit>value per channel)(?: when training)?(?:, got input "
            r"size (?:torch\.Size\()?(?P<input>\[[\d, ]*\]))?",
        ),
        values={"unit": "what there is only one of", "input": "shape of the input"},
        sample="nn.BatchNorm1d(8)(torch.ones(1, 8))",
        examples=(
            "ValueError: Expected more than 1 value per channel when training, got input size "
            "[1, 256, 1, 1]",
        ),
    ),
    ErrorFamily(
        id="instancenorm_one_element",
        says="InstanceNorm gets maps of a single element.",
        means=(
            "InstanceNorm gets maps of a single element, which have nothing to be normalised by: "
            "their own mean is all that they are",
        ),
        remedy=(
            "The batch size plays no part, and an older torch without the check gives zeros "
            "there. Each layer with stride 2 halves the map: use one of them fewer, images twice "
            "as large, or no norm where the maps are 1x1",
        ),
        types=("ValueError",),
        today=(
            r"Expected more than 1 spatial element(?: when training)?(?:, got input size "
            r"(?:torch\.Size\()?(?P<input>\[[\d, ]*\]))?",
        ),
        values={"input": "shape of the input"},
        sample="nn.InstanceNorm2d(8)(torch.ones(2, 8, 1, 1))",
    ),
    ErrorFamily(
        id="norm_dimensions",
        says="A BatchNorm or InstanceNorm layer is of another number of dimensions than its input.",
        means=("A BatchNorm or InstanceNorm layer takes {wanted} input and gets {given}",),
        remedy=(
            *(
                Sentence(
                    "`vmap` takes the batch dimension away: inside it the layer gets one sample. "
                    "Give it a batch of one there: `vmap(lambda a: net(a.unsqueeze(0)).squeeze(0))"
                    "(x)`. In eval mode, with running statistics, a sample's output does not "
                    "depend on the others",
                    {"given": r"\dD", where: r"\bvmap\("},
                )
                for where in ("line", "code")
            ),
            Sentence(
                "Print the shape before the layer. If it is one sample without its batch, "
                "`x.unsqueeze(0)`; if a `view`, `squeeze` or index before took a dimension away, "
                "mend that; if the dimensions are meant, take the layer for them: BatchNorm1d for "
                "[batch, features] (after a Linear) or [batch, channels, length]",
                {"wanted": "4D", "given": "[23]D"},
            ),
            "Take the one that fits where it stands: BatchNorm1d for [batch, features] (after a "
            "Linear) or [batch, channels, length], BatchNorm2d for pictures [batch, channels, "
            "height, width], BatchNorm3d for one dimension more. If the input should have them, "
            "print its shape: a `view` or `squeeze` before took one away",
        ),
        suspects=(Suspect(r"(?:Batch|Instance)Norm\dd"),),
        types=("ValueError",),
        today=(r"^expected (?P<wanted>\dD) input \(got (?P<given>\dD) input\)",),
        values={"wanted": "what it takes", "given": "what it gets"},
        sample="nn.BatchNorm2d(2)(torch.ones(1, 2))",
    ),
    ErrorFamily(
        id="batchnorm_features",
        says="BatchNorm gets another number of channels than its num_features.",
        means=("BatchNorm was made for {num_features} channels and gets {channels}",),
        remedy=(
            "If {channels} is the number of channels that the layer before it gives, make it with "
            "{channels}. If it is another dimension (the length of a sequence), bring the "
            "channels to the second place: `x.transpose(1, 2)`; and use 2d after Conv2d, 1d after "
            "Linear",
        ),
        suspects=(
            Suspect(
                r"BatchNorm[123]d|SyncBatchNorm|InstanceNorm[123]d",
                "made for {num_features} channels",
                {0: "{num_features}", "num_features": "{num_features}"},
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"running_mean should contain (?P<channels>\d+) elements not (?P<num_features>\d+)",
        ),
        values={
            "channels": "channels of the input",
            "num_features": "that the layer was made for",
        },
        sample="nn.BatchNorm1d(8)(torch.ones(4, 16))",
    ),
    ErrorFamily(
        id="layernorm_shape",
        says="LayerNorm gets an input that does not end in its normalized_shape.",
        means=(
            "LayerNorm was made for the last sizes {normalized_shape} and gets {input}",
            (
                "LayerNorm was made for the last sizes {normalized_shape}, and its input "
                "does not end in them"
            ),
        ),
        remedy=(
            Sentence(
                "The {normalized_shape} stands in the second dimension, as the channels of a "
                "convolution do: bring it to the end and back (`norm(x.transpose(1, "
                "-1)).transpose(1, -1)`), or use `nn.GroupNorm(1, channels)`, which takes channels "
                "there, and averages over the places too",
                {"second": r"yes"},
            ),
            (
                "normalized_shape has to be the last dimensions of the input, often only "
                "the last one: print `x.shape` before it. If a length stands in normalized_shape, "
                "it takes no other length; if only the features are to be normalised, give their "
                "number alone"
            ),
        ),
        derive=_channels_second,
        suspects=(Suspect(r"LayerNorm", "made for {normalized_shape}"),),
        types=("RuntimeError",),
        today=(
            r"Given normalized_shape=(?P<normalized_shape>\[[\d, ]*\]), expected input with shape "
            r"(?P<expected>\[[*\d, ]*\])(?:, but got input of size\s?(?P<input>\[[\d, ]*\]))?",
        ),
        values={
            "normalized_shape": "that the layer was made for",
            "expected": "shape it takes; * is any size",
            "input": "shape of the input",
        },
        sample="nn.LayerNorm(8)(torch.ones(4, 16))",
    ),
    ErrorFamily(
        id="norm_weight",
        says="The weight of a normalisation does not go with its input.",
        means=(
            ("The weight of a normalisation has {size} entries and the input {channels} channels"),
            ("The weight of a normalisation has the shape {weight}, and its input {input}"),
        ),
        remedy=("The layer needs as many channels as its input has in its second dimension",),
        types=("RuntimeError",),
        today=(
            r"\bweight should contain (?P<channels>\d+) elements not (?P<size>\d+)",
            r"Expected weight to be a vector of size equal to the number of channels in input, but "
            r"got weight of shape (?P<weight>\[[\d, ]*\]) and input of shape "
            r"(?P<input>\[[\d, ]*\])",
        ),
        values={
            "channels": "channels of the input",
            "size": "entries of the weight",
            "weight": "shape of the weight",
            "input": "shape of the input",
        },
        sample="F.group_norm(torch.ones(2, 6, 4), 3, torch.ones(4))",
    ),
    ErrorFamily(
        id="groupnorm_channels",
        says="GroupNorm gets channels that cannot be divided into its groups.",
        decides=True,
        means=("GroupNorm gets channels that cannot be divided into its groups",),
        remedy=("The channels of its input have to be a multiple of num_groups",),
        suspects=(Suspect(r"GroupNorm|group_norm"),),
        types=("RuntimeError",),
        today=(r"Expected number of channels in input to be divisible by num_groups",),
        sample="F.group_norm(torch.ones(2, 5, 4), 3)",
    ),
    ErrorFamily(
        id="groupnorm_made",
        says="GroupNorm is made with channels that cannot be divided into its groups.",
        decides=True,
        means=(
            (
                "GroupNorm is made with {channels} channels in {groups} groups, which does "
                "not divide"
            ),
            "GroupNorm is made with channels that cannot be divided into its groups",
        ),
        remedy=("Choose num_groups so that it divides num_channels",),
        suspects=(Suspect(r"GroupNorm"),),
        types=("ValueError",),
        today=(
            r"num_channels \((?P<channels>\d+)\) must be divisible by num_groups "
            r"\((?P<groups>\d+)\)",
        ),
        older=(r"num_channels must be divisible", r"must be divisible by num_channels"),
        values={"channels": "of the layer", "groups": "of the layer"},
        sample="nn.GroupNorm(3, 5)",
    ),
)
