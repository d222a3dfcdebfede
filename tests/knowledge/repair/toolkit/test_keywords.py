"""Which parameter a keyword means."""

import pytest

from knowledge.repair.toolkit.keywords import meant, only_tells

LINEAR = ("in_features", "out_features", "bias", "device", "dtype")
CONV = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "bias")
EMBEDDING = ("num_embeddings", "embedding_dim", "padding_idx", "max_norm")
LSTM = ("input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout")
ENCODER = ("d_model", "nhead", "dim_feedforward", "dropout", "activation")
ADAM = ("params", "lr", "betas", "eps", "weight_decay", "amsgrad")


@pytest.mark.parametrize(
    ("keyword", "among", "names"),
    [
        ("kernelSize", CONV, ["kernel_size"]),  # another case
        ("scale", ("scale_factor", "recompute_scale_factor"), ["scale_factor"]),  # its beginning
        ("strides", CONV, ["stride"]),  # a plural
        ("paddng", CONV, ["padding"]),  # a slip
        ("filters", CONV, ["out_channels"]),  # of another library
        ("kernel", CONV, ["kernel_size"]),  # a word less
        ("use_bias", CONV, ["bias"]),  # a word more
        ("pad", CONV, ["padding"]),  # short for it
        ("input_dim", LINEAR, ["in_features"]),
        ("output_size", LINEAR, ["out_features"]),
        ("vocab_size", EMBEDDING, ["num_embeddings"]),
        ("embed_dim", EMBEDDING, ["embedding_dim"]),
        ("input_dim", LSTM, ["input_size"]),
        ("n_layers", LSTM, ["num_layers"]),
        ("n_heads", ENCODER, ["nhead"]),
        ("dim_ff", ENCODER, ["dim_feedforward"]),
        ("dropout_rate", ENCODER, ["dropout"]),
        ("learning_rate", ADAM, ["lr"]),
        ("epsilon", ADAM, ["eps"]),
        ("decay", ADAM, ["weight_decay"]),
        ("momentum", ADAM, []),  # Adam has no such thing
        ("activation", LSTM, []),
        ("depth", LINEAR, []),
        ("hidden_dim", ("hidden_size", "hidden_features"), ["hidden_size", "hidden_features"]),
        ("axis", ("input", "dim", "keepdim"), ["dim"]),
        ("retain_variables", ("gradient", "retain_graph", "create_graph"), ["retain_graph"]),
        ("anything", (), []),
    ],
)
def test_what_a_keyword_means(keyword: str, among: tuple[str, ...], names: list[str]) -> None:
    assert meant(keyword, among) == names


def test_what_a_keyword_only_tells() -> None:
    """Such a one may be left out: it changes nothing that is computed."""
    assert only_tells("verbose")
    assert not only_tells("momentum")
