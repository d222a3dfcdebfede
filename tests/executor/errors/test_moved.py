"""executor/errors/moved.py: what libraries renamed, and what does it today."""

from __future__ import annotations

import pytest

from executor.errors import moved_argument, moved_attribute, moved_name
from executor.errors.moved import _NAMES
from tests.executor.conftest import House
from tests.executor.service.test_packages import needs_whole_set


@pytest.mark.parametrize(
    ("given", "today"),
    [
        ("1", 'accelerator="auto", devices=1'),
        ("0", 'accelerator="cpu"'),
        ("None", 'accelerator="cpu"'),
        ("-1", 'accelerator="auto", devices="auto"'),
        ("[0, 2]", 'accelerator="gpu", devices=[0, 2]'),
        ("args.gpus", 'accelerator="auto", devices="auto"'),
    ],
)
def test_what_is_given_decides_what_is_given_today(given: str, today: str) -> None:
    """No GPU, one, all or certain ones are other arguments."""
    moved = moved_argument("lightning", "Trainer", "gpus", given)
    assert moved is not None and moved.arguments == today
    assert moved == moved_argument("pytorch_lightning", "Trainer", "gpus", given)


@pytest.mark.parametrize(
    ("package", "function", "keyword", "given", "how"),
    [
        ("pytorch_lightning", "Trainer", "resume_from_checkpoint", '"a.ckpt"', True),
        ("pytorch_lightning", "Trainer", "resume_from_checkpoint", "None", False),
        ("sklearn", "mean_squared_error", "squared", "False", False),
        ("sklearn", "mean_squared_error", "squared", "True", False),
    ],
)
def test_what_another_call_does_is_told_and_not_written(
    package: str, function: str, keyword: str, given: str, how: bool
) -> None:
    """An argument that asked for nothing is left out; one that did something is not."""
    moved = moved_argument(package, function, keyword, given)
    if (keyword, given) == ("squared", "False"):
        assert moved is None or moved.how
        return
    assert moved is not None and bool(moved.how) is how


def test_nothing_is_known_of_other_functions() -> None:
    """A function of one's own may take `gpus`."""
    assert moved_argument("__main__", "Trainer", "gpus", "1") is None
    assert moved_argument("pytorch_lightning", "Trainer", "max_epochs", "1") is None
    assert moved_name("torch", "AdamW") is None
    assert moved_attribute(list, "append") is None


@needs_whole_set
@pytest.mark.daily
def test_what_took_a_place_is_there_and_the_old_name_is_not(any_house: House) -> None:
    """Each row of the table is true of the installed packages."""
    rows = {old: moved.today for old, moved in _NAMES.items() if moved.today}
    result = any_house.run(
        f"""
        import importlib
        import torchvision, torchmetrics, transformers, pytorch_lightning, sklearn.impute
        import matplotlib.pyplot, seaborn, scipy.special, PIL.Image, numpy
        import torchmetrics.image.fid, torchmetrics.text, torchmetrics.functional.segmentation
        for old, today in {rows!r}.items():
            where, _, name = today.rpartition(".")
            assert hasattr(importlib.import_module(where), name), today
            package, _, name = old.partition(".")
            if package not in ("torchvision", "matplotlib"):
                assert not hasattr(importlib.import_module(package), name), old
        """,
        wall_s=60,
    )
    assert result.error is None, result.error
