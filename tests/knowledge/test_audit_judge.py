"""What a run says of a claim, and when it says nothing."""

from __future__ import annotations

from knowledge.audit.judge import verdict
from knowledge.audit.model import Claim, Kind, Raised, Seen, Verdict

SIZES = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
RAN = Seen(outcome="ok", stdout="tensor([1., 2.])\ntorch.Size([2, 3])\n")
FAILED = Seen(outcome="error", error=Raised(type="RuntimeError", message=SIZES, line=3, lines=(3,)))


def error(type: str = "", message: str = "", line: int | None = None) -> Claim:
    """A claim that it raises."""
    return Claim(kind=Kind.ERROR, text="…", type=type, message=message, line=line, end_line=line)


def word(claim: Claim, seen: Seen) -> Verdict:
    """The verdict of one claim alone."""
    return verdict([claim], seen)[0]


def test_an_error_that_comes_holds_and_one_that_does_not_is_refuted():
    """Sizes in a quoted message may be others; the type may be left out."""
    quoted = "mat1 and mat2 shapes cannot be multiplied (64x784 and 512x10)"

    assert word(error("RuntimeError"), FAILED) is Verdict.HOLDS
    assert word(error("", quoted, line=3), FAILED) is Verdict.HOLDS
    assert word(error("RuntimeError"), RAN) is Verdict.REFUTED


def test_another_error_than_the_one_that_is_said_is_partly():
    """An error does come."""
    assert word(error("IndexError"), FAILED) is Verdict.PARTLY
    assert word(error("", "size mismatch of the second argument"), FAILED) is Verdict.PARTLY


def test_a_line_that_was_never_reached_is_not_judged():
    """The run ended above it."""
    assert word(error("ValueError", line=9), FAILED) is Verdict.CANNOT_RUN


def test_an_error_that_comes_out_of_a_called_function_belongs_to_the_call():
    """The comment stands where the model is called, the error inside `forward`."""
    inside = Raised(type="RuntimeError", message=SIZES, line=5, lines=(5, 20))

    assert word(error(line=20), Seen(outcome="error", error=inside)) is Verdict.HOLDS


def test_what_could_not_run_here_is_not_judged():
    """Whatever is claimed of it."""
    absent = Raised(type="ModuleNotFoundError", message="No module named 'x'", line=1, lines=(1,))
    seen = Seen(outcome="error", error=absent, cannot="it needs the module `x`")

    for kind in (Kind.RUNS, Kind.ERROR, Kind.PRINTS, Kind.OUTPUT):
        claim = Claim(kind=kind, text="…", type="RuntimeError", printed="1")
        assert word(claim, seen) is Verdict.CANNOT_RUN


def test_a_body_that_is_left_out_refutes_nothing():
    """`def forward(self): # …` stands for code, and does not say that it would run so."""
    message = "expected an indented block after function definition on line 1"
    error = Raised(type="IndentationError", message=message, line=2, lines=(2,))

    assert word(Claim(kind=Kind.RUNS, text="…"), Seen(error=error)) is Verdict.CANNOT_RUN


def test_a_stand_in_refutes_nothing():
    """It was chosen by us, and may decide the matter."""
    seen = RAN.model_copy(update={"stand_ins": ("model",)})

    assert word(error("RuntimeError"), seen) is Verdict.CANNOT_RUN


def test_printed_text_is_found_whatever_its_blanks():
    """A number in a number is none."""

    def prints(text: str) -> Claim:
        return Claim(kind=Kind.PRINTS, text="…", printed=text)

    assert word(prints("tensor([1.0, 2.0])"), RAN) is Verdict.HOLDS
    assert word(prints("(2, 3)"), RAN) is Verdict.HOLDS
    assert word(prints("torch.Size([3, 2])"), RAN) is Verdict.REFUTED
    assert word(prints("2"), RAN) is Verdict.REFUTED


def test_the_cure_of_an_error_that_does_not_come_is_nothing_to_be_right_about():
    """A block that shows both is refuted, not half right."""
    cure = Claim(kind=Kind.RUNS, text="…", line=5, end_line=5, depends=True)

    assert verdict([error(line=2), cure], RAN)[0] is Verdict.REFUTED
    assert verdict([error(line=3), cure], FAILED)[0] is Verdict.HOLDS


def test_some_true_and_some_false_is_partly():
    """Each keeps its own evidence."""
    said = [Claim(kind=Kind.PRINTS, text="…", printed=text) for text in ("torch.Size([2, 3])", "7")]
    whole, judged = verdict(said, RAN)

    assert whole is Verdict.PARTLY
    assert {j.verdict for j in judged} == {Verdict.HOLDS, Verdict.REFUTED}


def test_a_claim_that_may_be_about_something_else_can_only_be_borne_out():
    """Precision first."""
    quoted = error("RuntimeError", SIZES).model_copy(update={"pointed": False})
    vague = error("RuntimeError").model_copy(update={"pointed": False})

    assert word(quoted, FAILED) is Verdict.HOLDS
    assert word(quoted, RAN) is Verdict.NO_CLAIM
    assert word(vague, FAILED) is Verdict.NO_CLAIM  # any failure would bear it out
    assert word(vague.model_copy(update={"of_this": True}), FAILED) is Verdict.HOLDS


def test_a_value_that_is_mentioned_besides_does_not_halve_a_refutation():
    """A tensor of that shape is there, but the error that was announced does not come."""
    seen = RAN.model_copy(update={"shapes": {"x": (2, 3)}})
    aside = Claim(kind=Kind.SHAPE, text="…", shape=(2, 3), pointed=False)

    assert word(aside, seen) is Verdict.HOLDS
    assert verdict([error("RuntimeError"), aside], seen)[0] is Verdict.REFUTED
    assert word(aside, FAILED.model_copy(update={"shapes": {"x": (2, 3)}})) is Verdict.NO_CLAIM


def test_a_shape_in_passing_may_leave_out_what_is_one():
    """`A 2x3 image`, where the tensor has a batch and a channel too."""
    aside = Claim(kind=Kind.SHAPE, text="…", name="x", shape=(2, 3), pointed=False)

    for real, expected in (((1, 1, 2, 3), Verdict.HOLDS), ((4, 1, 2, 3), Verdict.NO_CLAIM)):
        assert word(aside, RAN.model_copy(update={"shapes": {"x": real}})) is expected


def test_dimensions_are_counted():
    """A tensor that is not there says nothing."""
    seen = RAN.model_copy(update={"shapes": {"x": (2, 3)}})

    def has(count: int, name: str = "x") -> Verdict:
        return word(Claim(kind=Kind.DIMENSIONS, text="…", name=name, dimensions=count), seen)

    assert (has(2), has(3), has(2, "y")) == (Verdict.HOLDS, Verdict.REFUTED, Verdict.NO_CLAIM)


def test_training_is_judged_by_what_the_optimizer_changed():
    """Not by what the sentence says of gradients."""
    seen = Seen(outcome="ok", trained=True, moved=("model.fc.weight",), still=("model.alpha",))

    def trains(name: str, kind: Kind = Kind.TRAINS) -> Verdict:
        return word(Claim(kind=kind, text="…", name=name), seen)

    assert trains("alpha") is Verdict.REFUTED
    assert trains("alpha", Kind.NEVER_TRAINS) is Verdict.HOLDS
    assert trains("weight") is Verdict.HOLDS
    assert trains("beta") is Verdict.NO_CLAIM
