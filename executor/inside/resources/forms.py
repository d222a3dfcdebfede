"""The form of torchvision's data sets, as their authors published it: sizes, classes, lengths.

Source:
    The pages of the data sets, as torchvision's own documentation links them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Form:
    """One data set.

    `lengths` maps the values of the arguments that choose a part to its number of samples; () is
    for data sets without parts.
    """

    size: tuple[int, int]  # height, width
    channels: int
    classes: int
    by: str  # the argument that chooses the part
    lengths: Mapping[Any, int]
    # attribute → what it holds: see `datasets.py`
    holds: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()  # of the classes, where the class itself does not have them
    channels_first: bool = False

    def length(self, given: Arguments) -> int:
        """The number of samples of the part that the arguments choose."""
        part = given.get(self.by) if self.by else None
        return self.lengths.get(part, next(iter(self.lengths.values())))


_TRAIN = "train"
_ARRAYS = {"data": "array", "targets": "list"}
_FILES = {"_image_files": "paths", "_labels": "list"}
_NAMED = {"classes": "names", "class_to_idx": "index"}
_SAMPLES = {"samples": "samples", "imgs": "samples", "targets": "list", **_NAMED}


def _mnist(classes: int = 10, lengths: Mapping[Any, int] | None = None, by: str = _TRAIN) -> Form:
    return Form((28, 28), 1, classes, by, lengths or {True: 60_000, False: 10_000},
                {"data": "tensor", "targets": "long"})  # fmt: skip


def _cifar(classes: int, names: str) -> Form:
    return Form((32, 32), 3, classes, _TRAIN, {True: 50_000, False: 10_000},
                {**_ARRAYS, **_NAMED}, tuple(names.split()))  # fmt: skip


def _files(size: tuple[int, int], n: int, lengths: Mapping[Any, int], /, **holds: str) -> Form:
    return Form(size, 3, n, "split", lengths, holds or {**_FILES, **_NAMED})


_CIFAR100 = (
    "apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus "
    "butterfly camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch "
    "crab crocodile cup dinosaur dolphin elephant flatfish forest fox girl hamster house kangaroo "
    "keyboard lamp lawn_mower leopard lion lizard lobster man maple_tree motorcycle mountain mouse "
    "mushroom oak_tree orange orchid otter palm_tree pear pickup_truck pine_tree plain plate poppy "
    "porcupine possum rabbit raccoon ray road rocket rose sea seal shark shrew skunk skyscraper "
    "snail snake spider squirrel streetcar sunflower sweet_pepper table tank telephone television "
    "tiger tractor train trout tulip turtle wardrobe whale willow_tree wolf woman worm"
)

FORMS: dict[str, Form] = {
    "MNIST": _mnist(),
    "FashionMNIST": _mnist(),
    "KMNIST": _mnist(),
    "EMNIST": _mnist(),  # its split decides: see EMNIST below
    "QMNIST": _mnist(by="what", lengths={"train": 60_000, "test": 60_000, "test10k": 10_000,
                                         "test50k": 50_000, "nist": 402_953}),
    "CIFAR10": _cifar(10, "airplane automobile bird cat deer dog frog horse ship truck"),
    "CIFAR100": _cifar(100, _CIFAR100),
    "SVHN": Form((32, 32), 3, 10, "split", {"train": 73_257, "test": 26_032, "extra": 531_131},
                 {"data": "array", "labels": "numbers"}, channels_first=True),
    "STL10": Form((96, 96), 3, 10, "split",
                  {"train": 5_000, "test": 8_000, "unlabeled": 100_000, "train+unlabeled": 105_000},
                  {"data": "array", "labels": "numbers", "classes": "names"},
                  ("airplane", "bird", "car", "cat", "deer", "dog", "horse", "monkey", "ship",
                   "truck"), channels_first=True),
    "USPS": Form((16, 16), 1, 10, _TRAIN, {True: 7_291, False: 2_007}, _ARRAYS),
    "SEMEION": Form((16, 16), 1, 10, "", {None: 1_593}, {"data": "array", "labels": "numbers"}),
    "ImageNet": Form((375, 500), 3, 1000, "split", {"train": 1_281_167, "val": 50_000},
                     {**_SAMPLES, "wnids": "names", "wnid_to_idx": "index"}),
    "Flowers102": _files((500, 667), 102, {"train": 1_020, "val": 1_020, "test": 6_149},
                         **_FILES, classes="names"),
    "Food101": _files((512, 512), 101, {"train": 75_750, "test": 25_250}),
    "DTD": _files((480, 640), 47, {"train": 1_880, "val": 1_880, "test": 1_880}),
    "FGVCAircraft": _files((695, 1024), 100,
                           {"trainval": 6_667, "train": 3_334, "val": 3_333, "test": 3_333}),
    "SUN397": Form((375, 500), 3, 397, "", {None: 108_754}, {**_FILES, **_NAMED}),
    "StanfordCars": _files((480, 640), 196, {"train": 8_144, "test": 8_041},
                           _samples="samples", classes="names", class_to_idx="index"),
    "GTSRB": _files((48, 48), 43, {"train": 26_640, "test": 12_630}, _samples="samples"),
    "RenderedSST2": _files((448, 448), 2, {"train": 6_920, "val": 872, "test": 1_821},
                           _samples="samples"),
    "OxfordIIITPet": _files((375, 500), 37, {"trainval": 3_680, "test": 3_669},
                            _images="path objects", _labels="list", _segs="trimap paths",
                            _bin_labels="two", **_NAMED),
    "EuroSAT": Form((64, 64), 3, 10, "", {None: 27_000}, _SAMPLES,
                    ("AnnualCrop", "Forest", "HerbaceousVegetation", "Highway", "Industrial",
                     "Pasture", "PermanentCrop", "Residential", "River", "SeaLake")),
    "Country211": Form((300, 400), 3, 211, "split",
                       {"train": 31_650, "valid": 10_550, "test": 21_100}, _SAMPLES),
    "CelebA": Form((218, 178), 3, 10_177, "split",
                   {"train": 162_770, "valid": 19_867, "test": 19_962, "all": 202_599},
                   {"filename": "file names", "attr": "bits 40", "identity": "column",
                    "bbox": "boxes 4", "landmarks_align": "boxes 10", "attr_names": "names 40"}),
    "Caltech101": Form((200, 300), 3, 101, "", {None: 8_677},
                       {"y": "list", "index": "index in class", "categories": "names",
                        "annotation_categories": "names"}),
    "Caltech256": Form((300, 350), 3, 257, "", {None: 30_607},
                       {"y": "list", "index": "index in class", "categories": "names"}),
    "VOCSegmentation": Form((375, 500), 3, 21, "image_set",
                            {"train": 1_464, "val": 1_449, "trainval": 2_913},
                            {"images": "paths", "targets": "mask paths"}),
    "VOCDetection": Form((375, 500), 3, 20, "image_set",
                         {"train": 5_717, "val": 5_823, "trainval": 11_540, "test": 4_952},
                         {"images": "paths", "targets": "box paths"}),
    "Places365": Form((256, 256), 3, 365, "split",
                      {"train-standard": 1_803_460, "train-challenge": 8_026_628, "val": 36_500},
                      {"imgs": "samples", "targets": "list", **_NAMED}),
    "LFWPeople": Form((250, 250), 3, 5_749, "split",
                      {"10fold": 13_233, "train": 9_525, "test": 3_708},
                      {"data": "paths", "targets": "list", "class_to_idx": "index"}),
}  # fmt: skip

# EMNIST: split → classes, training samples, test samples.
EMNIST = {
    "byclass": (62, 697_932, 116_323),
    "bymerge": (47, 697_932, 116_323),
    "balanced": (47, 112_800, 18_800),
    "letters": (27, 124_800, 20_800),  # the letters are 1 … 26
    "digits": (10, 240_000, 40_000),
    "mnist": (10, 60_000, 10_000),
}
