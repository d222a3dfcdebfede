"""executor/inside/remarks: heads, scores and positions of attention, in the styles of many."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import attention

RULES = {rule.__name__: rule for rule in attention.RULES}

HEADS = (
    "class Own(nn.Module):\n    def apart(self, t):\n"
    "        return t.view(b, n, h, -1).transpose(1, 2)\n"
    "    def forward(self, x):\n        {made}\n        {y}\n        {then}\n"
    "        return self.o({end})\n"
)
THREE = "qkv = self.w(x).reshape(b, n, 3, h, d).permute({})"
EACH = "q, k, v = [t.view(b, -1, h, d).transpose(1, 2) for t in (q, k, v)]"
SCORES = (
    "class Own(nn.Module):\n    def __init__(self, d):\n        self.root = d ** 0.5\n"
    "        self.inverse = d ** -0.5\n    def forward(self, q, k, v):\n"
    "        {first}\n        {then}\n        return s.softmax(-1) @ v\n"
)
S = "s = q @ k.transpose(1, 2)"
WAVES = (
    "def waves(t, n, d, base=10000.0):\n    i = torch.arange(0, d, 2).float()\n"
    "    f = {f}\n    a = {a}\n    return torch.cat([a.sin(), a.cos()], -1)\n"
)


def heads(made: str = "v = self.apart(x)", y: str = "y = a @ v", then: str = "pass",
          end: str = "y.reshape(b, n, c)") -> str:  # fmt: skip
    return HEADS.format(made=made, y=y, then=then, end=end)


def scores(then: str, first: str = S) -> str:
    return SCORES.format(first=first, then=then)


def waves(f: str, a: str = "t[:, None] * f[None]") -> str:
    return WAVES.format(f=f, a=a)


SAYS = [
    ("heads_merged_from_heads", heads()),
    ("heads_merged_from_heads", heads(then="y = y.contiguous()", end="y.view(b, n, -1)")),
    ("heads_merged_from_heads", heads(then="y = y.reshape(b, n, h * d)", end="y")),
    ("heads_merged_from_heads", heads("v = x.view(b, n, h, d); v = v.permute(0, 2, 1, 3)").replace(
        "v = x.view(b, n, h, d); v = v", "v = x.view(b, n, h, d)")),
    ("heads_merged_from_heads", heads(f"{THREE.format('2, 0, 3, 1, 4')}; q, k, v = qkv")),
    ("heads_merged_from_heads", heads(f"{THREE.format('2, 0, 3, 1, 4')}; v = qkv[2]")),
    ("heads_merged_from_heads", heads(f"{THREE.format('2, 0, 3, 1, 4')}; q, k, v = qkv.unbind(0)",
                                      y="y = F.scaled_dot_product_attention(q, k, v)")),
    ("heads_merged_from_heads", heads(EACH, y="y = torch.matmul(a, v)")),
    ("heads_merged_from_heads", heads(y="y = torch.einsum('bhij, bhjd -> bhid', a, v)")),
    ("scores_scaled_up", scores("s = s * self.root")),
    ("scores_scaled_up", scores("s = s / self.inverse")),
    ("scores_scaled_up", scores("s *= math.sqrt(q.size(-1))")),
    ("scores_scaled_up", scores("s /= d ** -0.5")),
    ("scores_scaled_up", scores("s = s.mul(self.root)")),
    ("scores_scaled_up", scores(S, first="q = q * self.root")),
    ("scores_scaled_up", scores("s = torch.bmm(q, k.mT) / (1 / math.sqrt(d))", first="pass")),
    ("frequencies_rise", waves("torch.exp(i * (math.log(10000.0) / d))")),
    ("frequencies_rise", waves("(math.log(base) * i / d).exp()")),
    ("frequencies_rise", waves("10000 ** (i / d)", a="torch.outer(t, f)")),
    ("frequencies_rise", waves("base ** (torch.arange(d // 2) / (d // 2 - 1))")),
    ("frequencies_rise", waves("torch.pow(10000, i / d)", a="t[:, None] * f")),
    ("frequencies_rise", "for i in range(d // 2):\n    p[k, i] = np.sin(k * 10000 ** (2 * i / d))"),
]  # fmt: skip
SILENT = [
    ("heads_merged_from_heads", heads(then="y = y.transpose(1, 2)")),
    ("heads_merged_from_heads", heads(end="y.transpose(1, 2).reshape(b, n, c)")),
    ("heads_merged_from_heads", heads(end="y.reshape(b * h, n, d)")),
    ("heads_merged_from_heads", heads(end="y.reshape(-1, n, d)")),
    ("heads_merged_from_heads", heads(then="rows = b * h", end="y.reshape(rows, n, w)")),
    ("heads_merged_from_heads", heads(end="y.reshape(b, h, n * d)")),
    ("heads_merged_from_heads", heads(end="y.reshape(b, h * n, d)")),
    ("heads_merged_from_heads", heads(end="y.reshape(b, -1, self.head_dim)")),
    ("heads_merged_from_heads", heads("v = x.view(b, n, h, d)")),
    ("heads_merged_from_heads", heads("v = self.w(x)")),
    ("heads_merged_from_heads", heads(THREE.format("2, 0, 1, 3, 4") + "; v = qkv[2]")),
    ("heads_merged_from_heads", heads("v = self.apart(x) if b else x")),
    ("heads_merged_from_heads", heads("v = self.apart(x)\n        if b:\n            v = x")),
    ("heads_merged_from_heads", heads(y="y = torch.einsum('bhij,bhjd->bihd', a, v)")),
    ("scores_scaled_up", scores("s = s * self.inverse")),
    ("scores_scaled_up", scores("s = s / self.root")),
    ("scores_scaled_up", scores("s *= d ** -0.5")),
    ("scores_scaled_up", scores("s = s * self.heat")),
    ("scores_scaled_up", scores("s = s * self.root", first=f"q = F.normalize(q, dim=-1); {S}")),
    ("scores_scaled_up", scores("t = s * self.root")),
    ("scores_scaled_up", scores(S, first="q = q * self.inverse")),
    ("scores_scaled_up", scores("s = x * self.root", first="x = self.w(q)")),
    ("scores_scaled_up", scores("s = s * self.root; s = s / d")),
    ("scores_scaled_up", scores("s = s * self.root * self.less")),
    ("scores_scaled_up", scores("s = s * spread ** 0.5")),
    ("scores_scaled_up", scores("s = s / spread ** -0.5")),
    ("scores_scaled_up", scores("s = x @ k.transpose(1, 2)", first="x = (q @ self.w) * self.root")),
    ("frequencies_rise", waves("torch.exp(i * (math.log(10000.0) / d))") + "t = torch.rand(9)"),
    ("frequencies_rise", waves("torch.exp(i * (math.log(1000.0) / d))")),
    ("frequencies_rise", waves("torch.exp(i * (-math.log(10000.0) / d))")),
    ("frequencies_rise", waves("torch.exp(-math.log(base) * i / d)")),
    ("frequencies_rise", waves("10000 ** (-i / d)")),
    ("frequencies_rise", waves("1.0 / (base ** (i / d))")),
    ("frequencies_rise", waves("base ** (i / d)", a="t[:, None] / f")),
    ("frequencies_rise", waves("2 ** (i / d)")),
    ("frequencies_rise", waves("10000 ** (i / d)").replace("sin", "log").replace("cos", "exp")),
    ("frequencies_rise", waves("10000 ** (2 / d)")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), SAYS)
def test_it_is_told(kind: str, code: str) -> None:
    assert [f[0] for f in RULES[kind](ast.parse(code))] == [kind]


@pytest.mark.parametrize(("kind", "code"), SILENT)
def test_what_comes_close_is_left_alone(kind: str, code: str) -> None:
    assert list(RULES[kind](ast.parse(code))) == []
