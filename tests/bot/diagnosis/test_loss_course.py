"""bot/diagnosis/loss_course.py: what the posted losses show, and nothing else."""

from __future__ import annotations

import pytest

from bot.diagnosis.chance_level import chance_level
from bot.diagnosis.loss_course import loss_course, losses_written
from bot.models import Question, Snippet


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("loss: 644.2\nloss: 1.3e7\nloss: 2e38", "run away (644.2 → 1.3e7 → 2e38)"),
        ("The loss goes 644 → 1e7 → 1e38", "run away"),
        ("loss = 0.5\nloss = 90.1\nloss = 8000.2\nloss = nan", "run away"),
        ("loss: 0.9\nloss: 0.7\nloss: nan", "finite and then NaN"),
        ("loss: 0.9, loss: 0.7, loss: inf", "finite and then NaN"),
        ("loss: 1.2345\nloss: 1.2345\nloss: 1.2345", "does not move at all"),
        ("loss: tensor(1.2345)\nloss: tensor(1.2345)\nloss: tensor(1.2345)", "does not move"),
        ("loss: 0.9\nloss: 0.7\nloss: 0.5", None),  # it learns
        ("loss: 0.9\nloss: 40.0\nloss: 0.5", None),  # it jumps, and comes back
        ("loss: 0.9\nloss: 9.0\nloss: 20.0", None),  # it grows, and not by much
        ("loss: 1.2\nloss: 1.2\nloss: 1.2", None),  # too few digits to say that it stands
        ("loss: 0.9\nloss: nan", None),  # two are no course
        ("loss: nan\nloss: nan\nloss: nan", None),  # where it began is not posted
        ("value: 644\nvalue: 1e7\nvalue: 1e38", None),  # of no loss
        ("loss: 12%\nloss: 1300%\nloss: 99999%", None),
    ],
)
def test_the_posted_losses_choose_between_the_causes(text: str, told: str | None):
    """Losses that run away, end in NaN or stand still have different causes."""
    seen = loss_course(Question(text=text))

    assert (seen is None) == (told is None), seen
    assert told is None or (seen is not None and told in seen.message)


RISING = "loss: 3.1\nloss: 3.3\nloss: 3.9\nloss: 4.4\nloss: 5.2"


@pytest.mark.parametrize(
    ("text", "printed", "told"),
    [
        ("Why does it diverge?\n" + RISING, "", "the posted losses rise each time (3.1 → 3.3"),
        ("Why does it diverge?", RISING, "the printed losses rise each time"),
        ("My loss keeps increasing", RISING, "rise each time"),
        ("the loss goes up instead of down", RISING, "rise each time"),
        ("Does this look right?", RISING, None),  # nobody speaks of it: it may be meant so
        ("Does this look right?\n" + RISING, "", None),
        ("My loss keeps increasing", RISING.replace("4.4", "3.8"), None),  # it also falls
        ("My loss keeps increasing", RISING.replace("5.2", "4.5"), None),  # by too little
        ("My loss keeps increasing", RISING[: RISING.rindex("\n")], None),  # too few
        ("My loss keeps increasing", RISING.replace("5.2", "nan"), None),
        ("I am growing a network", RISING, None),
    ],
)
def test_losses_that_rise_are_told_where_somebody_asks(text: str, printed: str, told: str | None):
    """Of the post, or of the run of its code."""
    seen = loss_course(Question(text=text), printed)

    assert (seen is None) == (told is None), seen
    assert told is None or (seen is not None and told in seen.message)


def test_losses_are_read_in_their_order():
    """From a log, or from what somebody types with arrows."""
    assert losses_written("epoch 1, train_loss=0.5 acc=0.9; epoch 2, train_loss=0.4") == [
        "0.5",
        "0.4",
    ]
    assert losses_written("the loss: 3 -> 20 -> nan") == ["3", "20", "nan"]


@pytest.mark.parametrize(
    ("text", "is_chance"),
    [
        ("accuracy stays at 10 %, loss: 2.3026", True),
        ("accuracy: loss: 2.3101\nloss: 2.3030\nloss: 2.3026", True),
        ("accuracy: loss: 2.3026\nloss: 1.9\nloss: 1.1", False),  # it began there, and learned
    ],
)
def test_a_series_is_at_chance_level_where_it_ends(text: str, is_chance: bool):
    """Every training begins with guesses."""
    assert (chance_level(Question(text=text)) is not None) is is_chance


FELL = "Loss: 2.3101\nLoss: 2.1875\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (FELL + "Loss: 2.302585\n" * 4, "begun to learn and then collapsed"),
        ("Loss: 2.3101\n" + "Loss: 2.302585\n" * 4, "no step changes the weights"),
        ("Loss: 2.890372\n" * 4, "is ln 18 to its last digit"),
        (FELL + "Loss: 2.302585\n" * 2, None),  # two times are no standing still
        ("Loss: 2.302591\n" * 4, None),  # not to the last digit
        ("Loss: 4.6052\n" * 4, None),  # of 100 classes four digits say nothing
        ("Score: 2.302585\n" * 4, None),
    ],
)
def test_a_loss_that_ends_at_a_logarithm_tells_its_classes(text: str, told: str | None):
    """The digits decide the number of classes, and a lower loss before that it once learned."""
    seen = chance_level(Question(text=text))

    assert (seen is not None and "to its last digit" in seen.message) is (told is not None), seen
    assert told is None or (seen is not None and told in seen.message)


EPOCH = "Train loss={}\nTest loss={}\nAccuracy={}\n"


