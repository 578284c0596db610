"""Dataset name: whether naming the benchmark changes the score, measured and concluded in one go."""

from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import sheet, verdict

TEST = stress_test("dataset-name")
UNNAMED, [NAMED] = TEST.baseline.name, [arm.name for arm in TEST.compared]


def test_what_is_concluded():
    """The same score passes, a gain or a fall fails, few questions leave it open, and a response cut off is no gain."""
    half = "+-" * 200
    for named, unnamed, status, why in (
        (half, half, Status.PASS, "does not change"),
        ("+" * 320 + "-" * 80, half, Status.FAIL, "raises its accuracy"),
        ("+" * 92 + "-" * 308, half, Status.FAIL, "lowers its accuracy"),
        ("-" * 10 + half[10:100], half[:100], Status.INCONCLUSIVE, "a loss of"),
        (half[:40], half[:40], Status.INCONCLUSIVE, "a change of"),
        ("+" * 320 + "-" * 80, "t" * 240 + "+" * 160, Status.INCONCLUSIVE, "cut-off"),
    ):
        found = verdict(TEST, sheet({UNNAMED: unnamed, NAMED: named}))
        assert (found.status, why in found.meaning) == (status, True), (named[:4], unnamed[:4], found)
