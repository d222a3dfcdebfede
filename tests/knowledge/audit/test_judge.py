"""What a run says of a claim, and when it says nothing."""

from __future__ import annotations

from knowledge.audit.judge import verdict
from knowledge.audit.model import BlockRun, Claim, ClaimKind, Raised
from knowledge.audit.relations import Relation
from knowledge.audit.symbols import ANY
from knowledge.documents.verdict import Verdict

SIZES = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
RAN = BlockRun(outcome="ok", stdout="tensor([1., 2.])\ntorch.Size([2, 3])\n")
FAILED = BlockRun(
    outcome="error", error=Raised(type="RuntimeError", message=SIZES, line=3, lines=(3,))
)


def error(type: str = "", message: str = "", line: int | None = None) -> Claim:
    """A claim that it raises."""
    return Claim(
        kind=ClaimKind.ERROR, text="…", type=type, message=message, line=line, end_line=line
    )


def word(claim: Claim, seen: BlockRun) -> Verdict:
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

    assert word(error(line=20), BlockRun(outcome="error", error=inside)) is Verdict.HOLDS


def test_what_could_not_run_here_is_not_judged():
    """Whatever is claimed of it."""
    absent = Raised(type="ModuleNotFoundError", message="No module named 'x'", line=1, lines=(1,))
    seen = BlockRun(outcome="error", error=absent, cannot="it needs the module `x`")

    for kind in (ClaimKind.RUNS, ClaimKind.ERROR, ClaimKind.PRINTS):
        claim = Claim(kind=kind, text="…", type="RuntimeError", printed="1")
        assert word(claim, seen) is Verdict.CANNOT_RUN


def test_a_body_that_is_left_out_refutes_nothing():
    """`def forward(self): # …` stands for code, and does not say that it would run so."""
    message = "expected an indented block after function definition on line 1"
    error = Raised(type="IndentationError", message=message, line=2, lines=(2,))

    assert word(Claim(kind=ClaimKind.RUNS, text="…"), BlockRun(error=error)) is Verdict.CANNOT_RUN


def test_a_stand_in_refutes_nothing():
    """It was chosen by us, and may decide the matter."""
    seen = RAN.model_copy(update={"stand_ins": ("model",)})

    assert word(error("RuntimeError"), seen) is Verdict.CANNOT_RUN


def test_printed_text_is_found_whatever_its_blanks():
    """A number in a number is none."""

    def prints(text: str) -> Claim:
        return Claim(kind=ClaimKind.PRINTS, text="…", printed=text)

    assert word(prints("tensor([1.0, 2.0])"), RAN) is Verdict.HOLDS
    assert word(prints("(2, 3)"), RAN) is Verdict.HOLDS
    assert word(prints("torch.Size([3, 2])"), RAN) is Verdict.REFUTED
    assert word(prints("2"), RAN) is Verdict.REFUTED
    assert word(prints("2"), RAN.model_copy(update={"stdout": "tensor([2.])"})) is Verdict.HOLDS


def test_the_cure_of_an_error_that_does_not_come_is_nothing_to_be_right_about():
    """A block that shows both is refuted, not half right."""
    cure = Claim(kind=ClaimKind.RUNS, text="…", line=5, end_line=5, depends=True)

    assert verdict([error(line=2), cure], RAN)[0] is Verdict.REFUTED
    assert verdict([error(line=3), cure], FAILED)[0] is Verdict.HOLDS


def test_some_true_and_some_false_is_partly():
    """Each keeps its own evidence."""
    said = [
        Claim(kind=ClaimKind.PRINTS, text="…", printed=text) for text in ("torch.Size([2, 3])", "7")
    ]
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


def test_a_value_that_is_mentioned_besides_does_not_halve_a_refutation():
    """A tensor of that shape is there, but the error that was announced does not come."""
    seen = RAN.model_copy(update={"shapes": {"x": (2, 3)}})
    aside = Claim(kind=ClaimKind.SHAPE, text="…", shape=(2, 3), pointed=False)

    assert word(aside, seen) is Verdict.HOLDS
    assert verdict([error("RuntimeError"), aside], seen)[0] is Verdict.REFUTED
    assert word(aside, FAILED.model_copy(update={"shapes": {"x": (2, 3)}})) is Verdict.NO_CLAIM


def test_a_shape_in_passing_may_leave_out_what_is_one():
    """`A 2x3 image`, where the tensor has a batch and a channel too."""
    aside = Claim(kind=ClaimKind.SHAPE, text="…", name="x", shape=(2, 3), pointed=False)

    for real, expected in (((1, 1, 2, 3), Verdict.HOLDS), ((4, 1, 2, 3), Verdict.NO_CLAIM)):
        assert word(aside, RAN.model_copy(update={"shapes": {"x": real}})) is expected


