"""executor/inside/remarks/: what one rank does alone, what is copied, cut anew or not recorded."""

from __future__ import annotations

import ast

from executor.inside.remarks import found, remarks
from tests.executor.inside.test_remarks import module, said_and_left_alone

WRAPPED = "net = {wrap}(net, device_ids=[rank]{more})\n"
FIT = "for x, y in train:\n    opt.zero_grad()\n    crit(net(x), y).backward()\n    opt.step()\n"
ALONE = "if {first}:\n    net.eval()\n    with torch.no_grad():\n        out = {call}\n{rest}"
VALIDATE = (
    "def validate(model, data):\n    for x in data:\n        {body}\n"
    "if rank == 0:\n    validate({given}, val)\n"
)
DDP = WRAPPED.format(wrap="DDP", more="")
ACTOR = (
    "def learn(self):\n    {name} = {made}\n    adv = self.returns - self.values\n"
    "    actor = {actor}\n    critic = adv.pow(2).mean()\n    {end}\n"
)
ENDS = "(actor + critic).backward()"
PRODUCT = "-({} * adv.detach()).mean()"
OWN = (
    "class Double({base}):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        ctx.save_for_backward(x)\n        return (2 * x).sum()\n    @staticmethod\n"
    "    def {name}(ctx, g):\n        x, = ctx.saved_tensors\n        {body}\n"
)
ASKS = "return torch.autograd.grad(outputs=y, inputs=x, grad_outputs=g)[0]"
PICTURE = "import torch\nimage = {read}\n{between}x = torch.from_numpy(image.{laid})\n"
SHARED = (
    "from torchvision import transforms\nto = transforms.Compose([transforms.{last}()])\n"
    "class Cells(Dataset):\n    def __init__(self):\n        self.transform = to\n"
    "    def __getitem__(self, i):\n        image = read(self.images[i])\n"
    "        {name} = {made}\n        image = self.transform(image)\n"
    "        {name} = {through}\n        return image, {name}\n"
)
CHAIN = "net = nn.Sequential({})"

SHOWN = {
    "called_on_one_rank": [
        DDP + FIT + ALONE.format(first="rank == 0", call="net(x)", rest="dist.barrier()\n"),
        DDP + FIT + ALONE.format(first="not rank", call="net(x)", rest=""),
        DDP + ALONE.format(first="is_main_process() and e % 5 == 0", call="net(x)", rest=""),
        WRAPPED.format(wrap="nn.parallel.DistributedDataParallel", more="")
        + ALONE.format(first="args.local_rank == 0", call="net(x)", rest=""),
        DDP + VALIDATE.format(body="model(x)", given="net"),
    ],
    "log_probs_copied": [
        ACTOR.format(
            name="log_probs", made="torch.tensor(self.saved)", actor=PRODUCT.format("log_probs"),
            end=ENDS,
        ),
        ACTOR.format(
            name="logp", made="torch.FloatTensor([m.logp for m in self.memory]).to(device)",
            actor="(-logp * adv.detach()).sum()", end="loss = actor + critic\n    loss.backward()",
        ),
    ],
    "graph_in_backward": [
        OWN.format(base="autograd.Function", name="backward", body=f"y = 2 * x\n        {ASKS}"),
        OWN.format(base="Function", name="backward", body=f"y = f(x)\n        {ASKS}"),
    ],
    "channels_reshaped": [
        PICTURE.format(read="cv2.imread(path)", between="", laid="reshape(3, 224, 224)"),
        PICTURE.format(
            read="cv2.resize(raw, (64, 64))", between="image = image / 255.0\n",
            laid="astype(np.float32).reshape((1, 3, h, w))",
        ),
        "import torch\nx = torch.from_numpy(np.array(Image.open(path))).view(1, 3, 64, 64)\n",
    ],
    "mask_as_picture": [
        SHARED.format(
            last="ToTensor", name="m", made="np.load(self.mask_dir)", through="self.transform(m)"
        ),
        SHARED.format(
            last="ToTensor", name="seg", made="read(i)", through="transforms.ToTensor()(seg)"
        ),
    ],
    "embedding_of_vectors": [
        CHAIN.format("nn.Embedding(4, 8), nn.Embedding(4, 8)"),
        CHAIN.format("nn.Linear(4, 8), nn.Dropout(0.1), nn.Embedding(4, 8)"),
    ],
    "unregistered": [
        module("self.mlp = (nn.Linear(2, 2), nn.ReLU())", "return self.mlp(x)"),
        module("self.mlp = [nn.Linear(2, 2), nn.ReLU()]", "return self.mlp(x)"),
    ],
}  # fmt: skip

