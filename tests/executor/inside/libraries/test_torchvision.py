"""executor/inside/libraries/: torchvision works beside a PyTorch it was not built for."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from bot.diagnosis.missing import missing
from executor.inside.libraries import after_import, boxes, images, regions, torchvision_operators
from executor.protocol import Outcome
from tests.executor.conftest import House


@pytest.fixture(scope="module", autouse=True)
def torchvision() -> Any:
    after_import.install()
    import torchvision

    return torchvision


@pytest.mark.parametrize("cold", [False, True])
def test_models_transforms_and_operators_work_in_the_jail(any_house: House, cold: bool) -> None:
    """What at home is done with one `import torchvision` is done here, warm or cold."""
    result = any_house.run(
        """
        import torch
        import torchvision
        from torchvision import models, transforms
        from torchvision.ops import batched_nms, box_iou, roi_align
        from torchvision.transforms import v2

        step = transforms.Compose([transforms.ToPILImage(), transforms.Resize(8),
                                   transforms.ToTensor(), transforms.Normalize((.5,), (.5,))])
        print(step(torch.rand(1, 16, 16)).shape)
        print(v2.RandomHorizontalFlip(1.0)(torch.rand(3, 4, 4)).shape)
        model = models.squeezenet1_1(weights=None, num_classes=3)
        print(model(torch.rand(1, 3, 64, 64)).shape)
        boxes = torch.tensor([[0, 0, 10, 10.], [1, 1, 11, 11], [20, 20, 30, 30]])
        print(batched_nms(boxes, torch.tensor([.5, .9, .3]), torch.zeros(3), 0.5))
        print(box_iou(boxes, boxes).shape)
        image = torch.rand(1, 2, 32, 32, requires_grad=True)
        roi_align(image, [boxes], 4).sum().backward()
        print(image.grad.shape)
        print(torch.jit.script(torchvision.ops.RoIAlign(3, 1.0, 2))(image, [boxes]).shape)
        """,
        wall_s=30,
        cold=cold,
    )

    assert (result.outcome, result.stdout.splitlines()) == (
        Outcome.OK,
        [
            "torch.Size([1, 8, 8])",
            "torch.Size([3, 4, 4])",
            "torch.Size([1, 3])",
            "tensor([1, 2])",
            "torch.Size([3, 3])",
            "torch.Size([1, 2, 32, 32])",
            "torch.Size([3, 2, 3, 3])",
        ],
    ), result.stderr


def test_an_operator_that_is_not_here_is_not_the_snippets_fault(any_house: House) -> None:
    """It says so in plain words, and the answer names it as what is missing here."""
    result = any_house.run(
        """
        import torch
        from torchvision.ops import deform_conv2d
        deform_conv2d(torch.rand(1, 3, 8, 8), torch.rand(1, 18, 6, 6), torch.rand(4, 3, 3, 3))
        """,
        wall_s=30,
    )

    if result.outcome is Outcome.OK:
        return  # a wheel that was built for this PyTorch has it
    assert result.error is not None and result.error.line == 4
    assert "executor" not in result.stderr  # no frame of ours
    assert missing(result).startswith(
        "it calls `torchvision::deform_conv2d` (line 4), compiled code that does not load"
    )


def test_a_snippet_without_torchvision_never_loads_ours(any_house: House) -> None:
    """The hook acts at the import alone."""
    result = any_house.run(
        "import sys, torch; print(sorted(n for n in sys.modules if 'vision' in n))"
    )

    assert result.stdout == "[]\n", result.stderr


def test_a_wheel_whose_library_loads_is_left_as_it_is() -> None:
    """Nothing is declared, and its own functions stay."""
    declared = dict(torchvision_operators._declared)
    extension: Any = types.ModuleType("torchvision.extension")
    extension._has_ops = has_ops = lambda: True
    extension._load_library = lambda name: True

    torchvision_operators.complete(extension)

    assert extension._has_ops is has_ops and extension._load_library("image") is True
    assert torchvision_operators._declared == declared


def test_this_torchvision_was_seen(torchvision: Any) -> None:
    """On another one: compare its operators and their arguments, and add its version."""
    found = ".".join(torchvision.__version__.split(".")[:2])

    assert found in torchvision_operators.SEEN_WITH


def test_only_the_modules_that_are_completed_are_looked_for() -> None:
    """Any other import goes the way it went before."""
    [finder] = [f for f in sys.meta_path if isinstance(f, after_import._Finder)]

    assert finder.find_spec("torchvision.ops", None) is None
    after_import.install()
    assert sum(isinstance(f, after_import._Finder) for f in sys.meta_path) == 1


# -- boxes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dets", "scores", "threshold", "kept"),
    [
        ([[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30]], [0.5, 0.9, 0.3], 0.5, [1, 2]),
        ([[0, 0, 10, 10], [1, 1, 11, 11]], [0.5, 0.9], 0.7, [1, 0]),  # 0.68 of overlap
        ([[0, 0, 2, 1], [1, 0, 3, 1]], [0.9, 0.5], 1 / 3, [0, 1]),  # as much as the threshold
        ([[0, 0, 4, 4], [0, 0, 4, 4]], [0.5, 0.5], 0.5, [0]),  # of equal scores the first
        (
            [[0, 0, 4, 4], [0, 2, 4, 6], [0, 4, 4, 8]],
            [0.9, 0.8, 0.7],
            0.3,
            [0, 2],
        ),  # not by a dropped
        ([[0, 0, 1, 1], [5, 5, 6, 6]], [0.1, 0.2], 0.0, [1, 0]),  # apart on both sides
        ([[3, 3, 3, 3], [3, 3, 3, 3]], [0.1, 0.2], 0.5, [1, 0]),  # no area
    ],
)
def test_boxes_under_a_better_one_are_dropped(
    dets: list[list[float]], scores: list[float], threshold: float, kept: list[int]
) -> None:
    found = boxes.nms(torch.tensor(dets).float(), torch.tensor(scores), threshold)

    assert found.tolist() == kept and found.dtype == torch.int64


def test_no_boxes_keep_none() -> None:
    assert boxes.nms(torch.zeros(0, 4), torch.zeros(0), 0.5).shape == (0,)


@pytest.mark.parametrize(
    ("dets", "scores", "words"),
    [
        (torch.rand(4), torch.rand(4), "boxes should be a 2d tensor, got 1D"),
        (torch.rand(3, 5), torch.rand(3), "boxes should have 4 elements in dimension 1, got 5"),
        (torch.rand(3, 4), torch.rand(3, 1), "scores should be a 1d tensor, got 2D"),
        (torch.rand(3, 4), torch.rand(2), "same number of elements in dimension 0, got 3 and 2"),
        (torch.rand(3, 4), torch.rand(3).double(), "dets should have the same type as scores"),
    ],
)
def test_wrong_boxes_are_refused_in_the_operators_words(
    dets: Tensor, scores: Tensor, words: str
) -> None:
    with pytest.raises(RuntimeError, match=words):
        boxes.nms(dets, scores, 0.5)


# -- regions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", [2, 3, 0, -1])
@pytest.mark.parametrize("aligned", [False, True])
def test_regions_are_those_of_torchvisions_own_python(samples: int, aligned: bool) -> None:
    """Values and gradients of `roi_align` agree with the implementation that it compiles."""
    from torchvision.ops.roi_align import _roi_align

    generator = torch.Generator().manual_seed(0)

    def rand(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=generator, dtype=torch.float64)

    image = rand(2, 3, 12, 17).requires_grad_()
    corner = rand(9, 2) * 20
    side = rand(9, 2) * torch.tensor([14.0, 4.0])
    rois = torch.cat([torch.arange(9.0)[:, None] % 2, corner, corner + side], 1).double()
    grad = rand(9, 3, 3, 4)

    ours = regions.roi_align(image.detach(), rois, 0.5, 3, 4, samples, aligned)
    back = regions.roi_align_backward(grad, rois, 0.5, 3, 4, 2, 3, 12, 17, samples, aligned)
    theirs = _roi_align.__wrapped__(image, rois, 0.5, 3, 4, samples, aligned)
    theirs.backward(grad)

    torch.testing.assert_close(ours, theirs.detach())
    torch.testing.assert_close(back, image.grad)


def test_a_region_outside_the_image_is_empty() -> None:
    """A sample further out than one pixel counts as zero."""
    image = torch.ones(1, 1, 4, 4)

    out = regions.roi_align(image, torch.tensor([[0, 8, 8, 12, 12.0]]), 1.0, 1, 1, 2, False)
    half = regions.roi_align(image, torch.tensor([[0, 0, 0, 4, 12.0]]), 1.0, 1, 1, 2, False)

    assert (out.item(), half.item()) == (0.0, 0.5)


@pytest.mark.parametrize(
    ("rois", "words"),
    [
        (torch.rand(3, 4), r"rois must have shape as Tensor\[K, 5\]"),
        (torch.rand(3, 5).double(), "Expected tensor for input to have the same type"),
    ],
)
def test_wrong_regions_are_refused_in_the_operators_words(rois: Tensor, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        regions.roi_align(torch.rand(1, 1, 4, 4), rois, 1.0, 2, 2, 2, False)


# -- images --------------------------------------------------------------------------------------


def test_images_are_read_as_they_were_written(tmp_path: Path) -> None:
    """PNG keeps every value; a mode of reading asks for other channels."""
    from torchvision import io

    color = torch.arange(3 * 5 * 4, dtype=torch.uint8).reshape(3, 5, 4)
    io.write_png(color, str(tmp_path / "color.png"))
    io.write_png(color[:1], str(tmp_path / "gray.png"))
    io.write_jpeg(color, str(tmp_path / "color.jpg"))

    assert torch.equal(io.read_image(str(tmp_path / "color.png")), color)
    assert torch.equal(io.read_image(str(tmp_path / "gray.png")), color[:1])
    gray = io.read_image(str(tmp_path / "color.png"), mode=io.ImageReadMode.GRAY)
    assert gray.shape == (1, 5, 4)
    assert io.decode_jpeg(io.read_file(str(tmp_path / "color.jpg"))).shape == (3, 5, 4)


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(RuntimeError, match="Unsupported image file"):
        images.COMPUTED["decode_image"](torch.zeros(9, dtype=torch.uint8), 0)
