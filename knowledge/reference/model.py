"""What is known of a library's functions: names, signatures, prose and examples, as data."""

from __future__ import annotations

from typing import Literal

from executor.protocol import Model

Kind = Literal["function", "class", "method"]


class Documented(Model):
    """A public function, class or method, as its docstring tells of it."""

    name: str  # as one writes it: "torch.topk", "torch.Tensor.item", "torch.nn.Linear"
    kind: Kind
    signature: str  # "(input, k, dim=None)", without the name
    paragraphs: tuple[str, ...]  # prose without markup, before the arguments; the first tells most
    summary: str  # the first sentence
    examples: tuple[str, ...] = ()  # code, as the docstring has it; run before it is shown
    aliases: tuple[str, ...] = ()  # other names of the same: "torch.Tensor.topk"


class Reference(Model):
    """The documentation of the libraries in one executor."""

    libraries: dict[str, str]  # {"torch": "2.13.0"}
    functions: tuple[Documented, ...]