def test_an_error_that_is_not_surely_claimed_does_not_halve_a_refutation():
    """Nor does anything else that is read with less certainty."""
    unsure = error("ValueError").model_copy(update={"pointed": False})
    caught = Raised(type="ValueError", message="x", line=2, handler=3)
    seen = RAN.model_copy(update={"caught": (caught,)})
    wrong = Claim(kind=ClaimKind.PRINTS, text="…", printed="7")

    assert word(unsure, seen) is Verdict.HOLDS
    assert verdict([unsure, wrong], seen)[0] is Verdict.REFUTED


def test_dimensions_are_counted():
    """A tensor that is not there says nothing."""
    seen = RAN.model_copy(update={"shapes": {"x": (2, 3)}})

    def has(count: int, name: str = "x") -> Verdict:
        return word(Claim(kind=ClaimKind.DIMENSIONS, text="…", name=name, dimensions=count), seen)

    assert (has(2), has(3), has(2, "y")) == (Verdict.HOLDS, Verdict.REFUTED, Verdict.NO_CLAIM)


def test_training_is_judged_by_what_the_optimizer_changed():
    """Not by what the sentence says of gradients."""
    seen = BlockRun(outcome="ok", trained=True, moved=("model.fc.weight",), still=("model.alpha",))

    def trains(name: str, kind: ClaimKind = ClaimKind.TRAINS) -> Verdict:
        return word(Claim(kind=kind, text="…", name=name), seen)

    assert trains("alpha") is Verdict.REFUTED
    assert trains("alpha", ClaimKind.NEVER_TRAINS) is Verdict.HOLDS
    assert trains("weight") is Verdict.HOLDS
    assert trains("beta") is Verdict.NO_CLAIM


def test_a_size_that_is_told_by_a_name_may_be_any():
    """The others, and how many there are, must be right."""
    seen = RAN.model_copy(update={"shapes": {"x": (2, 3)}})

    def has(*shape: int) -> Verdict:
        told = Claim(kind=ClaimKind.SHAPE, text="…", name="x", shape=shape, pointed=False)
        return word(told, seen)

    assert [has(2, ANY), has(ANY, 3)] == [Verdict.HOLDS] * 2
    assert [has(4, ANY), has(2, ANY, 3)] == [Verdict.NO_CLAIM] * 2


def test_a_tensor_that_the_error_forestalls_has_no_shape():
    """What is said of a later line is not so; what a caught error forestalls is left alone."""
    told = Claim(kind=ClaimKind.SHAPE, text="…", name="x", shape=(2, 3), line=4, end_line=4)
    caught = BlockRun(outcome="ok", caught=(Raised(type="ValueError", message="", line=3),))

    assert word(told, FAILED) is Verdict.REFUTED
    assert word(told.model_copy(update={"line": 2}), FAILED) is Verdict.NO_CLAIM
    assert word(told, caught) is Verdict.NO_CLAIM


def test_dimensions_without_a_name_are_those_of_some_tensor():
    """A layer's parameters are none that one speaks of."""
    told = Claim(kind=ClaimKind.DIMENSIONS, text="…", dimensions=2, pointed=False)
    layer = RAN.model_copy(update={"shapes": {"layer.weight": (2, 3)}})

    assert word(told, layer) is Verdict.NO_CLAIM
    assert word(told, layer.model_copy(update={"shapes": {"y": (2, 3)}})) is Verdict.HOLDS


def test_what_is_said_to_come_is_refuted_by_an_error_and_by_nothing_else():
    """No rule can tell whether the words fit what did come."""
    effect = Claim(kind=ClaimKind.EFFECT, text="The result is one row for each user.")

    assert word(effect, FAILED) is Verdict.REFUTED
    assert word(effect, RAN) is Verdict.NO_CLAIM


def test_a_block_that_could_not_run_is_told_apart_from_one_of_which_nothing_is_said():
    """Whoever reads the report sees what is missing."""
    assert verdict([], BlockRun(outcome="error", cannot="it needs the module `x`"))[0] is (
        Verdict.CANNOT_RUN
    )
    assert verdict([], RAN)[0] is Verdict.NO_CLAIM


