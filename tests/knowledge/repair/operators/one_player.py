"""one-player: a discriminator's loss goes back no further than what it is shown."""

from __future__ import annotations

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

GAN = """\
import torch
from torch import nn

torch.manual_seed(0)
maker = nn.Linear(2, 4)
judge = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
of_maker = torch.optim.SGD(maker.parameters(), lr=0.1)
of_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
measure = nn.BCELoss()
for _ in range(2):
    fake = maker(torch.randn(8, 2))
    seen = measure(judge(torch.rand(8, 4)), torch.ones(8, 1))
    seen = seen + measure(judge(fake), torch.zeros(8, 1))
    of_judge.zero_grad()
    seen.backward()
    of_judge.step()
    taken_in = measure(judge(fake), torch.ones(8, 1))
    of_maker.zero_grad()
    taken_in.backward()
    of_maker.step()
print("trained")
"""

ONE_RESULT = """\
import torch
from torch import nn

torch.manual_seed(0)
G = nn.Linear(2, 4)
D = nn.Linear(4, 1)
opt_g = torch.optim.Adam(G.parameters())
opt_d = torch.optim.Adam(D.parameters())
bce = nn.BCEWithLogitsLoss()
for _ in range(2):
    made = G(torch.randn(6, 2))
    scores = D(made)
    d_loss = bce(D(torch.rand(6, 4)), torch.ones(6, 1)) + bce(scores, torch.zeros(6, 1))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = bce(scores, torch.ones(6, 1))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
print("trained")
"""

CRITIC = """\
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))
critic = nn.Linear(2, 1)
of_actor = torch.optim.RMSprop(actor.parameters())
of_critic = torch.optim.RMSprop(critic.parameters())
action = actor(torch.rand(7, 3))
error = (critic(action) - torch.rand(7, 1)).pow(2).mean()
error.backward()
of_critic.step()
gain = -critic(action).mean()
gain.backward()
of_actor.step()
print("done")
"""

KEPT_GRAPH = """\
import torch
from torch import nn

paint = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
judge = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 1), nn.Sigmoid())
of_paint = torch.optim.Adam(paint.parameters())
of_judge = torch.optim.Adam(judge.parameters())
bce = nn.BCELoss()
picture = paint(torch.randn(5, 4))
said = judge(picture)
strict = bce(said, torch.zeros_like(said))
of_judge.zero_grad()
strict.backward(retain_graph=True)
of_judge.step()
fooled = bce(said, torch.ones_like(said))
of_paint.zero_grad()
fooled.backward()
of_paint.step()
print("painted")
"""

BOTH_LOSSES_FIRST = """\
import torch
from torch import nn

torch.manual_seed(0)
forge = nn.Linear(3, 4)
critic = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
forge_opt = torch.optim.Adam(forge.parameters())
critic_opt = torch.optim.Adam(critic.parameters())
bce = nn.BCEWithLogitsLoss()
for _ in range(2):
    made = forge(torch.randn(6, 3))
    on_made = critic(made)
    strict = bce(critic(torch.rand(6, 4)), torch.ones(6, 1)) + bce(on_made, torch.zeros(6, 1))
    fooled = bce(on_made, torch.ones(6, 1))
    critic_opt.zero_grad()
    strict.backward(retain_graph=True)
    critic_opt.step()
    forge_opt.zero_grad()
    fooled.backward()
    forge_opt.step()
print("forged")
"""

RESULT_OF_ONE = BOTH_LOSSES_FIRST.replace("    on_made = critic(made)\n", "").replace(
    "bce(on_made, torch.zeros(6, 1))\n",
    "bce(critic(made.detach()), torch.zeros(6, 1))\n    on_made = critic(made)\n",
)

