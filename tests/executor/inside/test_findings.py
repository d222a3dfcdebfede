"""executor/inside/probes/kinds.py: what each kind of finding says of a run, and in which order."""

from __future__ import annotations

import pytest

from executor.inside.probes.kinds import KINDS, finding
from executor.inside.probes.training.findings import FindingCollector
from executor.protocol import Finding
from tests.executor.inside.documented import FLAGS


def test_every_kind_is_documented():
    """docs/findings.md has a row for each, and for nothing else."""
    assert set(FLAGS) == set(KINDS)
    assert set(FLAGS.values()) == {(True, False), (True, True), (False, False)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_finding_says_what_is_documented(kind: str):
    """A mistake or a note, and whether it is one of the whole program."""
    seen = finding(kind, 3, "w", "said", steps=2)

    mistake, program_wide = FLAGS[kind]
    assert seen == Finding(
        kind=kind,
        line=3,
        name="w",
        message="said",
        facts={"steps": 2},
        mistake=mistake,
        program_wide=program_wide,
    )


def test_what_the_run_and_the_text_show_is_told_once():
    """As the run's, with the edits that the text's rule brings along."""
    collector = FindingCollector()
    collector.add("mask_of_queries", 9, "softmax", "seen", weights=[2, 1, 5, 5])
    collector.add_by_text("mask_of_queries", 8, "s", "read", ({"told": "so"},))
    collector.add_by_text("mask_inverted", 7, "m", "read", ())

    seen, other = collector.findings
    assert (seen.line, seen.by_text, seen.facts["ways"]) == (9, False, [{"told": "so"}])
    assert (other.kind, other.by_text) == ("mask_inverted", True)


def test_a_kind_without_a_row_cannot_be_said():
    """Whoever adds a probe has to say what its finding means."""
    with pytest.raises(KeyError, match="curious"):
        finding("curious", None, "w", "said")


def test_a_stored_finding_without_these_fields_is_read():
    """Reports that were written before are notes."""
    old = Finding.model_validate({"kind": "no_gradient", "line": 1, "name": "w", "message": "m"})

    assert not old.mistake and not old.program_wide


def test_the_likeliest_cause_is_told_first():
    """Findings come in the order of the rows, those of a kind in the order seen."""
    collector = FindingCollector()
    for kind, name in (("graph_kept", "a"), ("never_moved", "b"), ("never_moved", "a")):
        collector.add(kind, 1, name, "said")
    collector.add("one_class", 1, "loss", "said")

    told = [(f.kind, f.name, f.mistake) for f in collector.findings]
    assert told == [
        ("one_class", "loss", True),
        ("never_moved", "b", True),
        ("never_moved", "a", True),
        ("graph_kept", "a", False),
    ]
