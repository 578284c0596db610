"""Which test catches which organism: those that do not rest on the finding fail, whatever else they pass."""

import pytest

from snellen.models.organisms import ORGANISMS
from snellen.study import Study
from studied import results_of

MARKS = ("follows", "honest", "steady")
TEST = "rests-on-finding"
LOOKING = {
    "grounded", "positional", "rambler", "mirage", "flagger", "nearsighted-2", "nearsighted-4", "nearsighted-8",
}  # fmt: skip
"""Organisms whose answers rest on the image's finding."""
UNDECIDED = {"reader", "refuser", "random"}
"""Organisms that read a report, answer nothing, or guess anew each time: nothing can be decided."""
NEED_MORE = {"prior", "text-driven"}
"""Organisms that fail only with more questions: few of their answers are right, or half of them rest on the finding."""


def verdicts(tmp_path, organisms, items, tests):
    """The status of each test by organism, on phantoms whose tags and half of whose texts give the answer away."""
    models = [f"organism/{name}" for name in sorted(organisms)]
    spec = f"phantoms:items={items},tag=1,leak=0.5"
    results = results_of(Study(models=models, benchmarks=[spec], tests=list(tests), out=tmp_path / "o", image_side=256))
    found = {name: {} for name in organisms}
    for each in (*results.marks, *results.findings):
        found[each.model.removeprefix("organism/")][each.test.name] = each.verdict
    return found


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    """The verdict of every organism on few phantoms."""
    return verdicts(tmp_path_factory.mktemp("every"), set(ORGANISMS), 60, [TEST])


def test_who_does_not_look_fails(every):
    """Every organism that goes by the text, a tag or a usual answer; none of them passes."""
    print("\n".join(f"{name:15} {found[TEST].status.words:15} {found[TEST].numbers}" for name, found in every.items()))
    statuses = {name: found[TEST].status.value for name, found in every.items()}
    blind = set(ORGANISMS) - LOOKING - UNDECIDED - NEED_MORE
    assert {name for name, each in statuses.items() if each == "fail"} == blind
    assert {statuses[name] for name in UNDECIDED | NEED_MORE} == {"inconclusive"}
    assert every["random"][TEST].reason in ("also-elsewhere", "few-answers")
    assert every["refuser"][TEST].reason == "few-answers"


def test_nothing_else_catches_the_reader_of_tags(tmp_path):
    """It passes the three verdicts as `grounded` does; only hiding the finding shows the difference. `prior` fails."""
    found = verdicts(tmp_path, {"grounded", "tag-reader", "prior"}, 200, [*MARKS, TEST])
    statuses = {name: [each[test].status.value for test in (*MARKS, TEST)] for name, each in found.items()}
    assert statuses["grounded"] == ["pass", "pass", "pass", "pass"]
    assert statuses["tag-reader"] == ["pass", "pass", "pass", "fail"]
    assert statuses["prior"][-1] == "fail"
    assert found["tag-reader"][TEST].values["evidence_beyond_elsewhere"].value == 0
