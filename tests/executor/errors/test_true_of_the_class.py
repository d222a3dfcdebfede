"""What is said of an error is true of every program that raises it, and not of one alone."""

from __future__ import annotations

import pytest

from bot.models import PastedTraceback
from executor.errors import family_of, read_words
from executor.errors.around import Around
from executor.protocol import Construct

_FREED = "Trying to backward through the graph a second time (or directly access saved tensors"
_BOX = (
    "All bounding boxes should have positive height and width. Found invalid box [{}] for target "
    "at index 3."
)
_LENGTHS = "Expected target size [{}], got [{}]"
_ENCODER = "after model.eval() the nn.TransformerEncoder gives me less steps"
_CUDA = (
    "The detected CUDA version (11.3) mismatches the version that was used to compile\nPyTorch "
    "(10.2). Please make sure to use the same CUDA versions."
)
_MAIN = "Can't get attribute 'Net' on <module '__main__' from '{}'>"
_ONNX = "Exporting the operator 'aten::{}' to ONNX opset version 17 is not supported."
_POOL = "Adaptive pool MPS: input sizes must be divisible by output sizes."
_LISTEN = "The server socket has failed to listen on any local network address."
_METRICS = "step() missing 1 required positional argument: 'metrics'"


@pytest.mark.parametrize(
    ("type_", "message", "words", "told", "untold"),
    [
        ("RuntimeError", _FREED, "opt = torch.optim.LBFGS(w)", "changed the parameters", ""),
        ("RuntimeError", _FREED, "opt = torch.optim.Adam(w)", "h.detach()", "LBFGS"),
        ("AssertionError", _BOX.format("4.5, 5.0, 4.5, 9.0"), "", "has no width: [4.5", "COCO"),
        ("AssertionError", _BOX.format("4.5, 5.0, 8.0, 5.0"), "", "has no height", "no width"),
        ("AssertionError", _BOX.format("4, 5, 4, 5"), "", "no width and no height", "COCO"),
        ("AssertionError", _BOX.format("4e1, 5, 2e1, 9"), "", "'xywh', 'xyxy'", "has no width"),
        ("AssertionError", _BOX.format("4, 5, 4, 9"), "", "without a loader", ""),
        ("RuntimeError", "quantile() input tensor is too large", "", "torch.randint", "[::4]"),
        ("RuntimeError", _LENGTHS.format("3, 12", "3, 20"), _ENCODER, "enable_nested", "If 12"),
        ("RuntimeError", _LENGTHS.format("3, 12", "3, 20"), "an LSTM", "If 12 is", "nested"),
        ("RuntimeError", _LENGTHS.format("3, 12", "3, 9"), _ENCODER, "If 12 is", "nested"),
        ("RuntimeError", _LENGTHS.format("3, 12", "2, 20"), _ENCODER, "If 12 is", "nested"),
        ("RuntimeError", _LENGTHS.format("3, 4, 5", "3, 4, 6"), "", "Print `output.shape`", "If "
         "4 is"),
        ("AttributeError", _MAIN.format("/srv/bin/gunicorn"), "", "`__main__` is gunicorn", " or "),
        ("AttributeError", _MAIN.format("/srv/load.py"), "", "Import or define", "`__main__.Net ="),
        ("AttributeError", _MAIN.format("C:\\a b\\uvicorn.exe"), "", "`__main__.Net = Net`", ""),
        ("RuntimeError", _CUDA, "", "of the same major version", "needs the same one"),
        ("RuntimeError", _CUDA, "", "with nvcc", ""),
        ("UnsupportedOperatorError", _ONNX.format("fft_rfft2"), "", "cosines", "A newer opset"),
        ("UnsupportedOperatorError", _ONNX.format("unfold"), "", "A newer opset", "cosines"),
        ("UnsupportedOperatorError", _ONNX.format("unfold"), "", "This exporter cannot", "counter"),
        ("RuntimeError", _POOL, "", "halves it 5 times", "Set PYTORCH_ENABLE"),
        ("RuntimeError", _LISTEN, "", "--master_port", "an earlier run or"),
        ("OSError", "[Errno 98] Address already in use", "", "a server has an option", "29500"),
        ("TypeError", _METRICS, "", "each call counts as an epoch", "is called without"),
        ("TypeError", _METRICS.replace("metrics", "x"), "", "is called without 'x'", "epoch"),
        ("TypeError", "Got unsupported ScalarType BFloat16", "", "x.float()", "complex64"),
        ("TypeError", "Got unsupported ScalarType ComplexHalf", "", "complex64", "x.float()"),
        (
            "ValueError",
            "Expected more than 1 spatial element when training, got input size torch.Size([1, 8, "
            "1, 1])",
            "",
            "halves the map",
            "in training",
        ),
    ],
)  # fmt: skip
def test_what_is_said_holds_for_the_class(
    type_: str, message: str, words: str, told: str, untold: str
):
    """A cause, a remedy or a number is told only where the message or the post has it."""
    posted = PastedTraceback(type=type_, message=message, frames=())
    code = [Construct(kind="call", name="", line=1, code=words)]

    reading = read_words(posted, Around(words=words), code)

    assert family_of(type_, message) is not None and reading is not None
    said = f"{reading.means} {reading.remedy}"
    assert told in said, said
    assert not untold or untold not in said, said
