"""executor/inside/remarks: other dimensions than are meant, and what is lost on the way."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import axes, lapsed

RULES = {rule.__name__: rule for rule in (*axes.RULES, *lapsed.RULES)}

FLOW = (
    "class Coupling(nn.Module):\n    def forward(self, x):\n        a, b = x.chunk(2, 1)\n"
    "        s, t = self.net(a).chunk(2, 1)\n        {name} = {value}\n"
    "        return torch.cat([a, b * s.exp() + t], 1), {name}\n"
)
PENALTY = (
    "D = nn.Sequential({layers})\ng, = torch.autograd.grad(D(x).sum(), x, create_graph=True)\n"
    "{between}gp = ((g.norm({given}) - 1) ** 2).mean()\n"
)
CONV = "nn.Conv2d(1, 8, 3), nn.Flatten(), nn.Linear(8, 1)"
COPIES = (
    "def predict(net, x, k=20):\n    B = x.size(0)\n    big = x.{how}\n    p = net(big).softmax(-1)"
    "\n    p = p.view({laid}, -1)\n    return p.mean({dim})\n"
)
CUT = (
    "def batchify(data, bsz):\n    n = data.size(0) // bsz\n    data = data[:n * bsz]\n"
    "    return data.{laid}\n"
    "def chunk(source, i, n):\n    return source[i:i + n], source[i + 1:i + 1 + n]\n"
)
PICK = "s, a, r = states[i], actions[i], rewards[i]\nloss = ({chosen} - target).pow(2).mean()\n"
FOCAL = (
    "class Focal(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.alpha = torch.tensor([0.1, 0.9])\n    def forward(self, x, y):\n        {line}\n"
    "        return -(self.alpha * x).mean()\n"
)
GROUPS = (
    "opt = torch.optim.Adam([{{'params': a.parameters(), 'lr': 1e-5}}, "
    "{{'params': b.parameters(), 'lr': {rate}}}])\n"
    "def warm(step):\n    for group in opt.param_groups:\n        {line}\n"
)
METER = (
    "class Meter:\n    def __init__(self):\n        self.reset()\n    def reset(self):\n"
    "        self.sum = 0.0\n        self.n = 0\n    def add(self, v, n):\n"
    "        self.sum += v * n\n        self.n += n\n"
    "meter = Meter()\ndef validate():\n    {first}\n    for x, y in val:\n"
    "        meter.add(loss(net(x), y).item(), len(x))\n    return meter.sum / meter.n\n"
    "for epoch in range(9):\n    {each}\n    print(validate())\n"
)

WAKE = (
    "class Wake(nn.Module):\n    def __init__(self, hid, bi=True):\n        super().__init__()\n"
    "        self.rnn = nn.{layer}\n        self.head = nn.Linear(hid, 1)\n"
    "    def forward(self, x):\n        {call}\n        {between}\n"
    "        return self.head({given})\n"
)
LSTM = "out, (hn, cn) = self.rnn(x)"
STEPS = "c = 3\nt = {value}\ny = x.view(-1, c, t)\n"

SAYS = [
    ("state_of_all_layers", WAKE.format(layer="LSTM(40, hid, num_layers=2)", call=LSTM,
                                        between="pass", given="hn")),
    ("state_of_all_layers", WAKE.format(layer="LSTM(40, hid, bidirectional=bi)", call=LSTM,
                                        between="pass", given="hn")),
    ("state_of_all_layers", WAKE.format(layer="GRU(40, hid, 3)", call="out, h = self.rnn(x)",
                                        between="pass", given="h")),
    ("size_cut_off", STEPS.format(value="int(50176 / c)")),
    ("size_cut_off", STEPS.format(value="224 * 224 // c")),
    ("size_cut_off", "N = 100\nk = N // 7\ny = x.reshape(k, -1)\n"),
    ("logdet_of_batch", FLOW.format(name="log_det", value="s.sum()")),
    ("logdet_of_batch", FLOW.format(name="ldj", value="torch.sum(s)")),
    ("logdet_of_batch", FLOW.format(name="log_abs_det", value="torch.tanh(s).sum()")),
    ("penalty_along_channels", PENALTY.format(layers=CONV, between="", given="2, dim=1")),
    ("penalty_along_channels", PENALTY.format(layers=CONV, between="", given="2, 1")),
    ("penalty_along_channels", PENALTY.format(layers=CONV, between="", given="p=2, dim=1")),
    ("repeated_order", COPIES.format(how="repeat(k, 1)", laid="B, k", dim=1)),
    ("repeated_order", COPIES.format(how="repeat(k, 1, 1)", laid="len(x), k", dim=1)),
    ("repeated_order", COPIES.format(how="repeat_interleave(k, 0)", laid="k, B", dim=0)),
    ("streams_cut", CUT.format(laid="view(n, bsz)")),
    ("streams_cut", CUT.format(laid="view(-1, bsz)")),
    ("streams_cut", CUT.format(laid="reshape((data.size(0) // bsz, bsz))")),
    ("columns_for_all", PICK.format(chosen="q(s)[:, a]")),
    ("columns_for_all", "for x, y in dl:\n    p = net(x)[:, y]\n"),
    ("columns_for_all", "s, a, r = memory.sample(32)\nv = self.q(s)[:, a]\n"),
    ("setting_overwritten", FOCAL.format(line="self.alpha = self.alpha.gather(0, y)")),
    ("setting_overwritten", FOCAL.format(line="self.alpha = self.alpha[y]")),
    ("setting_overwritten", FOCAL.format(line="self.alpha = self.alpha.repeat(len(y))")),
    ("group_rates_overwritten", GROUPS.format(rate="1e-2", line="group['lr'] = 1e-2 * step / 9")),
    ("group_rates_overwritten", GROUPS.format(rate="top", line="group['lr'] = rate(step)")),
    ("group_rates_overwritten", GROUPS.format(rate="1e-2", line="group['lr'] = lr")
     .replace("\ndef warm(step):\n    for", "\nfor").replace("\n        group", "\n    group")),
    ("reset_uncalled", METER.format(first="net.eval()", each="train()")),
    ("reset_uncalled", METER.format(first="net.eval()", each="train()").replace("reset", "clear")),
    ("reset_uncalled", METER.format(first="net.eval()", each="train()")
     .replace("reset", "reset_state")),
]  # fmt: skip
SILENT = [
    ("state_of_all_layers", WAKE.format(layer="LSTM(40, hid, num_layers=2)", call=LSTM,
                                        between="pass", given="hn[-1]")),
    ("state_of_all_layers", WAKE.format(layer="LSTM(40, hid)", call=LSTM, between="pass",
                                        given="hn")),
    ("state_of_all_layers", WAKE.format(layer="LSTM(40, hid, num_layers=2)", call=LSTM,
                                        between="hn = hn[-1]", given="hn")),
    ("state_of_all_layers", WAKE.format(layer="LSTM(40, hid, 2)", call=LSTM, between="pass",
                                        given="out")),
    ("state_of_all_layers", WAKE.format(layer="LSTM(40, hid, 1, bidirectional=False)", call=LSTM,
                                        between="pass", given="hn")),
    ("size_cut_off", STEPS.format(value="int(50175 / c)")),
    ("size_cut_off", STEPS.format(value="int(50176 / k)")),
    ("size_cut_off", STEPS.format(value="int(50176 / c)").replace("view(-1, c, t)", "mean()")),
    ("size_cut_off", STEPS.format(value="round(50176 / c)")),
    ("logdet_of_batch", FLOW.format(name="log_det", value="s.sum(1)")),
    ("logdet_of_batch", FLOW.format(name="log_det", value="torch.sum(s, dim=1)")),
    # What the layer itself holds is the same for every sample.
    ("logdet_of_batch", FLOW.format(name="log_det", value="self.scale.sum()")),
    ("logdet_of_batch", FLOW.format(name="total", value="s.sum()")),
    ("penalty_along_channels", PENALTY.format(layers="nn.Linear(4, 1)", between="",
                                              given="2, dim=1")),
    ("penalty_along_channels", PENALTY.format(layers=CONV, between="g = g.view(len(g), -1)\n",
                                              given="2, dim=1")),
    ("penalty_along_channels", PENALTY.format(layers=CONV, between="", given="2, dim=(1, 2, 3)")),
    ("penalty_along_channels", PENALTY.format(layers=CONV, between="g = h(x)\n",
                                              given="2, dim=1").replace("g, =", "e, =")),
    ("repeated_order", COPIES.format(how="repeat(k, 1)", laid="k, B", dim=0)),
    ("repeated_order", COPIES.format(how="repeat_interleave(k, 0)", laid="B, k", dim=1)),
    ("repeated_order", COPIES.format(how="repeat(1, k)", laid="B, k", dim=1)),
    ("repeated_order", COPIES.format(how="repeat(k, 1)", laid="heads, k", dim=1)),
    ("repeated_order", COPIES.format(how="clone()", laid="B, k", dim=1)),
    ("streams_cut", CUT.format(laid="view(bsz, -1).t()")),
    ("streams_cut", CUT.format(laid="view(bsz, n)")),
    ("streams_cut", CUT.format(laid="view(n, width)")),
    ("streams_cut", CUT.format(laid="view(n, bsz)").partition("def chunk")[0]),
    ("columns_for_all", PICK.format(chosen="q(s)[torch.arange(9), a]")),
    ("columns_for_all", PICK.format(chosen="q(s)[:, k]")),
    ("columns_for_all", PICK.format(chosen="q(s)[:, :a]")),
    ("columns_for_all", PICK.format(chosen="table(goal)[:, a]")),
    ("columns_for_all", "a = torch.tensor([0, 2])\nv = q(s)[:, a]\n"),
    ("setting_overwritten", FOCAL.format(line="alpha = self.alpha[y]")),
    ("setting_overwritten", FOCAL.format(line="self.alpha = 0.9 * self.alpha + 0.1 * x.mean()")),
    ("setting_overwritten", FOCAL.format(line="self.alpha = self.alpha[1:]")),
    ("setting_overwritten", FOCAL.format(line="self.alpha = self.alpha.to(y.device)")),
    ("setting_overwritten", FOCAL.format(line="self.picked = self.alpha[y]")),
    ("group_rates_overwritten", GROUPS.format(rate="1e-2", line="group['lr'] *= step / 9")),
    ("group_rates_overwritten", GROUPS.format(rate="1e-2",
                                              line="group['lr'] = group['first'] * step")),
    ("group_rates_overwritten", GROUPS.format(rate="1e-5", line="group['lr'] = 1e-2 * step")),
    ("group_rates_overwritten", GROUPS.format(rate="1e-2", line="group['momentum'] = step / 9")),
    # From here on it is meant to train as a whole.
    ("group_rates_overwritten", GROUPS.format(rate="1e-2", line="group['lr'] = 1e-4")),
    ("reset_uncalled", METER.format(first="meter.reset()", each="train()")),
    ("reset_uncalled", METER.format(first="net.eval()", each="meter.reset()")),
    ("reset_uncalled", METER.format(first="meter = Meter()", each="train()")),
    ("reset_uncalled", METER.format(first="net.eval()", each="train()")
     .replace("for epoch in range(9):\n    train()\n    print", "train()\nprint")),
    ("reset_uncalled", METER.format(first="net.eval()", each="getattr(meter, 'reset')()")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "code"), SAYS)
def test_it_is_told(kind: str, code: str) -> None:
    assert [f[0] for f in RULES[kind](ast.parse(code))] == [kind]


@pytest.mark.parametrize(("kind", "code"), SILENT)
def test_what_comes_close_is_left_alone(kind: str, code: str) -> None:
    assert list(RULES[kind](ast.parse(code))) == []
