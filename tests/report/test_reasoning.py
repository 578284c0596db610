from dataclasses import replace

from snellen.protocols.readiness.report.reasoning import reasoning
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup


def test_steps_and_efforts_are_those_of_the_results(ready_lookup, ready_rows):
    """With and without reasoning aloud, and every level of effort, as results.csv has them."""
    found = reasoning(ready_lookup)
    for each in found.steps:
        for line in each.lines:
            key = (line.model, each.benchmark, "chain-of-thought")
            values = [ready_rows[(*key, arm, "accuracy")]["value"] for arm in ("original", "original+cot")]
            assert [number.estimate.value for _, number in line.numbers] == values
            assert line.change.estimate.value == ready_rows[(*key, "original+cot", "difference")]["value"]
    assert [len(each.panels) for each in found.efforts] == [3, 3]
    for model, picture, changes in found.efforts[0].panels:
        assert [level for level, _ in changes] == ["medium", "high"]
        for level, change in changes:
            key = (model, found.efforts[0].benchmark, "reasoning-effort", f"original+{level}", "difference")
            assert change.estimate.value == ready_rows[key]["value"]
        assert all(f">{level}<" in picture for level in ("low", "medium", "high"))


def test_what_is_described_is_told_by_arm(ready_lookup):
    """Descriptions are told with the image, with steps and without the image; made-up findings only without it."""
    each = reasoning(ready_lookup).described[0]
    lines = {(model, arm): cells for model, arm, cells in each.lines}
    assert [arm for model, arm, _ in each.lines if model == "organism/mirage"] == [
        "original",
        "original+cot",
        "image-removed",
    ]
    assert each.columns == ("describes something in the image", "hallucinated features (certain: by rule)")
    assert lines["organism/mirage", "image-removed"][1].estimate.value > 0
    assert lines["organism/mirage", "original"][1] is None


def test_study_without_such_tests_has_no_such_part(ready):
    """Where nobody asked for reasoning, the part is left out."""
    results, store = ready
    kept = tuple(each for each in results.findings if each.test.name == "image-needed")
    assert reasoning(Lookup(Evidence(replace(results, findings=kept), store))) is None
