"""scikit-learn's `fetch_…` functions: tables, images and texts of the published form."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from executor.inside.resources.pictures import pictures
from executor.inside.resources.supplied import Supplied

_BASE = 256
_HOUSING = ("MedInc", "HouseAge", "AveRooms", "AveBedrms", "Population", "AveOccup", "Latitude",
            "Longitude")  # fmt: skip
_NEWS = (
    "alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware", "comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles",
    "rec.sport.baseball", "rec.sport.hockey", "sci.crypt", "sci.electronics", "sci.med",
    "sci.space", "soc.religion.christian", "talk.politics.guns", "talk.politics.mideast",
    "talk.politics.misc", "talk.religion.misc",
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A data set: its rows, columns, and what its target is."""

    rows: int
    columns: tuple[str, ...]
    classes: int  # 0: a number is to be predicted
    target: str
    image: tuple[int, int] | None = None


def _pixels(side: int) -> tuple[str, ...]:
    return tuple(f"pixel{n}" for n in range(1, side * side + 1))


_OPENML = {
    "mnist_784": Table(70_000, _pixels(28), 10, "class", (28, 28)),
    "fashion-mnist": Table(70_000, _pixels(28), 10, "class", (28, 28)),
}


def install(supplied: Supplied) -> None:
    """Let the fetchers give synthetic data where theirs are not here."""
    import sklearn.datasets as module

    _wrap(module, "fetch_california_housing", supplied, _california)
    _wrap(module, "fetch_20newsgroups", supplied, _newsgroups)
    _wrap(module, "fetch_olivetti_faces", supplied, _faces)
    _wrap(module, "fetch_openml", supplied, _openml)


def _wrap(
    module: Any, name: str, supplied: Supplied, make: Callable[..., tuple[Any, str] | None]
) -> None:
    original = getattr(module, name)

    @functools.wraps(original)
    def fetch(*args: Any, **named: Any) -> Any:
        try:
            return original(*args, **named)
        except OSError:  # no network: URLError is one
            made = make(*args, **named)
            if made is None:
                raise
            supplied.add(made[1], "data", "synthetic data of its form stand in", exact=True)
            return made[0]

    setattr(module, name, fetch)


def _california(**named: Any) -> tuple[Any, str]:
    table = Table(20_640, _HOUSING, 0, "MedHouseVal")
    return _bunch(table, named, frame=bool(named.get("as_frame"))), "fetch_california_housing"


def _openml(name: Any = None, **named: Any) -> tuple[Any, str] | None:
    table = _OPENML.get(str(name).lower())
    if table is None:
        return None
    frame = named.get("as_frame", "auto") in ("auto", True)
    return _bunch(table, named, frame=frame, names=True), str(name)


def _bunch(table: Table, named: dict[str, Any], *, frame: bool, names: bool = False) -> Any:
    from sklearn.utils import Bunch

    random = np.random.default_rng(0)
    data: Any
    target: Any
    if table.image is not None:
        labels = np.arange(_BASE) % table.classes
        base = pictures(labels, table.image, 1).reshape(_BASE, -1).astype(np.int64)
        rows = np.arange(table.rows) % _BASE
        data, target = base[rows], labels[rows]
    else:
        data = random.normal(size=(table.rows, len(table.columns))) + 3
        target = data @ random.normal(size=len(table.columns)) / 10 + 2
    if names:
        target = target.astype(str).astype(object)
    bunch = Bunch(
        data=data, target=target, feature_names=list(table.columns),
        target_names=[table.target], DESCR="synthetic data", frame=None,
    )  # fmt: skip
    if frame:
        import pandas as pd

        bunch.data = pd.DataFrame(data, columns=list(table.columns))
        bunch.target = pd.Series(
            target, name=table.target, dtype="category" if table.classes else None
        )
        bunch.frame = pd.concat([bunch.data, bunch.target], axis=1)
    return (bunch.data, bunch.target) if named.get("return_X_y") else bunch


def _newsgroups(*, subset: str = "train", categories: Any = None, **named: Any) -> tuple[Any, str]:
    from sklearn.utils import Bunch

    wanted = [n for n in _NEWS if categories is None or n in categories]
    rows = {"train": 11_314, "test": 7_532}.get(subset, 18_846) * len(wanted) // len(_NEWS)
    target = np.random.default_rng(0).integers(0, len(wanted), rows)
    data = [
        f"Somebody writes about {wanted[label]} and asks what others think." for label in target
    ]
    bunch = Bunch(data=data, target=target, target_names=wanted, filenames=[], DESCR="")
    return (data, target) if named.get("return_X_y") else bunch, "fetch_20newsgroups"


def _faces(**named: Any) -> tuple[Any, str]:
    from sklearn.utils import Bunch

    target = np.repeat(np.arange(40), 10)
    images = pictures(target, (64, 64), 1)[..., 0].astype(np.float32) / 255
    data = images.reshape(400, -1)
    bunch = Bunch(data=data, images=images, target=target, DESCR="")
    return (data, target) if named.get("return_X_y") else bunch, "fetch_olivetti_faces"