@pytest.mark.parametrize(
    ("test", "accuracy", "is_told"),
    [
        ("1.01144", "0.54", True),  # ln(e + 2) - 0.54
        ("1.01144", "54%", True),
        ("1.71115", "0.75", True),  # ln(e + 9) - 0.75
        ("1.0114", "0.58", False),
        ("1.01", "0.54", False),  # too few digits to say so
        ("1.0214", "0.54", False),
    ],
)
def test_a_loss_that_stands_tells_a_softmax_too_many(test: str, accuracy: str, is_told: bool):
    """By the accuracy beside it: of few classes, and to four digits."""
    text = "".join(EPOCH.format(train, test, accuracy) for train in (1.1, 1.09, 1.05))

    seen = chance_level(Question(text=text))

    assert (seen is not None and "applied before a loss" in seen.message) is is_told, seen


def test_a_loss_that_moves_tells_no_softmax():
    """Passing by such a value says nothing."""
    text = "".join(EPOCH.format(1.1, test, "0.54") for test in ("1.01144", "0.9", "0.8"))

    assert chance_level(Question(text=text)) is None


@pytest.mark.parametrize(
    ("text", "is_chance"),
    [
        ("The loss drops from 0.693 to 0.012, accuracy 0.9", False),
        ("loss 0.693 -> 0.30, accuracy 0.9", False),
        ("The accuracy is 0.5, the loss 0.693 at first, then 0.41", False),
        ("The accuracy is 0.5, the loss goes to 0.693", True),
        ("The loss goes from 0.693 to 0.692, accuracy 0.5", True),  # by less than is learned
        ("The loss is 0.693! I want to get accuracy 0.9", True),
        ("The loss falls nicely. Validation acc of the last epochs:\n0.69 0.81 0.68", False),
        ("The loss falls.\n\nAccuracy 0.81, then 0.84, AUC 0.693", False),
        ("With an accuracy of 0.5 in both, my loss ends near 0.693", True),
        ("accuracy 0.5, the loss with a learning rate of 1e-3 stays at 0.693", True),
        ("multi-label, the loss stays at 0.693, accuracy 0.5", False),  # each output by itself
    ],
)
def test_a_loss_that_fell_from_a_logarithm_has_learned(text: str, is_chance: bool):
    """A number with a direction says where it began, and not where it is."""
    assert (chance_level(Question(text=text)) is not None) is is_chance


DETECTOR = "loss: 4.1 loss_mask: 2.9 loss_box_reg: 0.1\nLoss is nan, stopping\nloss_box_reg: nan"


@pytest.mark.parametrize(
    ("text", "series"),
    [
        (DETECTOR, ["4.1", "nan"]),  # each loss for itself
        ("train_loss: 3.0 val_loss: 9.0\ntrain_loss: 2.0 val_loss: 9.5", ["3.0", "2.0"]),
        ("Loss: 3.0\nloss: 2.0", ["3.0", "2.0"]),
    ],
)
def test_several_losses_are_no_one_series(text: str, series: list[str]):
    """Numbers of different losses are in no order."""
    assert losses_written(text) == series


def test_a_loss_that_was_never_finite_does_not_end_so():
    """ "Loss is nan" in a title is no first value."""
    assert loss_course(Question(text="My loss is nan\nloss: 4.1\nloss is nan")) is None


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("The loss never goes below 1.46. epoch 1: 1.58, 30: 1.4651. A Softmax ends it", "", True),
        ("My loss doesn't get below 1.461, 10 classes", "", True),
        ("The loss stays at 0.3133, two classes", "", True),
        ("The loss stays at 0.313, binary classification", "", True),
        ("The loss stays at 0.31, binary classification", "", False),
        ("The loss stays at 0.31, binary classification", "F.softmax(x, 1)", True),
        ("The loss settles at 0.5514", "self.out = nn.Softmax(dim=1)", True),
        ("The loss won't go under 3.62. Others get 0.03. There is a softmax.", "", True),
        # Another number of classes, digits that differ, or a lower loss.
        ("My loss doesn't get below 1.461, 12 classes", "", False),
        ("My loss doesn't get below 1.48, 10 classes", "", False),
        ("The loss settles at 0.5524", "self.out = nn.Softmax(dim=1)", False),
        ("The loss settles at 1.46, after 0.93 at first. A Softmax ends it", "", False),
        # Nothing that is made of classes, or no end.
        ("The loss settles at 0.5514", "self.out = nn.LogSoftmax(dim=1)", False),
        ("The loss is 1.46 in the first epoch. A Softmax ends it", "", False),
        ("The accuracy stays at 0.31, two classes", "", False),
    ],
)
def test_the_least_loss_of_probabilities_tells_a_softmax_too_many(text, code, told) -> None:
    """ln(1 + (C - 1)/e) for C classes, to the digits that are written."""
    snippets = (Snippet(code=code),) if code else ()
    shown = chance_level(Question(text=text, snippets=snippets))

    assert (shown is not None and "the least that cross entropy gives" in shown.message) is told


@pytest.mark.parametrize(
    ("classes", "least"), [(2, "0.3133"), (3, "0.5514"), (10, "1.4612"), (100, "3.6222")]
)
def test_the_least_loss_is_what_torch_computes(classes: int, least: str) -> None:
    """`F.cross_entropy` of a single 1 among zeros."""
    shown = chance_level(Question(text=f"The loss stays at {least}, {classes} classes"))

    assert shown is not None and f"= {least}," in shown.message
