"""What to do where something that gives several results is handed on whole."""

from __future__ import annotations

# Words or lines of a network that gives more in training than in evaluation.
GIVES_TWO = r"\b(?:inception|googlenet)|aux_logits|\baux\w*\b"
TWO_OUTPUTS = (
    "In training mode Inception and GoogLeNet give the output of their auxiliary classifiers too. "
    "Take them apart: `out, aux = model(x)` (GoogLeNet has two: `out, aux1, aux2`), and "
    "`loss = criterion(out, y) + 0.4 * criterion(aux, y)`; in evaluation mode one tensor comes. "
    "For another number of classes the auxiliary layer has to be replaced too "
    "(`model.AuxLogits.fc`)"
)
# A call that stands alone on its line, with a comma behind it.
ENDS_IN_A_COMMA = r"^\s*[\w.]+ = [\w.]+\((?:[^()]|\([^()]*\))*\),\s*$"
A_TUPLE_OF_ONE = (
    "The line itself ends in a comma, which makes a tuple of one value of its result. Perhaps a "
    "line before it that made this value ends so too: take those commas away"
)
SEVERAL = (
    "What made it gives several results. Print `type(x)` and `len(x)`, and take the part that is "
    "meant: an LSTM or GRU gives `out, state = layer(x)`, a network may give more in training mode "
    "(Inception: `out, aux = model(x)`), a loader's batch is unpacked first (`x, y = batch`). If "
    "it holds texts, they are the labels of a batch, which a loader only collects: let the data "
    "set give their numbers"
)
