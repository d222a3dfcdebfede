"""Copies that are none: kept weights, a second model, the layers of a list."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap
from tests.knowledge.repair.findings.programs import CLASSIFIER, changed

BEST = changed(
    CLASSIFIER,
    ("    optimizer.step()   # the weights move\n", """\
    optimizer.step()   # the weights move
    if epoch == 3:
        best = model.state_dict()
"""),
    ("print(loss.item())\n", "model.load_state_dict(best)\n"),
)  # fmt: skip
IN_A_TUPLE = changed(
    BEST, ("best = model.state_dict()", "least, best = loss.item(), model.state_dict()")
)
FOLLOWER = changed(
    CLASSIFIER,
    ("optimizer = torch", "average = model\noptimizer = torch"),
    ("    optimizer.step()   # the weights move\n", """\
    optimizer.step()   # the weights move
    with torch.no_grad():
        for a, p in zip(average.parameters(), model.parameters()):
            a.mul_(0.99).add_(p, alpha=0.01)
"""),
)  # fmt: skip
REPEATED = changed(
    CLASSIFIER,
    ("model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))\n", """\
blocks = [nn.Linear(16, 16)] * 3
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), *blocks, nn.Linear(16, 3))
"""),
)  # fmt: skip
OF_THE_PARAMETERS = changed(
    BEST, ("best = model.state_dict()", "best = dict(model.named_parameters())")
)
MADE_BY_A_FUNCTION = changed(
    FOLLOWER, ("average = model\n", "def follower(m):\n    return m\naverage = follower(model)\n")
)

CASES = Cases(
    mended={
        "the best": (BEST, "best = copy.deepcopy(model.state_dict())"),
        "a list": (REPEATED, "[nn.Linear(16, 16) for _ in range(3)]"),
        "a follower": (FOLLOWER, "average = copy.deepcopy(model)"),
        "in a tuple": (IN_A_TUPLE, "loss.item(), copy.deepcopy(model.state_dict())"),
    },
    refused={"of the parameters": OF_THE_PARAMETERS, "made by a function": MADE_BY_A_FUNCTION},
    wrong={
        "a copy of the dictionary": (
            "the best", swap("model.state_dict()\n", "dict(model.state_dict())\n")
        ),
        "not loaded": ("the best", delete("model.load_state_dict(best)")),
        "no backward": ("the best", delete("loss.backward()")),
        "swallowed": ("the best", swallow("loss.backward()")),
    },
)  # fmt: skip
