"""The environment whose packages snippets may import: one of its own, or the executor's.

What the bot and the executor need is one set of packages, what snippets import another. The second
is a virtual environment beside the first, named as it is with `-snippets` after it; `make snippets`
makes it. Runs are started with its Python and can read its files, not those of the executor's own.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from executor.exceptions import StartError

# The libraries that people's code imports most; docs/libraries.md says what each costs.
LIBRARIES = (
    "torch", "torchvision", "torchaudio", "numpy", "matplotlib", "pillow", "pandas", "scipy",
    "scikit-learn", "seaborn", "opencv-python-headless", "tqdm", "einops", "transformers",
    "tokenizers", "datasets", "accelerate", "lightning", "pytorch-lightning", "torchmetrics",
    "torch-geometric", "timm", "tensorboard", "torchinfo", "onnx", "onnxscript",
)  # fmt: skip


@dataclass(frozen=True)
class SnippetPackages:
    """A virtual environment, by its folder."""

    prefix: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        own = self.prefix == Path(sys.prefix)
        return Path(sys.executable) if own else self.prefix / "bin" / "python"

    @property
    def site(self) -> Path:
        """The folder of its packages."""
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.prefix / "lib" / python / "site-packages"

    @property
    def complete(self) -> bool:
        """Whether our own package is in it, which `make snippets` installs last."""
        return self.python.exists() and any(self.site.glob("torchmedic-*.dist-info"))

    def versions(self) -> dict[str, str]:
        """Those of `LIBRARIES` that are installed, each with its version."""
        found: dict[str, str] = {}
        for folder in self.site.glob("*.dist-info"):
            name, _, version = folder.name.removesuffix(".dist-info").partition("-")
            found[name.replace("_", "-").lower()] = version
        return {name: found[name] for name in LIBRARIES if name in found}


def snippet_packages(folder: Path | None) -> SnippetPackages:
    """The environment of this executor's runs.

    Args:
        folder: the virtual environment that the settings name; None: the one beside our own, or
            our own where there is none.

    Raises:
        StartError: the settings name one that is not complete, or has another Python than ours.
    """
    own = Path(sys.prefix)
    beside = own.with_name(f"{own.name}-snippets")
    packages = SnippetPackages((folder or beside).absolute())
    if packages.complete:
        return packages
    if folder is None:
        return SnippetPackages(own)
    raise StartError(
        f"the snippets' environment {folder} is not complete: it needs Python "
        f"{sys.version_info.major}.{sys.version_info.minor}, as the executor, and Torchmedic "
        "installed in it (`make snippets`); or leave the setting `snippets` out"
    )
