"""executor/inside/remarks: what a mask marks by the text, wherever it is made and handed on."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import masks
from executor.inside.remarks.at_place import made_at
from executor.inside.remarks.syntax import walk

RULES = {rule.__name__: rule for rule in masks.RULES}

LAYER = (
    "class Reads(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.at = nn.MultiheadAttention(8, 2, batch_first=True)\n"
    "        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 1)\n"
    "    def forward(self, h, ids, lens):\n        {made}\n        return {call}\n"
)
HANDED = (
    "def rows(lens, n):\n    m = torch.{start}(len(lens), n, dtype=torch.bool)\n"
    "    for i, k in enumerate(lens):\n        m[i, {part}] = {to}\n    return m\n"
    "class Reads(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.at = nn.MultiheadAttention(8, 2)\n"
    "    def forward(self, x, mask):\n"
    "        return self.at(x, x, x, key_padding_mask={given})[0]\n"
    "net = Reads()\nM = rows(lens, 9)\n"
    "for i in range(0, 99, 9):\n    out = net(X[i:i+9], M[i:i+9])\n"
)
WRAPPED = (
    "class Own(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.at = nn.MultiheadAttention(8, 2)\n"
    "    def forward(self, x, key_padding_mask):\n"
    "        return self.at(x, x, x, key_padding_mask={inner})\n"
    "own = Own()\nout = own(x, key_padding_mask=ids != 0)\n"
)
SCORES = (
    "class Own(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.register_buffer('low', torch.tril(torch.ones(9, 9)))\n"
    "    def forward(self, q, k, v, ids, lens):\n        s = q @ k.transpose(-2, -1)\n"
    "        {hide}\n        return s.softmax(-1) @ v\n"
)
PRODUCT = (
    "def attend(q, k, v, ids, lens):\n    {made}\n"
    "    return F.scaled_dot_product_attention(q, k, v, attn_mask={given})\n"
)
NAMED = (
    "def step(self, {named}, input_ids):\n    h = self.emb(input_ids)\n"
    "    layer = nn.TransformerEncoderLayer(8, 2)\n"
    "    return layer(h, src_key_padding_mask={given})\n"
)
ROWS = (
    "def attend(q, k, v, pad):\n    s = q @ k.transpose(-1, -2)\n    {more}\n"
    "    s = s.masked_fill({mask}, -1e9)\n    return {soft} @ v\n"
)
UPPER = "m = torch.triu(torch.ones(9, 9), diagonal=1)"
PADDED = "m = torch.arange(9)[None] {} lens[:, None]"
AT = "self.at(h, h, h, {})"

SAYS = [
    ("mask_inverted", LAYER.format(made="keep = ids != PAD", call=AT.format("keep"))),
    ("mask_inverted", LAYER.format(made="n = torch.arange(9); m = n[None] < lens[:, None]",
                                   call="self.enc(h, None, m)")),
    ("mask_inverted", LAYER.format(made="m = ids.eq(0)",
                                   call="self.enc(h, src_key_padding_mask=~m)")),
    ("mask_inverted", LAYER.format(made="m = ids == 0; m = m.logical_not()",
                                   call=AT.format("key_padding_mask=m"))),
    ("mask_inverted", LAYER.format(made="m = torch.ones(9, 9).tril().bool()",
                                   call=AT.format("attn_mask=m[:4, :4]"))),
    ("mask_inverted", LAYER.format(made="m = torch.tensor([[1] * n + [0] * (9 - n) for n in lens])",
                                   call=AT.format("key_padding_mask=m.bool()"))),
    ("mask_inverted", HANDED.format(start="zeros", part=":k", to="True", given="mask")),
    ("mask_inverted", HANDED.format(start="ones", part="k:", to="False", given="mask")),
    ("mask_inverted", HANDED.format(start="zeros", part="k:", to="True", given="~mask")),
    ("mask_inverted", WRAPPED.format(inner="key_padding_mask")),
    ("mask_inverted", NAMED.format(named="attention_mask", given="attention_mask.bool()")),
    ("mask_inverted", NAMED.format(named="b", given="b['attention_mask'] == 1")),
    ("mask_inverted", SCORES.format(hide="s[torch.arange(9) < lens[:, None]] = -1e9")),
    ("mask_inverted", SCORES.format(hide="s = where(ids.ne(0), torch.full_like(s, -1e4), s)")),
    ("mask_inverted", SCORES.format(hide="s = where(ids == 0, s, -1e9)")),
    ("mask_inverted", SCORES.format(hide="s = s + (ids != 0).float() * -1e9")),
    ("mask_inverted", SCORES.format(hide="s = where(adj > 0, -9e15 * ones_like(s), s)")),
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(self.low[:4, :4] == 1, -torch.inf)")),
    ("mask_inverted", PRODUCT.format(made="pad = ids == 0", given="pad[:, None]")),
    ("mask_inverted", PRODUCT.format(made=UPPER, given="m.bool()")),
    ("mask_inverted", PRODUCT.format(made=PADDED.format(">="), given="m")),
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(torch.tril(torch.ones(9, 9), -1)"
                                         ".bool(), -torch.inf)")),
    ("mask_inverted", SCORES.format(hide="m = torch.ones(9, 9).tril(diagonal=-1) == 1\n"
                                         "        s = s.masked_fill(m, -1e9)")),
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(torch.triu(torch.ones(9, 9)) == 0,"
                                         " -torch.inf)")),
    ("mask_inverted", LAYER.format(made="m = torch.tril(torch.ones(9, 9), -1).bool()",
                                   call="self.enc(h, mask=m)")),
    ("mask_inverted", PRODUCT.format(made="m = torch.triu(torch.ones(9, 9)).bool()", given="m")),
    ("mask_inverted", SCORES.format(hide="s = s + torch.tril(torch.full((9, 9), -torch.inf), -1)")),
    ("mask_inverted", LAYER.format(made="m = torch.full((9, 9), float('-inf')).triu(diagonal=1).T",
                                   call="self.enc(h, mask=m)")),
    ("mask_inverted", SCORES.format(hide="m = torch.from_numpy(np.triu(np.ones((9, 9)), k=1))"
                                         "\n        s = torch.where(m, s, -1e9)")),
    ("mask_of_queries", ROWS.format(mask="pad[:, None, :, None]", soft="s.softmax(-1)", more="")),
    ("mask_of_queries", ROWS.format(mask="~pad.unsqueeze(1).unsqueeze(3)", more="",
                                    soft="s.softmax(-1)").replace("(~", "(")),
    ("mask_of_queries", ROWS.format(mask="m", soft="F.softmax(s, dim=-1)",
                                    more="m = pad[:, None, :, None]")),
    ("mask_of_queries", ROWS.format(mask="pad[:, None, :, None]", soft="torch.softmax(s, -1)",
                                    more="s = s.masked_fill(torch.ones(9, 9).triu(1) == 1, -1e9)")),
]  # fmt: skip
SILENT = [
    ("mask_inverted", SCORES.format(hide="s = s + torch.triu(torch.full((9, 9), -torch.inf), 1)")),
    ("mask_inverted", SCORES.format(hide="s = s + torch.full((9, 9), -torch.inf).tril(-1).T")),
    ("mask_inverted", SCORES.format(hide="s = s + torch.tril(torch.full((9, 9), -torch.inf), -4)")),
    ("mask_inverted", SCORES.format(hide="s = s + torch.tril(torch.full((9, 9), -0.5), -1)")),
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(torch.tril(torch.ones(9, 9), -1)"
                                         " == 0, -torch.inf)")),  # none looks at itself
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(torch.tril(torch.ones(9, 9), -3)"
                                         ".bool(), -torch.inf)")),  # a window
    ("mask_inverted", SCORES.format(hide="m = torch.triu(torch.ones(9, 9)).t()\n"
                                         "        s = s.masked_fill(m == 0, -torch.inf)")),
    ("mask_inverted", PRODUCT.format(made="m = torch.tril(torch.ones(9, 9), -1).bool()",
                                     given="m")),
    ("mask_inverted", LAYER.format(made="m = torch.triu(torch.ones(9, 9), 0).bool()",
                                   call="self.enc(h, mask=m)")),
    ("mask_inverted", LAYER.format(made="keep = ids == PAD", call=AT.format("keep"))),
    ("mask_inverted", LAYER.format(made="n = torch.arange(9); m = n[None] >= lens[:, None]",
                                   call="self.enc(h, None, m)")),
    ("mask_inverted", LAYER.format(made="m = ids != 0; m = ~m",
                                   call=AT.format("key_padding_mask=m"))),
    ("mask_inverted", LAYER.format(made="m = ids != 0", call=AT.format("key_padding_mask=1 - m"))),
    ("mask_inverted", LAYER.format(made="m = ids != 0", call="self.own(h, m)")),
    ("mask_inverted", LAYER.format(made="m = (mask != 0)", call=AT.format("key_padding_mask=m"))),
    ("mask_inverted", LAYER.format(made=UPPER, call=AT.format("attn_mask=m.bool()"))),
    ("mask_inverted", LAYER.format(made="m = torch.triu(torch.ones(9, 9)).bool()",
                                   call=AT.format("attn_mask=m"))),
    ("mask_inverted", HANDED.format(start="zeros", part=":k", to="True", given="~mask")),
    ("mask_inverted", HANDED.format(start="zeros", part="k:", to="True", given="mask")),
    ("mask_inverted", HANDED.format(start="zeros", part=":n_pad", to="True", given="mask")),
    ("mask_inverted", HANDED.format(start="zeros", part=":9 - k", to="True", given="mask")),
    ("mask_inverted", HANDED.format(start="zeros", part=":k", to="True", given="mask").replace(
        "    return m", "    m = ~m\n    return m")),
    ("mask_inverted", WRAPPED.format(inner="~key_padding_mask")),
    ("mask_inverted", WRAPPED.format(inner="self.turn(key_padding_mask)")),
    ("mask_inverted", NAMED.format(named="attention_mask", given="attention_mask == 0")),
    ("mask_inverted", NAMED.format(named="attention_mask", given="attention_mask.bool()").replace(
        "input_ids", "x")),
    ("mask_inverted", NAMED.format(named="mask", given="mask.bool()")),
    ("mask_inverted", SCORES.format(hide="s[torch.arange(9) >= lens[:, None]] = -1e9")),
    ("mask_inverted", SCORES.format(hide="s = where(ids.ne(0), s, torch.full_like(s, -1e4))")),
    ("mask_inverted", SCORES.format(hide="s = where(ids != 0, torch.full_like(s, 0.5), s)")),
    ("mask_inverted", SCORES.format(hide="s = s + (1 - (ids != 0).float()) * -1e9")),
    ("mask_inverted", SCORES.format(hide="s = where(adj > 0, s, -9e15 * ones_like(s))")),
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(self.low[:4, :4] == 0, -torch.inf)")),
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(seen != 0, -torch.inf)").replace(
        "seen", "pad_mask")),
    ("mask_inverted", LAYER.format(made="m = ids != 0", call="self.own(h, key_padding_mask=m)")
     .replace("self.enc =", "self.own = Another(8); self.enc =")),
    ("mask_inverted", LAYER.format(made="m = torch.arange(9) < pad_lens[:, None]",
                                   call=AT.format("m"))),
    ("mask_inverted", LAYER.format(made="m = torch.arange(9) < (9 - lens)[:, None]",
                                   call=AT.format("m"))),
    ("mask_inverted", LAYER.format(made="m = torch.arange(9) < starts[:, None]",
                                   call=AT.format("m"))),
    ("mask_inverted", LAYER.format(made="m = torch.tensor([[1] * (9 - n) + [0] * n for n in lens])",
                                   call=AT.format("key_padding_mask=m.bool()"))),
    ("mask_inverted", LAYER.format(made="length = 9 - free; m = torch.arange(9) < length[:, None]",
                                   call=AT.format("m"))),
    ("mask_inverted", LAYER.format(made="m = torch.tensor([[0] * k + [1] * (9 - k) for k in gaps])",
                                   call=AT.format("key_padding_mask=~m.bool()"))),
    ("mask_inverted", HANDED.format(start="zeros", part=":start", to="True", given="mask")),
    ("mask_inverted", HANDED.format(start="zeros", part="offset:", to="True", given="~mask")),
    ("mask_inverted", HANDED.format(start="zeros", part=":i", to="True", given="mask")),
    ("mask_inverted", NAMED.format(named="b", given="b['attention_mask'].bool()")
     + "b = {'attention_mask': ids == 0}\n"),
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(visited != 0, -torch.inf)")),
    ("mask_inverted", SCORES.format(hide="s = s.masked_fill(illegal != 0, -torch.inf)")),
    ("mask_inverted", PRODUCT.format(made="keep = ids != 0", given="keep[:, None]")),
    ("mask_inverted", PRODUCT.format(made="m = torch.tril(torch.ones(9, 9)).bool()", given="m")),
    ("mask_inverted", PRODUCT.format(made="m = scores == 0", given="m")),
    ("mask_inverted", PRODUCT.format(
        made="m = torch.triu(torch.full((9, 9), -1e9), diagonal=1)", given="m")),
    ("mask_of_queries", ROWS.format(mask="pad[:, None, None, :]", soft="s.softmax(-1)", more="")),
    ("mask_of_queries", ROWS.format(mask="pad[:, None, :, None]", soft="s.softmax(-2)", more="")),
    ("mask_of_queries", ROWS.format(mask="pad[:, :, :, None]", soft="s.softmax(-1)", more="")),
    ("mask_of_queries", ROWS.format(mask="far[:, None, :, None]", soft="s.softmax(-1)", more="")),
    ("mask_of_queries", ROWS.format(mask="pad", soft="s.softmax(-1)", more="")),
    ("mask_of_queries", ROWS.format(mask="pad.unsqueeze(1).unsqueeze(2)", soft="s.softmax(-1)",
                                    more="")),
    ("mask_of_queries", ROWS.format(mask="pad[:, None, :, None]", soft="s.softmax(-1)",
                                    more="s = s.masked_fill(pad[:, None, None], -1e9)")),
    ("mask_of_queries", ROWS.format(mask="pad[:, None, :, None]", soft="s.softmax(-1)",
                                    more="s = s + key_bias")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), SAYS)
def test_it_is_told(kind: str, code: str) -> None:
    assert [f[0] for f in RULES[kind](ast.parse(code))] == [kind]


@pytest.mark.parametrize(("kind", "code"), SILENT)
def test_what_comes_close_is_left_alone(kind: str, code: str) -> None:
    assert list(RULES[kind](ast.parse(code))) == []


PLACES = {
    "a = 1\na = a + 2\nread(a)\n": ["a + 2"],
    "a = 1\nif b:\n    a = 2\nread(a)\n": ["2", "1"],
    "if b:\n    a = 2\nelse:\n    a = 3\nread(a)\n": ["2", "3"],
    "a = 1\nfor i in x:\n    read(a)\n    a = 2\n": ["2", "1"],
    "for a in x:\n    read(a)\n": ["a"],
    "a = 1\nb = [read(a) for a in x]\n": ["a"],
    "a, b = 1, 2\nread(a)\n": ["1"],
    "a, b = made()\nread(b)\n": ["made()[1]"],
    "a = 1\na += 1\nread(a)\n": ["a"],
    "def f(a):\n    read(a)\nf(7)\nf(8)\n": ["7", "8"],
    "def f(a=5):\n    read(a)\nf()\n": ["5"],
    "def f(a):\n    read(a)\n": ["a"],
    "def f(a):\n    a = 4\n    read(a)\nf(7)\n": ["4"],
    "def g():\n    a = 4\n    return a\nread(g())\n": ["4"],
    "a = 6\ndef f():\n    read(a)\n": ["6"],
    "class N(Module):\n    def forward(self, a):\n        read(a)\nn = N().cuda()\nn(3)\n": ["3"],
    "class N:\n    def __init__(s, a):\n        read(a)\nn = N(3)\n": ["a"],
    "class N:\n    def __init__(self):\n        self.a = 2\n"
    "    def f(self):\n        read(self.a)\n": ["2"],
    "with b as a:\n    read(a)\n": ["a"],
    "try:\n    a = 1\nexcept E:\n    a = 2\nread(a)\n": ["a"],
}  # fmt: skip


@pytest.mark.parametrize("code", PLACES)
def test_what_a_name_is_made_of_where_it_is_read(code: str) -> None:
    """The last value on each way to the place; what is open stays a name."""
    tree = ast.parse(code)
    read = next(n for n in walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "read")
    assert [ast.unparse(v) for v in made_at(read.args[0], tree)] == PLACES[code]


@pytest.mark.parametrize(
    ("mask", "turned"),
    [
        ("torch.tril(torch.ones(9, 9), -1).bool()", "torch.triu(torch.ones(9, 9), diagonal=1)"),
        ("torch.ones(9, 9).tril(diagonal=-1) == 1", "torch.ones(9, 9).triu(diagonal=1)"),
        ("torch.triu(torch.ones(9, 9)) == 0", "torch.tril(torch.ones(9, 9))"),
    ],
)
def test_a_triangle_without_the_diagonal_is_put_in_the_place_of_the_other(mask: str, turned: str):
    """Turned round it would hide each position from itself too."""
    code = SCORES.format(hide=f"s = s.masked_fill({mask}, -torch.inf)")
    (told,) = RULES["mask_inverted"](ast.parse(code))
    (way,) = told.ways

    assert [parts for _, parts in way["places"]] == [[turned]]
