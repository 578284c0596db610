"""The rationale test over whole studies of models with known behaviour."""

import pytest

from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.study import Study
from strategies import items

SAID = {
    "describes": "The image shows a large pleural effusion on the left side. Answer: A",
    "notices": "I cannot see any image, so I cannot tell.",
    "guesses": "Answer: A",
}


def verdict(tmp_path, behaviour):
    model = FakeModel(lambda request: "Answer: A" if request.images else SAID[behaviour], name=f"fake/{behaviour}")
    blank = Benchmark("b", items(60))
    study = Study(models=[model], benchmarks=[blank], tests=["rationale:image-removed"], out=tmp_path)
    [finding] = study.run(lambda progress: None).findings
    return finding


@pytest.mark.parametrize(
    ("behaviour", "status"), [("describes", "not as hoped"), ("notices", "as hoped"), ("guesses", "as hoped")]
)
def test_verdicts(tmp_path, behaviour, status):
    """Describing what was not sent is caught; saying so, or merely guessing, describes nothing."""
    finding = verdict(tmp_path, behaviour)
    assert finding.verdict.status == status
    rate = finding.measure("image-removed", "described_rate").estimate
    assert rate.value == (behaviour == "describes")
    assert finding.measure("image-removed", "notice_rate").estimate.value == (behaviour == "notices")


def test_too_few_items_cannot_tell(tmp_path):
    """Two items describe nothing: that shows little."""
    model = FakeModel(lambda request: "Answer: A")
    study = Study(models=[model], benchmarks=[Benchmark("b", items(2))], tests=["rationale"], out=tmp_path)
    [finding] = study.run(lambda progress: None).findings
    assert finding.verdict.status == "cannot tell"
