"""knowledge/signature.py: what stays of a message without its particulars."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.signature import (
    MAX_MESSAGE_CHARS,
    MAX_TEXT_CHARS,
    _reduced,
    find_signatures,
    first_piece,
    generalise,
    matches,
    mentions,
    signature,
)


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    """Each test reads its messages itself: what an earlier one had reduced is remembered."""
    _reduced.cache_clear()


NUMBERS = st.integers(min_value=0, max_value=10**12)


@pytest.mark.parametrize(
    ("message", "reduced"),
    [
        ("\"Unknown category '7' found. Set it\"", "KeyError: Unknown category <q> found. Set it"),
        ("'No such key at all'", "KeyError: No such key at all"),
        ("'LOCAL_RANK'", "KeyError: <q>"),
    ],
)
def test_a_sentence_that_python_quotes_is_no_name(message: str, reduced: str):
    """A KeyError shows its key as it would be written, also where that is a whole sentence."""
    assert signature("KeyError", message) == reduced


def test_other_sizes_same_signature():
    """The numbers in a shape error do not change which article answers it."""
    small = signature("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")
    large = signature("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (64x784 and 9x10)")

    assert small == large


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("expected scalar type Long but found Float", "expected scalar type Half but found Double"),
        ("No module named 'torchvision'", "No module named 'sklearn'"),
        ("Expected all tensors on cuda:0 and cpu", "Expected all tensors on cuda:1 and cpu"),
        (
            "shape '[2, 3]' is invalid for input of size 7",
            "shape '[4]' is invalid for input of size 9",
        ),
        ("object at 0x7f3a10 is not ready", "object at 0xdeadbeef is not ready"),
        ("Parent directory /home/ann/1 does not exist.", "Parent directory /tmp/x does not exist."),
        ("Tried to allocate 20.00 MiB", "Tried to allocate 1.95 GiB"),
        (
            "Net.forward() takes 1 positional argument but 2 were given",
            "Encoder.forward() takes 2 positional arguments but 3 were given",
        ),
        ("Error(s) in loading state_dict for Net", "Error(s) in loading state_dict for ResNet"),
        ("got torch.Size([3]), not torch.Size([])", "got torch.Size([8, 1]), not torch.Size([2])"),
        (
            "modified by an inplace operation: [torch.FloatTensor [3]], which is output 0 of Exp",
            "modified by an inplace operation: [torch.cuda.HalfTensor [4, 4]], which is output 1 "
            "of SigmoidBackward0",
        ),
        ("version 0 instead. Hint: enable anomaly detection", "version 3 instead. Hint: good luck"),
    ],
)
def test_particulars_do_not_count(one: str, other: str):
    """Names, dtypes, devices, addresses, paths, sizes and hints differ; the error is the same."""
    assert signature("E", one) == signature("E", other)


@pytest.mark.parametrize(
    ("message", "what_stays"),
    [
        ("a  b\n\tc ", "a b c"),
        (
            "is at version 3; expected 2 instead. Hint: enable anomaly detection",
            "is at version <n>; expected <n> instead.",
        ),
        ("see https://pytorch.org/docs for more", "see <url> for more"),
        ("see http://a/b<x>", "see <url><x>"),
        # Quotations, one for several; an apostrophe is none.
        ("argument 'input' must be Tensor", "argument <q> must be Tensor"),
        ('"addmm" not implemented', "<q> not implemented"),
        ("use `x.t()` instead", "use <q> instead"),
        ("keys 'a', 'b',\"c\" are left", "keys <q> are left"),
        ("it can't be what torch's is", "it can't be what torch's is"),
        # Places.
        ("no file /home/ann/x.bin here", "no file <path> here"),
        ("no file C:\\data\\x here", "no file <path> here"),
        ("a/b or /c is no path", "a/b or /c is no path"),
        ("at ../c10/core/impl.cpp:281", "at ../<path>"),
        ("in train.py and model.pt", "in <path> and <path>"),
        *[
            (f"in a_b/c-d.{end}:12 now", "in <path> now")
            for end in ("py", "cpp", "cc", "cu", "h", "pt", "pth", "so")
        ],
        ("in train.pyx", "in train.pyx"),
        ("object at 0x7F3a here", "object at <n> here"),
        # Kinds of tensors and numbers.
        ("found torch.FloatTensor", "found <type>"),
        ("found torch.cuda.sparse.HalfTensor", "found <type>"),
        ("found torch.mps.FloatTensor", "found <type>"),
        ("found torch.float8_e4m3fn", "found <type>"),
        ("found torch.bool and torch.long", "found <type> and <type>"),
        ("found torch.Tensor and torch.nn", "found <type> and torch.nn"),
        ("type Long but BFloat16", "type <type> but <type>"),
        ("type int64 but float", "type <type> but float"),  # "float" is Python's own
        ("Longer Boolean", "Longer Boolean"),
        # Devices.
        ("on cuda:0 and cpu", "on <device> and <device>"),
        ("on mps, meta, xla, xpu, hpu", "on <device>, <device>, <device>, <device>, <device>"),
        ("torch.cuda is gone, a.cpu() too", "torch.cuda is gone, a.cpu() too"),
        ("run cuda-gdb for it", "run cuda-gdb for it"),
        # Names of the snippet's own, and of autograd's nodes.
        ("output 0 of SigmoidBackward0", "output <n> of <op>"),
        ("Output 12 of Exp", "Output <n> of <op>"),
        ("output <n> of Exp", "output <n> of <op>"),
        ("Function MulBackward0 returned", "Function <op> returned"),
        ("MyBackward failed", "<op> failed"),
        ("loading state_dict for ResNet:", "loading state_dict for <name>:"),
        ("size mismatch for fc.1.weight:", "size mismatch for <name>:"),
        ("Net.forward() got", "<name>.forward() got"),
        ("net.forward() got", "net.forward() got"),
        ("Net() takes no arguments", "<name>() takes no arguments"),
        ("net() takes no arguments", "net() takes no arguments"),
        # One or many.
        (
            "takes 1 positional argument but 2 were given",
            "takes <n> positional argument but <n> were given",
        ),
        (
            "takes 2 positional arguments but 1 was given",
            "takes <n> positional argument but <n> were given",
        ),
        # Numbers.
        ("(2x3 and 4x5x6)", "(<n> and <n>)"),
        ("got 3, -1.5, +2e5 and 1E-3", "got <n> and <n>"),
        ("conv2d and fc1 and v1.2", "conv2d and fc1 and v1.2"),
        (
            "20.00 MiB of 8 GB, 512 bytes, 3 KiB, 2 TB",
            "<n> bytes of <n> bytes, <n> bytes, <n> bytes, <n> bytes",
        ),
        ("<n>bytes", "<n> bytes"),  # as somebody may write a signature down
        ("[2, 3], [], [4,], (7,) and (8)", "[<n>], [<n>], [<n>], (<n>) and (<n>)"),
        ("(2 * 3)", "(<n> * <n>)"),
        ("(2* 3)", "(<n>)"),
        ("3 elements", "<n> elements"),
        # What one step lays bare, the next one takes.
        ("'a 'b' c'", "<q>"),
    ],
)
def test_what_is_taken_out(message: str, what_stays: str):
    """Every kind of particular, and beside it what only looks like one."""
    assert signature(None, message) == what_stays


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mat1 and mat2 shapes cannot be multiplied", "mat1 and mat2 must have the same dtype"),
        ("a leaf Variable that requires grad", "a view of a leaf Variable that requires grad"),
        ("relu_(): argument 'input' must be Tensor", "linear(): argument 'input' must be Tensor"),
        ("can't optimize a non-leaf Tensor", "optimizer got an empty parameter list"),
    ],
)
def test_other_errors_other_signatures(one: str, other: str):
    """What an error is about stays in its signature."""
    assert signature("E", one) != signature("E", other)


def test_type_counts_but_not_its_module():
    """An error raised as torch.OutOfMemoryError is the one that people call OutOfMemoryError."""
    assert signature("torch.OutOfMemoryError", "x y") == signature("OutOfMemoryError", "x y")
    assert signature("ValueError", "x y") != signature("TypeError", "x y")


TENSOR_TYPES = (
    "Byte Char Short Int Long Half Float Double BFloat16 Bool ComplexHalf ComplexFloat "
    "ComplexDouble UInt16 UInt32 UInt64 QInt8 QUInt8 QInt32 Float8_e4m3fn Float8_e5m2"
)
SIZED_DTYPES = (
    "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex32 "
    "complex64 complex128 float8_e5m2"
)
WORD_DTYPES = "half float double short int long bool float8_e4m3fn"


@pytest.mark.parametrize(
    "name",
    [
        *TENSOR_TYPES.split(),
        *SIZED_DTYPES.split(),
        *(f"torch.{name}" for name in (SIZED_DTYPES + " " + WORD_DTYPES).split()),
    ],
)
def test_every_dtype_is_a_particular(name: str):
    """By the name in torch, with a number at its end, or as the dispatcher calls it."""
    assert signature(None, f"got {name} here") == "got <type> here"


@pytest.mark.parametrize("name", WORD_DTYPES.split()[:-1])
def test_a_words_other_meaning_stays(name: str):
    """Without "torch." it may be Python's type, or English."""
    assert signature(None, f"got {name} here") == f"got {name} here"


