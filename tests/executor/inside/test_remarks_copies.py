"""executor/inside/remarks/copies.py, keeping.py, labels.py, files.py: what is kept in vain."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

ATTACK = (
    "def attack(x, y):\n    adv = {0}\n    {1}\n    return adv\n"
    "x, y = load()\nadv = attack(x, y)\nprint({2})"
)
FAST = (
    "net = make()\nfor task in tasks:\n    fast = {0}\n    fit(fast, task)\n"
    "    for p, q in zip(net.parameters(), {1}.parameters()):\n        p += q - p"
)
LISTS = "rows = {0}\nfor i in range(9):\n    {1}"
RUN = "def run(net, losses={0}):\n    {1}\n    return losses\nfor seed in range(3):\n    {2}"
WAVES = "pe[:, 0::2] = torch.sin(t)\npe[:, {0}] = {1}"
FOLLOWS = (
    "q = make()\ntarget = copy.deepcopy(q)\nfor step in range(9):\n    loss = {0}\n"
    "    loss.backward()\n    target.load_state_dict(q.state_dict())\n{1}"
)
EPOCHS = (
    "best_loss = {0}\nwait = 0\nfor epoch in range(9):\n    loss.backward()\n    opt.step()\n"
    "    val = judge(net)\n    {1}\n    if {2}:\n        {3}\n    else:\n        wait += 1\n"
    "        if wait > 3:\n            break\n{4}"
)
KEEPS = EPOCHS.format("float('inf')", "pass", "val < best_loss", "{0}", "net.load_state_dict(best)")
GOOD = "best_loss = val\n        wait = 0\n        best = copy.deepcopy(net.state_dict())"
FIRST = EPOCHS.format("9.0", "best_loss = min(best_loss, val)", "{0}", "wait = 0", "")
RESIZED = "small = F.interpolate({0}, size=(8, 8), mode={1})\ny = small.{2}"
HIDES = "x = ids.masked_fill(hidden, {0})\nlabels = ids.clone()\nlabels[{1}] = {2}"
SORTED = "def collate(b):\n    n, order = n.sort(descending=True)\n    return {0}"
CODES = "def encode(names):\n    {0}\n    return codes\ny, y_val = {1}"
UNIQUE = "_, codes = np.unique(names, return_inverse=True)"
FILES = (
    "for i in range({0}):\n    save(os.path.join(d, f'{1}'))\n"
    "files = sorted({2}f for f in os.listdir(d))"
)

SHOWN = {
    "written_through": [
        ATTACK.format("x.detach()", "adv += 0.1", "net(x)"),
        ATTACK.format("x.detach()", "adv.clamp_(0, 1)", "(adv - x).max()"),
        ATTACK.format("x.view(-1)", "adv[0] = 0", "net(x)"),
        "noisy = x.detach()\nnoisy += 0.1\nloss = f(net(noisy), x)",
    ],
    "copies_itself": [
        FAST.format("net", "fast"),
        FAST.format("net", "net").replace("zip(net.", "zip(fast."),
    ],
    "one_list_repeated": [
        LISTS.format("[[]] * 9", "rows[i].append(i)"),
        LISTS.format("[{}] * 9", "rows[i]['a'] = i"),
        LISTS.format("dict.fromkeys(keys, [])", "rows[i].append(i)"),
    ],
    "default_kept": [
        RUN.format("[]", "losses.append(1)", "run(net)"),
        RUN.format("{}", "losses[net] = 1", "run(net)"),
        RUN.format("[]", "losses.append(1)", "pass") + "\nrun(a)\nrun(b)",
    ],
    "written_over": [WAVES.format("0::2", "torch.cos(t)")],
    "followed_unasked": [
        FOLLOWS.format("f(q(x), r + g * q(z).max(1).values)", ""),
        "class A:\n    def sync(self):\n        self.target.load_state_dict(self.q.state_dict())\n"
        "    def learn(self):\n        f(self.q(x)).backward()\n"
        "    def __init__(self):\n        self.target = make()\n",
    ],
    "best_unread": [KEEPS.format(GOOD).replace("net.load_state_dict(best)", "test(net)")],
    "best_never_set": [
        KEEPS.format("wait = 0\n        best = copy.deepcopy(net.state_dict())"),
        EPOCHS.format("0", "pass", "val > best_loss", "wait = 0", ""),
        EPOCHS.format("np.inf", "pass", "val < best_loss", "wait = 0", ""),
    ],
    "best_set_first": [
        FIRST.format("val < best_loss"),
        FIRST.format("best_loss > val"),
        FIRST.replace("min(", "max(").format("val > best_loss"),
    ],
    "patience_adds_up": [KEEPS.format("best_loss = val")],
    "labels_blended": [
        RESIZED.format("mask", "'bilinear'", "long()"),
        "y = F.interpolate(labels, size=8, mode='area').squeeze(1).long()",
    ],
    "hidden_left_out": [
        HIDES.format("MASK", "hidden", "-100"),
        HIDES.format("tok.mask_token_id", "hidden", "-100"),
        "x[hidden] = MASK_ID\nlabels[hidden] = -100",
    ],
    "ordered_alone": [
        SORTED.format("x[order], n, y"),
        SORTED.format("x, labels").replace("    return", "    x = x[order]\n    return"),
        "def collate(b):\n    order = torch.argsort(n)\n    return x[order], y",
    ],
    "numbered_apart": [
        CODES.format(UNIQUE, "encode(a), encode(a_val)"),
        CODES.format("codes = pd.factorize(names)[0]", "encode(train), encode(test)"),
        CODES.format("codes = LabelEncoder().fit_transform(names)", "encode(a), encode(test)"),
        CODES.format(
            "codes = {n: i for i, n in enumerate(sorted(set(names)))}", "encode(a), encode(a_test)"
        ),
    ],
    "sorted_as_text": [
        FILES.format(99, "rec_{i}.wav", ""),
        "N = 40\n" + FILES.format("N", "{i}.pt", ""),
    ],
}  # fmt: skip

SOUND = {
    "a copy": ATTACK.format("x.detach().clone()", "adv += 0.1", "net(x)"),
    "a new tensor": ATTACK.format("x.detach()", "adv = adv + 0.1", "net(x)"),
    "nothing read afterwards": ATTACK.format("x.detach()", "adv += 0.1", "net(adv)"),
    "weights that are moved": "w = p.detach()\nw -= 0.1 * g\nprint(p)",
    "a mark": ATTACK.format("x.detach()", "adv.requires_grad_(True)", "net(x)"),
    "a model of its own": FAST.format("copy.deepcopy(net)", "fast"),
    "another pair": FAST.format("net", "first"),
    "lists of their own": LISTS.format("[[] for _ in range(9)]", "rows[i].append(i)"),
    "numbers": LISTS.format("[0] * 9", "rows[i] += 1"),
    "entries that are replaced": LISTS.format("[[]] * 9", "rows[i] = [i]"),
    "a list that is made in the body": RUN.format(
        "None", "losses = losses or []\n    losses.append(1)", "run(net)"
    ),
    "a list that is given": RUN.format("[]", "losses.append(1)", "run(net, [])"),
    "a list that is only read": RUN.format("[]", "print(losses)", "run(net)"),
    "one call": RUN.format("[]", "losses.append(1)", "pass") + "\nrun(a)",
    "a store": RUN.format("[]", "losses.append(1)", "run(net)").replace("losses", "cache"),
    "other places": WAVES.format("1::2", "torch.cos(t)"),
    "what is read again": WAVES.format("0::2", "pe[:, 0::2] * 2"),
    "a model that is asked": FOLLOWS.format("f(q(x), r + g * target(z))", ""),
    "a model that is handed on": FOLLOWS.format("f(q(x))", "judge(target)"),
    "a model that is saved": FOLLOWS.format("f(q(x))", "torch.save(target.state_dict(), p)"),
    "weights that are loaded once": "a = make()\na.load_state_dict(b.state_dict())",
    "the best that is used": KEEPS.format(GOOD),
    "what no round kept": KEEPS.format(GOOD).replace("best = copy", "last = copy"),
    "a bound that is meant": EPOCHS.format("9.0", "pass", "val < limit", "wait = 0", "").replace(
        "best_loss", "limit"
    ),
    "a score from before": EPOCHS.format("judge(old)", "pass", "val < best_loss", "wait = 0", ""),
    "asked before it is set": FIRST.format("val < best_loss").replace(
        "    best_loss = min(best_loss, val)\n", ""
    ).replace("wait = 0\n    else", "best_loss = val\n        wait = 0\n    else"),
    "as good as the best": FIRST.format("val <= best_loss"),
    "a counter that begins anew": KEEPS.format(GOOD),
    "the nearest": RESIZED.format("mask", "'nearest'", "long()"),
    "a picture": RESIZED.format("image", "'bilinear'", "long()"),
    "a mask of amounts": RESIZED.format("mask", "'bilinear'", "float()"),
    "what is seen is left out": HIDES.format("MASK", "~hidden", "-100"),
    "padding": HIDES.format("MASK", "pad", "-100"),
    "scores that are filled": HIDES.format("-1e9", "hidden", "-100"),
    "another label": HIDES.format("MASK", "hidden", "0"),
    "labels in the same order": SORTED.format("x[order], n, y[order]"),
    "an order that is handed on": SORTED.format("x[order], n, y, order"),
    "no labels": SORTED.format("x[order], n"),
    "labels that were put in order before": SORTED.format("x[order], n, y").replace(
        "    return", "    y = y[order]\n    return"
    ),
    "numbers of both at once": CODES.format(
        UNIQUE, "encode(both), 0"
    ),
    "columns, one by one": "def encode(c):\n    return pd.factorize(c)[0]\n"
    "for c in cols:\n    a[c] = encode(train[c])\n    b[c] = encode(test[c])",
    "a number by the file": CODES.format(
        "codes = [index[n] for n in names]", "encode(a), encode(a_val)"
    ),
    "leading zeros": FILES.format(99, "rec_{i:03d}.wav", ""),
    "few files": FILES.format(9, "rec_{i}.wav", ""),
    "names that are read": FILES.format(99, "rec_{i}.wav", "") + "\ny = files[0].split('_')",
    "a key": FILES.format(99, "rec_{i}.wav", "").replace("listdir(d))", "listdir(d)), key=number)")
    .replace("sorted(", "sorted(("),
}  # fmt: skip

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