def test_a_name_that_is_missing_is_not_the_error_that_is_announced():
    """Unless the document speaks of names."""
    missing = Raised(type="NameError", message="name 'net' is not defined", line=2, handler=3)
    seen = BlockRun(outcome="ok", caught=(missing,))

    assert word(error(line=2), seen) is Verdict.CANNOT_RUN
    told = error("NameError", line=2)
    assert word(told, seen) is Verdict.HOLDS


def test_a_network_that_is_missing_is_no_fault_of_a_block():
    """Here there is none."""
    refused = Raised(
        type="ConnectionRefusedError", message="Connection refused", line=1, lines=(1,)
    )
    works = Claim(kind=ClaimKind.RUNS, text="This works.")

    assert word(works, BlockRun(outcome="error", error=refused)) is Verdict.CANNOT_RUN


def test_a_relation_is_borne_out_by_what_was_printed():
    """Refuted only if it is surely about that, and never by a run that ended early."""
    falls = Claim(kind=ClaimKind.RELATION, text="The loss falls.", relation=Relation.FALLS)
    out = "Loss: 1.0\nLoss: 2.0\nLoss: 3.0\n"
    seen = BlockRun(outcome="ok", stdout=out)

    assert word(falls, seen) is Verdict.REFUTED
    assert word(falls.model_copy(update={"pointed": False}), seen) is Verdict.NO_CLAIM
    assert word(falls, seen.model_copy(update={"cut": True})) is Verdict.NO_CLAIM


def printed(**told: object) -> Claim:
    """A claim about what a print writes."""
    return Claim.model_validate({"kind": ClaimKind.PRINTS, "text": "…", "line": 1, **told})


def test_a_value_is_held_against_what_its_own_print_wrote():
    """If no line is missing and none is too many; else against all of it."""
    seen = BlockRun(outcome="ok", stdout="a: None\ntensor([[1],\n\n        [2]])\n")

    assert word(printed(printed="None", place=(0, 1, 2)), seen) is Verdict.HOLDS
    assert word(printed(printed="None", place=(1, 2, 2)), seen) is Verdict.REFUTED
    assert word(printed(printed="None", place=(1, 2, 3)), seen) is Verdict.HOLDS
    assert word(printed(printed="tensor([[1], [2]])", place=(1, 2, 2)), seen) is Verdict.HOLDS


def test_what_is_not_to_be_printed_needs_its_own_print():
    """Another's None says nothing of this one."""
    seen = BlockRun(outcome="ok", stdout="tensor(1.)\nNone\n")

    def absent(*place: int) -> Verdict:
        return word(printed(printed="None", absent=True, place=place or None), seen)

    assert [absent(0, 1, 2), absent(1, 2, 2)] == [Verdict.HOLDS, Verdict.REFUTED]
    assert [absent(0, 1, 3), absent()] == [Verdict.NO_CLAIM] * 2


def test_about_so_much_is_within_a_tenth():
    """A number of four places is meant to be nearer than that."""

    def about(said: str, stdout: str) -> Verdict:
        seen = BlockRun(outcome="ok", stdout=stdout)
        return word(printed(printed=said, rough=True, place=(0, 1, 1)), seen)

    assert about("2", "tensor(1.87)") is Verdict.HOLDS
    assert about("0 and 1", "tensor(0.04) tensor(0.97)") is Verdict.HOLDS
    assert about("2", "tensor(1.7)") is Verdict.REFUTED
    assert about("1.234", "1.2401") is Verdict.HOLDS
    assert about("1.234", "1.3") is Verdict.REFUTED


def test_what_is_printed_only_on_a_gpu_is_not_borne_out_without_one():
    """By what another branch printed."""
    told = printed(printed="[1, 2]", on_gpu=True)

    assert word(told, BlockRun(outcome="ok", stdout="[1, 2]\n")) is Verdict.CANNOT_RUN
    assert word(told, BlockRun(outcome="ok", stdout="[1, 2]\n", device="cuda:0")) is Verdict.HOLDS


def test_a_device_that_is_not_here_refutes_nothing():
    """Nor does it hold."""
    cpu = BlockRun(outcome="ok", stdout="on cpu\n")

    assert word(printed(printed="cpu"), cpu) is Verdict.HOLDS
    assert word(printed(printed="cuda:0", pointed=False), cpu) is Verdict.CANNOT_RUN


def test_a_print_that_was_not_reached_printed_nothing():
    """Whatever another one wrote."""
    seen = FAILED.model_copy(update={"stdout": "2\n"})

    assert word(printed(printed="2", line=2), seen) is Verdict.HOLDS
    assert word(printed(printed="2", line=4), seen) is Verdict.REFUTED
