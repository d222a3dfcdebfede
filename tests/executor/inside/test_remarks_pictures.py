"""executor/inside/remarks/pictures.py, halves.py: pictures cut and sampled along other axes."""

from __future__ import annotations

import ast

import pytest

from executor.inside.remarks import found, mended
from tests.executor.inside.test_remarks import said_and_left_alone

CUT = "def cut(x, p=4):\n    {0}\n    return {1}\n"
FIRST = "B, C, H, W = x.shape"
NUMBER = "(H // p) * (W // p)"
CLASS = (
    "class Cut(nn.Module):\n    def __init__(self, size=32, patch=4):\n"
    "        self.patch = patch\n        self.n = (size // patch) ** 2\n"
    "    def forward(self, x):\n        b, c, h, w = x.size()\n        x = {0}\n        return x\n"
)

SHOWN = {
    "patches_reshaped": [
        CUT.format(FIRST, f"x.reshape(B, {NUMBER}, C * p * p)"),
        CUT.format(FIRST, "x.view(B, -1, 3 * p ** 2)"),
        CUT.format("B, H, W, C = x.shape", f"torch.reshape(x, (B, {NUMBER}, p * p * C))"),
        CUT.format("C, H, W = x.shape\n    n = int(H / p) * int(W / p)", "x.reshape(n, C * p * p)"),
        CUT.format(FIRST + "\n    h, w = H // p, W // p", "x.contiguous().view(B, h * w, C, p, p)"),
        CLASS.format("x.reshape(b, self.n, self.patch * self.patch * c)"),
        "x = torch.rand(8, 3, 32, 32)\np = 4\ny = x.view(8, (32 // p) ** 2, 3 * p * p)\n",
    ],
}  # fmt: skip

SOUND = {
    "taken apart first": CUT.format(
        FIRST + "\n    x = x.reshape(B, C, H // p, p, W // p, p).permute(0, 2, 4, 1, 3, 5)",
        f"x.reshape(B, {NUMBER}, C * p * p)",
    ),
    "each side apart": CUT.format(FIRST, "x.reshape(B, C, H // p, p, W // p, p)"),
    "unfolded": CUT.format(
        FIRST + "\n    x = F.unfold(x, p, stride=p)", f"x.view(B, {NUMBER}, C * p * p)"
    ),
    "pieces of a sequence": CUT.format("B, T, D = x.shape", "x.reshape(B, T // p, p * D)"),
    "all pixels of a channel": CUT.format(FIRST, "x.view(B, -1, H * W)"),
    "a whole picture": CUT.format("B, T, H, W = x.shape", "x.view(B, -1, H * H)"),
    "of what nothing is known": CUT.format("B = x.size(0)", "x.view(B, -1, 3 * p * p)"),
    "what a layer made": CUT.format(
        FIRST + "\n    x = self.proj(x)", f"x.reshape(B, {NUMBER}, C * p * p)"
    ),
    "turned in the line": CUT.format(
        FIRST, f"x.permute(0, 2, 3, 1).reshape(B, {NUMBER}, C * p * p)"
    ),
    "one side in pieces": CUT.format(FIRST, "x.reshape(B, (H // p) * W, C * p * p)"),
    "patches of two sizes": CUT.format(FIRST, "x.reshape(B, (H // p) * (W // q), C * p * p)"),
    "rows of a patch": CUT.format(FIRST, f"x.reshape(B, {NUMBER}, C * p)"),
    "another tensor's sizes": CUT.format("B, C, H, W = z.shape", f"x.view(B, {NUMBER}, C * p * p)"),
    "no view": CUT.format(FIRST, f"x.expand(B, {NUMBER}, C * p * p)"),
    "a function of one's own": CUT.format(FIRST, f"view(x, B, {NUMBER}, C * p * p)"),
    "from a table": "x = table(8, 3, 32, 32)\np = 4\ny = x.view(8, -1, 3 * p * p)\n",
    "a row of numbers": "x = torch.rand(8, 3072)\np = 4\ny = x.view(8, -1, 3 * p * p)\n",
    "channels of another number": CUT.format(FIRST, "x.view(B, -1, heads * p * p)"),
    "as many dimensions as before": CUT.format(FIRST, "x.view(B, C, -1, p * p)"),
    "the number last": CUT.format(FIRST, "x.view(B, C * p * p, -1)"),
    "windows as they are": "def cut(x, B, p, C):\n    return x.view(B, -1, p * p, C)\n",
}  # fmt: skip

MENDED = [
    (
        CUT.format(FIRST, f"x.reshape(B, {NUMBER}, C * p * p)"),
        "x.reshape(B, C, H // p, p, W // p, p).permute(0, 2, 4, 1, 3, 5)"
        f".reshape(B, {NUMBER}, C * p * p)",
    ),
    (
        CUT.format("B, H, W, C = x.shape", f"torch.reshape(x, (B, {NUMBER}, p * p * C))"),
        "x.reshape(B, H // p, p, W // p, p, C).permute(0, 1, 3, 2, 4, 5)"
        f".reshape(B, {NUMBER}, p * p * C)",
    ),
]

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(
    SHOWN, SOUND, "import torch\n"
)


@pytest.mark.parametrize(("code", "becomes"), MENDED)
def test_the_edit_says_so(code: str, becomes: str) -> None:
    """The places that the first way changes hold this afterwards."""
    code = "import torch\n" + code
    tree = ast.parse(code)
    [(_, ways)] = [m for m in mended(tree, code, found(tree, code)) if m[0].kind in SHOWN]

    assert becomes in after(code, ways[0])


def after(code: str, way: dict[str, object]) -> str:
    """The code with a way's places replaced: rows of ASCII, so that columns are characters."""
    starts = [0]
    for line in code.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    made = code
    places = [(p[0], p[1]) for p in way["places"]]  # type: ignore[attr-defined]
    places += [
        ([s[0], s[1], s[0], s[1]], [new + "\n" + " " * s[1]])
        for new, s, _ in way["add"]  # type: ignore[attr-defined]
    ]
    for (line, column, last, end), parts in sorted(places, reverse=True):
        new = "".join(p if isinstance(p, str) else code[at(*p[:2]) : at(*p[2:])] for p in parts)
        made = made[: at(line, column)] + new + made[at(last, end) :]
    return made