@pytest.mark.parametrize(
    ("type_", "message", "key"),
    [
        ("RuntimeError", "oh 3", "RuntimeError: oh <n>"),
        ("torch.cuda.OutOfMemoryError", "oh", "OutOfMemoryError: oh"),
        (" torch.OutOfMemoryError ", "oh", "OutOfMemoryError: oh"),
        (None, "oh", "oh"),
        ("", "oh", "oh"),
        (" ", "oh", "oh"),
        ("RuntimeError", "", "RuntimeError:"),
        # Long ones are cut: the message before it is read, the signature between two words.
        (None, "a" + " " * 1_998 + "bc", "a b"),
        ("E", "a" + " " * 1_998 + "bc", "E: a b"),
        (None, "ab " * 199 + "abc", "ab " * 199 + "abc"),  # 600 characters
        (None, "ab " * 199 + "abcd", "ab " * 198 + "ab"),
        # What the cut leaves bare is taken out.
        (None, "ab " * 197 + "[ 3, x.y, ] and more words", "ab " * 197 + "[ <n>,"),
    ],
)
def test_how_a_signature_is_put_together(type_: str | None, message: str, key: str):
    """The type without its module, a colon, what the message is about; no longer than needed."""
    assert signature(type_, message) == key


def test_how_much_of_a_text_is_read():
    """A text is read to its limit and no further; quotations after it are not found."""
    text = "x" * (MAX_TEXT_CHARS - 1)

    assert generalise(text + "yz") == text + "y"
    assert MAX_MESSAGE_CHARS == 2_000 and MAX_TEXT_CHARS == 20_000
    said = " `no such error here`"
    assert find_signatures(text[len(said) :] + said + "...") == ["no such error here"]
    assert find_signatures(text[len(said) - 2 :] + said + "...") == []


