"""Models that read the padding behind a sequence, and those that leave it out."""

from __future__ import annotations

import pytest

from tests.executor.conftest import House
from tests.executor.inside.test_silent import ADAM, FIT, run

CLASSIFIER = (
    "from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence\ntorch.manual_seed(0)\n"
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.e = {embedding}\n        self.part = {part}\n        self.out = nn.Linear(8, 3)\n"
    "    def forward(self, x):\n        h = self.e(x)\n        {read}\nnet = Net()\n"
    "seqs = [torch.randint(1, 20, (n % 9 + 1,)) for n in range(30)]\nx = {x}\n"
    + ADAM
    + "for i in range(5):\n    loss = F.cross_entropy(net(x), torch.arange(30) % 3)\n    "
    + FIT
)
TABLE = "nn.Embedding(20, 8, padding_idx=0)"
LSTM = "nn.LSTM(8, 8, batch_first=True)"
ENCODER = "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8, 0.0, batch_first=True), 1)"
ATTENTION = "nn.MultiheadAttention(8, 2, batch_first=True)"


def classifier(
    read: str,
    part: str = "",
    embedding: str = "nn.Embedding(20, 8)",
    x: str = "pad_sequence(seqs, batch_first=True)",
) -> str:
    """A classifier of sequences of 1 to 9 tokens."""
    part = part or (LSTM if "self.part" in read else "nn.Identity()")
    return CLASSIFIER.format(read=read, part=part, embedding=embedding, x=x)


NAMED = {
    "a mean over all steps": classifier("return self.out(h.mean(1))"),
    "the last step of a recurrent layer": classifier(
        "return self.out(self.part(h)[0][:, -1])", embedding=TABLE
    ),
    "its last state": classifier("return self.out(self.part(h)[1][0][-1])"),
    "an attention": classifier(
        "return self.out(self.part(h[:, :1], h, h)[0][:, 0])", part=ATTENTION
    ),
    "an encoder of which the first step is read": classifier(
        "return self.out(self.part(h)[:, 0])", part=ENCODER, embedding=TABLE
    ),
    "positions that end with the longest": classifier(
        "return self.out(self.part(h + torch.eye(9, 8))[:, 0])", part=ENCODER, embedding=TABLE
    ).replace("torch.eye(9, 8)", "torch.eye(9, 8)[torch.arange(x.shape[1])]"),
    "padded by hand": classifier(
        "return self.out(h.mean(1))",
        embedding=TABLE,
        x="torch.stack([F.pad(s, (0, 9 - len(s))) for s in seqs])",
    ),
    "vectors": classifier(
        "return self.out(self.part(h)[0][:, -1])",
        embedding="nn.Tanh()",
        x="pad_sequence([torch.randn(len(s), 8) for s in seqs], batch_first=True)",
    ),
}
SILENT = {
    "a mean of what is there": classifier(
        "m = (x != 0).unsqueeze(-1); return self.out((h * m).sum(1) / m.sum(1))"
    ),
    "packed": classifier(
        "n = (x != 0).sum(1); h = pack_padded_sequence(h, n, True, False); "
        "return self.out(self.part(h)[1][0][-1])"
    ),
    "the step that ends it": classifier(
        "n = (x != 0).sum(1); return self.out(self.part(h)[0][torch.arange(len(x)), n - 1])"
    ),
    "a sum of zeros": classifier("return self.out(h.sum(1))", embedding=TABLE),
    "the first step": classifier("return self.out(h[:, 0])"),
    "a mask of the attention": classifier(
        "return self.out(self.part(h[:, :1], h, h, key_padding_mask=x == 0)[0][:, 0])",
        part=ATTENTION,
    ),
    "an encoder that is told where the padding is": classifier(
        "h = h + torch.eye(9, 8)[torch.arange(x.shape[1])]; "
        "return self.out(self.part(h, src_key_padding_mask=x == 0)[:, 0])",
        part=ENCODER,
        embedding=TABLE,
    ),
    "one length": classifier(
        "return self.out(h.mean(1))", x="torch.stack([s.repeat(9)[:9] for s in seqs])"
    ),
    "a length that the layers ask for": classifier(
        "return self.out(self.part(h.flatten(1)))", part="nn.Linear(72, 8)"
    ),
    "zeros that are no filling": classifier(
        "return self.out(h.mean(1))", x="pad_sequence(seqs, batch_first=True).flip(1)"
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_model_that_reads_its_padding_is_named(any_house: House, name: str):
    """Whatever takes its steps together."""
    result = run(any_house, NAMED[name])

    assert [f.kind for f in result.findings if f.mistake] == ["padding_read"]


@pytest.mark.parametrize("name", SILENT)
def test_one_that_leaves_it_out_is_not(any_house: House, name: str):
    """Nor one of sequences that are not filled up."""
    result = run(any_house, SILENT[name])

    assert [f.message for f in result.findings if f.mistake] == []
