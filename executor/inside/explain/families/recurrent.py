"""Recurrent and attention layers: input size, hidden state, batch order."""

from __future__ import annotations

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import dims, dtype, listed


@explains("recurrent", "rnn_input_size")
def input_size(scene: Scene, m: SeenError) -> Told:
    """The layer's input_size, the last dimension it got, and which dimension would fit."""
    layer, x = scene.layer, scene.input
    if layer is None or x is None:
        return None
    wanted, got = layer.value.input_size, x.shape[-1]
    text = (
        f"{layer.told}; {scene.input_told()}. Its last dimension is {got}, input_size is {wanted}"
    )
    facts = {"input_size": wanted, "input": list(x.shape)}
    if wanted in x.shape[:-1]:
        return f"{text}; dimension {x.shape.index(wanted)} is {wanted}.", facts
    if wanted == 1:
        return f"{text}: one value a step would be a last dimension of 1.", facts
    either = f"either input_size would have to be {got}, or that dimension {wanted}"
    return f"{text}: {either}.", facts


@explains(
    "recurrent",
    "rnn_hidden_size",
    "rnn_hidden_batch",
    "rnn_hidden_dimensions",
    "rnn_cell_hidden_size",
)
def hidden(scene: Scene, m: SeenError) -> Told:
    """The hidden state's shape as it is and as the layer needs it for this batch."""
    layer, x = scene.layer, scene.input
    if layer is None or x is None:
        return None
    rnn = layer.value
    state = scene.local("hx", "hidden")
    states = state if type(state) is tuple else (state,)
    found = next((s for s in states if s is not None and hasattr(s, "shape")), None)
    written = scene.as_written(state) if state is not None else None
    name = f"`{written.name}`{written.place}" if written else "the hidden state it is given"
    got = dims(found.shape) if found is not None else "another shape"
    text = f"{layer.told}; {scene.input_told()}, and {name} is {got}."
    if not hasattr(rnn, "num_layers"):
        if len(x.shape) == 1:  # the cell has made a batch of one of both by now
            return (
                f"{layer.told}; {scene.input_told()}. An input with 1 dimension is one sample "
                f"without a batch: its state would be [{rnn.hidden_size}]."
            )
        return f"{text} For this input, it would be [{x.shape[0]}, {rnn.hidden_size}]."
    each = rnn.num_layers * (2 if rnn.bidirectional else 1)
    if len(x.shape) == 2:
        return (
            f"{text} An input with 2 dimensions is one sequence without a batch: its state "
            f"would be [{each}, {rnn.hidden_size}]."
        )
    batch = x.shape[0] if rnn.batch_first else x.shape[1]
    want = [each, batch, rnn.proj_size or rnn.hidden_size]
    more = ""
    state_batch = found.shape[1] if found is not None and len(found.shape) == 3 else None
    if not rnn.batch_first and state_batch == x.shape[0] != batch:
        more = (
            f" It is not batch_first, so dimension 1 of the input is the batch ({batch}); "
            f"dimension 0 is {x.shape[0]}."
        )
    back = ""
    if state_batch is not None and state_batch != batch and found is not None:
        back = f"; for this state, the input's batch of {batch} would be {state_batch}"
    return f"{text} For this input it would be {want}{back}.{more}", {"hidden": want, "got": got}


@explains(
    "recurrent", "rnn_dimensions", "rnn_lengths_tensor", "rnn_lengths_order", "rnn_lengths_positive"
)
def dimensions(scene: Scene, m: SeenError) -> Told:
    """How many dimensions the input has."""
    layer, x = scene.layer, scene.input
    if layer is not None and x is not None:
        n = len(x.shape)
        takes = (
            "1 dimension, or 2 with a batch"
            if "Cell" in type(layer.value).__name__
            else "2 dimensions, or 3 with a batch"
        )
        return f"{layer.told}; {scene.input_told()}: {n} dimensions. It takes {takes}."
    lengths = scene.local_thing("lengths") or scene.argument(1, "lengths")
    if lengths is None:
        return None
    if lengths.is_tensor:
        return (
            f"{lengths.ticked}{lengths.place} is {dtype(lengths.value)} {dims(lengths.shape)} "
            f"on {lengths.value.device}, where one int64 per sequence is taken: [n] on "
            f"cpu."
        )
    return f"{lengths}."


@explains(
    "attention",
    "attention_embedding",
    "attention_mask",
    "attention_padding_mask",
    "attention_heads",
    "attention",
)
def attention(scene: Scene, m: SeenError) -> Told:
    """The sizes that attention compares."""
    parts: list[str] = []
    for name in ("query", "key", "src", "tgt", "attn_mask", "key_padding_mask"):
        value = scene.layer_arguments.get(name)
        thing = (scene.as_written(value) or Thing(name, value)) if is_tensor(value) else None
        if thing is not None and all(thing.ticked not in p for p in parts):
            label = "" if thing.name == name else f" as {name}"
            parts.append(f"{thing}{label}")
    layer = scene.layer
    if layer is None or not parts:
        return None
    heads = layer.value
    extra = ""
    if hasattr(heads, "num_heads"):
        extra = f" with embed_dim {heads.embed_dim} and {heads.num_heads} heads"
        extra += ", batch_first" if heads.batch_first else ", not batch_first"
    name = f"`{layer.name}` is" if layer.name else "The layer is"
    made = f", made at line {layer.line}" if layer.line else ""
    return f"{name} {type(heads).__name__}{extra}{made}; it gets {listed(parts)}."