@pytest.mark.parametrize(
    ("pattern", "actual", "meant"),
    [
        # The type.
        ("ValueError: a b", "ValueError: a b", True),
        ("ValueError: a b", "TypeError: a b", False),
        ("ValueError: a b", "a b", True),  # quoted without its type
        ("a b", "ValueError: a b", True),
        ("ValueError", "ValueError", True),
        ("ValueError: ", "ValueError", True),
        ("ValueError", "ValueError: a b", False),
        ("ValueError", "TypeError", False),
        ("ValueError", "a b", False),
        ("ValueError", "", False),
        ("", "", False),
        ("", "a b", False),
        ("torch.OutOfMemoryError: a", "torch.OutOfMemoryError: a", True),
        *[
            (f"{name}: a", actual, actual == "a")
            for actual in ("a", "TypeError: a")
            for name in (
                "KeyboardInterrupt",
                "SystemExit",
                "StopIteration",
                "UserWarning",
                "Exception",
            )
        ],
        ("Other: a", "TypeError: Other: a", True),  # no type
        # The beginning.
        ("a b", "a b c", True),
        ("a b", "z a b", False),
        ("a b.", "a b c", True),  # a sentence's end is none of the message's
        ("A B", "a b", True),
        ("a b", "A B", True),
        ("straße", "STRASSE", True),
        ("a bc", "a bcd", False),
        ("a X", "a x", True),
        ("a X", "a xy", False),
        ("a b", "a b-c", True),
        ("a b=", "a b=c", True),
        # Gaps.
        ("a ... c", "a b c", True),
        ("a...c", "a b c", True),
        ("a … c", "a b c", True),
        ("a ... c", "a b d", False),
        ("a ... c", "x a b c", False),
        ("a ... c", "c a b", False),
        ("a ... b ... c", "a b c", True),
        ("a ... b ... c", "a c b", False),
        ("a ... a", "a b", False),
        ("a ... a", "a b a", True),
        ("... c", "a b c", False),  # it begins with what comes first
        ("a ...", "a b", True),
        ("...", "a b", False),
        ("a ... . ... b", "a b", True),
        ("a bc ... d", "a bcx d", False),
    ],
)
def test_which_error_a_written_signature_means(pattern: str, actual: str, meant: bool):
    """The same type where both name one, and its pieces as whole words in their order."""
    assert matches(pattern, actual) is meant