ADVANTAGE = """\
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
value = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
of_policy = torch.optim.SGD(policy.parameters(), lr=0.1)
of_value = torch.optim.SGD(value.parameters(), lr=0.1)
for _ in range(2):
    seen, gained = torch.randn(6, 3), torch.rand(6)
    chosen = torch.distributions.Categorical(logits=policy(seen))
    better = gained - value(seen).squeeze(1)
    of_value.zero_grad()
    better.pow(2).mean().backward()
    of_value.step()
    regret = -(chosen.log_prob(chosen.sample()) * better).mean()
    of_policy.zero_grad()
    regret.backward()
    of_policy.step()
print("learned")
"""

KEPT_ADVANTAGE = ADVANTAGE.replace(
    """    of_value.zero_grad()
    better.pow(2).mean().backward()
    of_value.step()
    regret = -(chosen.log_prob(chosen.sample()) * better).mean()
""",
    """    regret = -(chosen.log_prob(chosen.sample()) * better).mean()
    of_value.zero_grad()
    better.pow(2).mean().backward(retain_graph=True)
    of_value.step()
""",
)

SHARED = ADVANTAGE.replace(
    "SGD(policy.parameters()", "SGD([*policy.parameters(), *value.parameters()]"
)

ONE_OPTIMIZER = """\
import torch
from torch import nn

first, second = nn.Linear(2, 3), nn.Linear(3, 1)
both = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
middle = first(torch.rand(4, 2))
second(middle).sum().backward()
both.step()
second(middle).mean().backward()
"""

THE_SAME_LOSS = """\
import torch
from torch import nn

net = nn.Linear(2, 1)
step = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.rand(3, 2)).exp().sum()
loss.backward()
step.step()
loss.backward()
"""

CASES = Cases(
    mended={},
    paired={
        "an advantage that the critic has learned from": (
            ADVANTAGE,
            ("chosen.sample()) * better.detach()).mean()",),
        ),
        "an advantage whose graph was kept": (
            KEPT_ADVANTAGE,
            ("chosen.sample()) * better.detach()).mean()",),
        ),
        "two losses of one picture": (GAN, ("measure(judge(fake.detach()), torch.zeros(8, 1))",)),
        "one result for two losses": (ONE_RESULT, ("g_loss = bce(D(made), torch.ones(6, 1))",)),
        "a graph that was kept over a step": (
            KEPT_GRAPH,
            ("said = judge(picture.detach())",),
        ),
        "both losses before the first step": (
            BOTH_LOSSES_FIRST,
            ("critic_opt.step()\n    fooled = bce(critic(made), torch.ones(6, 1))",),
        ),
        "a result that the second loss alone is made of": (
            RESULT_OF_ONE,
            (
                "torch.zeros(6, 1))\n    critic_opt.zero_grad()\n"
                "    strict.backward(retain_graph=True)\n    critic_opt.step()\n"
                "    on_made = critic(made)\n    forge_opt.zero_grad()\n"
                "    fooled = bce(on_made, torch.ones(6, 1))\n    fooled.backward()",
            ),
        ),
        "an actor and its critic": (CRITIC, ("(critic(action.detach()) - torch.rand(7, 1))",)),
    },
    refused={
        "one optimizer of both": ONE_OPTIMIZER,
        "the same loss": THE_SAME_LOSS,
        "a second optimizer that holds both": SHARED,
    },
    wrong={
        "swallowed": ("two losses of one picture", swallow("taken_in.backward()")),
        "deleted": ("two losses of one picture", delete("taken_in.backward()")),
        "the maker learns nothing": (
            "two losses of one picture",
            swap("fake = maker(torch.randn(8, 2))", "fake = maker(torch.randn(8, 2)).detach()"),
        ),
        "the policy learns nothing": (
            "an advantage that the critic has learned from",
            swap("chosen.sample()) * better)", "chosen.sample()).detach() * better)"),
        ),
        "another picture": (
            "an actor and its critic",
            swap("gain = -critic(action).mean()", "gain = -critic(torch.rand(7, 2)).mean()"),
        ),
    },
)