SOUND = {
    "the module itself": DDP + ALONE.format(first="rank == 0", call="net.module(x)", rest=""),
    "all ranks": DDP + FIT + "net.eval()\nout = net(x)\nif rank == 0:\n    print(out)\n",
    "no buffers are sent": WRAPPED.format(wrap="DDP", more=", broadcast_buffers=False")
    + ALONE.format(first="rank == 0", call="net(x)", rest=""),
    "a model that is not wrapped": ALONE.format(first="rank == 0", call="net(x)", rest=""),
    "before it is wrapped": ALONE.format(first="rank == 0", call="net(x)", rest="") + DDP,
    "another rank's number": DDP + ALONE.format(first="step == 0", call="net(x)", rest=""),
    "the module handed on": DDP + VALIDATE.format(body="model(x)", given="net.module"),
    "unwrapped in there": DDP
    + VALIDATE.format(body="model = model.module\n        model(x)", given="net"),
    "only saved": DDP + VALIDATE.format(body="torch.save(model.state_dict(), p)", given="net"),
    "joined": ACTOR.format(
        name="log_probs", made="torch.stack(self.saved)", actor=PRODUCT.format("log_probs"),
        end=ENDS,
    ),
    "those of the old policy": ACTOR.format(
        name="log_probs", made="torch.tensor(self.old)", actor=PRODUCT.format("log_probs"), end=ENDS
    ),
    "a ratio": ACTOR.format(
        name="logp", made="torch.tensor(self.saved)",
        actor="-((new - logp).exp() * adv).mean() + 0 * (logp * 1).sum()", end=ENDS,
    ),
    "only printed": ACTOR.format(
        name="logp", made="torch.tensor(self.saved)", actor=PRODUCT.format("logp"),
        end="print(actor)\n    critic.backward()",
    ),
    "rewards": ACTOR.format(
        name="rewards", made="torch.tensor(self.saved)", actor=PRODUCT.format("rewards"), end=ENDS
    ),
    "recorded on purpose": OWN.format(
        base="torch.autograd.Function", name="backward",
        body=f"with torch.enable_grad():\n            y = 2 * x.detach()\n        {ASKS}",
    ),
    "recorded by forward": OWN.format(
        base="torch.autograd.Function",
        name="backward",
        body=f"y, n = ctx.saved_tensors\n        {ASKS}",
    ),
    "a formula": OWN.format(base="torch.autograd.Function", name="backward", body="return 2 * g"),
    "no function of autograd": OWN.format(
        base="nn.Module", name="backward", body=f"y = 2 * x\n        {ASKS}"
    ),
    "moved to the front": PICTURE.format(
        read="cv2.imread(path)", between="image = image.transpose(2, 0, 1)\n",
        laid="reshape(1, 3, 224, 224)",
    ),
    "channels stay last": PICTURE.format(
        read="cv2.imread(path)", between="", laid="reshape(1, 224, 224, 3)"
    ),
    "a row of numbers": PICTURE.format(
        read="np.fromfile(path)", between="", laid="reshape(3, 224, 224)"
    ),
    "another value of that name": PICTURE.format(
        read="cv2.imread(path)", between="image = np.load(p)\n", laid="reshape(3, 224, 224)"
    ),
    "only the picture": SHARED.format(
        last="ToTensor", name="m", made="np.load(self.mask_dir)", through="torch.from_numpy(m)"
    ),
    "a pipeline that scales nothing": SHARED.format(
        last="PILToTensor", name="m", made="np.load(self.mask_dir)", through="self.transform(m)"
    ),
    "two pictures": SHARED.format(
        last="ToTensor", name="depth", made="read(i)", through="self.transform(depth)"
    ),
    "an embedding in front": CHAIN.format("nn.Embedding(4, 8), nn.Linear(8, 2)"),
    "an embedding behind something own": CHAIN.format("Tokens(), nn.Embedding(4, 8)"),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)


def test_a_container_that_is_called_is_told_as_one() -> None:
    """nn.ModuleList cannot be called either: what is called has to be an nn.Sequential."""
    called, indexed = (
        found(ast.parse(code), code)[0].message
        for forward in ("return self.mlp(x)", "return self.mlp[0](x)")
        if (code := module("self.mlp = (nn.Linear(2, 2), nn.ReLU())", forward))
    )

    assert "nn.Sequential" in called and "ModuleList" not in called and "tuple" in called
    assert "nn.ModuleList" in indexed and "nn.Sequential" not in indexed


def test_a_mask_may_be_meant_so() -> None:
    """One of 0 and 255 is right so: it is told last, and only beside other things."""
    code = SHOWN["mask_as_picture"][0]

    assert [r.aside for r in remarks(ast.parse(code), code) if r.kind == "mask_as_picture"] == [
        True
    ]