@pytest.mark.parametrize(
    ("prose", "pattern", "found"),
    [
        ("I get a b c from it", "ValueError: a b c", True),
        ("I get a b c from it", "a b c", True),
        ("I get a b from it", "a b", False),  # two words are no message
        ("I get a b d from it", "a b c", False),
        ("I get a b cd from it", "a b c", False),
        ("I get a b x c from it", "a b ... c", True),
    ],
)
def test_which_message_prose_mentions(prose: str, pattern: str, found: bool):
    """Three words or more, anywhere in it."""
    assert mentions(prose, pattern) is found


@pytest.mark.parametrize(
    ("pattern", "piece"),
    [
        ("ValueError: A b ... c", "a b"),
        ("a b. ... c", "a b"),
        ("... c d", "c d"),
        ("a b", "a b"),
        ("ValueError", ""),
        ("...", ""),
    ],
)
def test_what_a_message_begins_with(pattern: str, piece: str):
    """Its first piece, in small letters."""
    assert first_piece(pattern) == piece


def test_the_beginning_of_a_message_is_enough():
    """An article may promise a message in part, and leave out the middle."""
    real = signature(
        "RuntimeError", "the size of a (3) must match the size of b (4) at dimension 1"
    )

    assert matches(signature("RuntimeError", "the size of a (9) must match"), real)
    assert matches(signature("RuntimeError", "the size of a ... at dimension"), real)
    assert not matches(signature("RuntimeError", "the size of a (9) mus"), real)
    assert not matches(signature("RuntimeError", "size of a"), real)
    assert not matches(signature("ValueError", "the size of a"), real)
    assert not matches("...", real)


def test_messages_are_found_in_prose():
    """A message counts as quoted after its type, in backticks and in quotation marks."""
    text = (
        "I get RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)\n"
        "and sometimes `element 0 of tensors does not require grad`, even 'unknown parameter type'."
    )

    assert find_signatures(text) == [
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (<n> and <n>)",
        "element <n> of tensors does not require grad",
        "unknown parameter type",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ValueError: oh dear 3", ["ValueError: oh dear <n>"]),
        ("ValueError : oh dear", ["ValueError: oh dear"]),
        ("torch.OutOfMemoryError: oh dear", ["OutOfMemoryError: oh dear"]),
        ("a KeyboardInterrupt: oh", ["KeyboardInterrupt: oh"]),
        ("a ValueError: 3", []),  # too short to be a message
        ("`ValueError: oh dear`", ["ValueError: oh dear"]),
        ("`ValueError: oh dear X`", ["ValueError: oh dear X"]),
        ("'ValueError: oh dear' ", ["ValueError: oh dear"]),
        ("“ValueError: oh dear”", ["ValueError: oh dear"]),
        ("‘ValueError: oh dear’", ["ValueError: oh dear"]),
        ("«ValueError: oh dear»", ["ValueError: oh dear"]),
        ('"ValueError: oh dear"', ["ValueError: oh dear"]),
        ("ValueError: oh dear\nand more", ["ValueError: oh dear"]),
        ("it says `no graph here`", ["no graph here"]),
        ("it says “no graph here”", ["no graph here"]),
        ("it says ‘no graph here’", ["no graph here"]),
        ("it says «no graph here»", ["no graph here"]),
        ('it says "no graph here"', ["no graph here"]),
        ("it says 'no graph here'", ["no graph here"]),
        ("it says 'can't graph this'", ["can't graph this"]),
        ("it says `no graph_here`", []),
        ("it says `a b c d`", []),  # seven characters are no message
        ("`no graph here` and `no graph here`", ["no graph here"]),
        ("`no graph here`: ValueError: oh dear", ["no graph here", "ValueError: oh dear"]),
        ("ValueError: oh dear\n`no graph here`", ["ValueError: oh dear", "no graph here"]),
        ("TypeError: oh dear\nValueError: oh dear", ["TypeError: oh dear", "ValueError: oh dear"]),
    ],
)
def test_which_messages_a_text_quotes(text: str, found: list[str]):
    """In the order of the text, each once, without the marks."""
    assert find_signatures(text) == found


