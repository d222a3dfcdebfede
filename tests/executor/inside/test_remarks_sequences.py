"""executor/inside/remarks/sequences.py: the state of each layer is no row of its own."""

from __future__ import annotations

from tests.executor.inside.test_remarks import module, said_and_left_alone

STATE = "o, {0} = self.lstm(x)\nreturn self.fc({1})"
LAYERS = "self.lstm = nn.LSTM(3, 4, num_layers=n)"

SHOWN = {
    "layers_as_rows": [
        module(LAYERS, STATE.format("(h, c)", "h.view(-1, self.n)")),
        module(LAYERS, STATE.format("h", "h.reshape(-1, 4)")),
        module("self.lstm = nn.GRU(3, 4, bidirectional=True)", STATE.format("h", "h.view(-1, 4)")),
    ],
}

SOUND = {
    "the last layer": module(LAYERS, STATE.format("(h, c)", "h[-1].view(-1, self.n)")),
    "the steps": module(LAYERS, STATE.format("(h, c)", "o.view(-1, self.n)")),
    "by the batch": module(LAYERS, STATE.format("h", "h.view(x.size(0), -1)")),
    "one layer": module("self.lstm = nn.LSTM(3, 4)", STATE.format("h", "h.view(-1, 4)")),
    "no recurrent layer": module(LAYERS, STATE.replace("lstm", "net").format("h", "h.view(-1, 4)")),
}

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