def test_names_in_backticks_are_no_messages():
    """`torch.relu_()` is a name: quoting it claims no error."""
    assert find_signatures("why does `torch.relu_()` not like my 'x'? it's ann's and bob's") == []


def test_a_message_without_quotes_is_recognised():
    """People write "I get can't optimize a non-leaf Tensor when …" without any marks."""
    pattern = signature("ValueError", "can't optimize a non-leaf Tensor")

    assert mentions(generalise("I get can't optimize a non-leaf tensor when I use Adam"), pattern)
    assert not mentions(generalise("how do I optimize a non-leaf tensor"), pattern)


@given(st.text(max_size=100), st.text(max_size=100))
def test_any_text_has_a_signature(type_: str, message: str):
    """No message, however odd, makes us fail."""
    signature(type_, message)
    find_signatures(message)
    matches(type_, message)
    mentions(generalise(message), type_)


MESSAGES = st.lists(
    st.sampled_from(
        ["'", '"', "`", "[", "]", "(", ")", "0x1f", "12", "3x4", "torch.Size(", "cuda:0", "cpu",
         "/a/b", "Long", "torch.float32", "torch.FloatTensor", "output 0 of Exp", "Foo.bar()",
         "<n>", "<q>", "x", " ", ", ", ": ", "...", "Error", "Hint: ", "\n", "http://a/b",
         "1.5 GiB", "-1e5", "AddBackward0"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(MESSAGES | st.text(max_size=200))
def test_a_signature_is_its_own_signature(message: str):
    """Taking the particulars out a second time changes nothing."""
    once = signature("RuntimeError", message)

    assert signature(None, once) == once


@given(st.lists(NUMBERS, min_size=4, max_size=4), st.lists(NUMBERS, min_size=4, max_size=4))
def test_numbers_never_matter(some: list[int], others: list[int]):
    """Whatever the sizes, a shape error stays the same error."""
    template = "The size of tensor a ({}) must match tensor b ({}) at dimension {}, got [{}, 2]"

    assert signature("E", template.format(*some)) == signature("E", template.format(*others))


@pytest.mark.parametrize(
    "unit",
    [
        "'",
        '"',
        "`",
        "(",
        "[",
        "[ ",
        "1",
        "1,",
        "1x",
        "/a",
        "a.",
        "E",
        "Error:",
        " ",
        "'a ",
        "<n>, ",
    ],
)
def test_hostile_messages_cost_no_time(unit: str):
    """A message made to be slow is read about as fast as any of its length."""

    def seconds(text: str) -> float:
        start = time.perf_counter()
        signature("E", text)
        find_signatures(text)
        generalise(text)
        return time.perf_counter() - start

    plain = "word " * (20_000 // 5)
    usual = max(seconds(plain), 0.02)
    hostile = (unit * 20_000)[:20_000]

    assert min(seconds(hostile), seconds(hostile)) < 100 * usual


def test_every_placeholder_is_in_brackets():
    """A signature is readable: what was taken out is named."""
    key = signature("E", "a 3 'b' torch.float32 cuda:0 /a/b/c http://x.org AddBackward0")

    assert re.findall(r"<\w+>", key) == [
        "<n>",
        "<q>",
        "<type>",
        "<device>",
        "<path>",
        "<url>",
        "<op>",
    ]
