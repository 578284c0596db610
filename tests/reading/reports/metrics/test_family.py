import numpy as np
import pytest

from snellen import plugins
from snellen.errors import PluginError
from snellen.reading.reports.metrics import MEMBERS, Metric, Pair, metric_named, metric_names
from snellen.reading.reports.metrics.radeval import OFFERED

OFFLINE = [name for name in MEMBERS if name not in OFFERED]
REPORT = (
    "FINDINGS: There is a small left pleural effusion. The heart is enlarged. No pneumothorax.\n\n"
    "IMPRESSION: Left pleural effusion with cardiomegaly."
)


@pytest.mark.parametrize("name", OFFLINE)
def test_a_metric_that_runs_here(name):
    """A report is worth 1 against itself, less against another, nothing that can be told if it is empty."""
    other = "FINDINGS: The lungs are clear. There is a large right pneumothorax."
    pairs = [
        Pair(REPORT, REPORT),
        Pair(other, REPORT),
        Pair("", REPORT),
        Pair(REPORT, " \n"),
    ]
    same, differs, *none = metric_named(name).score(pairs)
    assert same == 1
    assert 0 <= differs < 1
    assert np.isnan(none).all()
    assert metric_named(name).missing() == ""


@pytest.mark.parametrize("name", OFFLINE)
def test_pairs_do_not_touch_each_other(name):
    """The value of a pair does not depend on the pairs beside it, nor on their order."""
    texts = [REPORT, "Clear lungs.", "There is a right effusion.", "No effusion."]
    pairs = [Pair(one, other) for one in texts for other in texts]
    alone = np.concatenate([metric_named(name).score([pair]) for pair in pairs])
    np.testing.assert_array_equal(metric_named(name).score(pairs), alone)
    np.testing.assert_array_equal(metric_named(name).score(pairs[::-1])[::-1], alone)
    assert metric_named(name).score([]).shape == (0,)


@pytest.mark.parametrize("name", [name for name in OFFLINE if not name.startswith("findings")])
def test_headings_are_no_words_in_common(name):
    """A report is worth the same with and without the headings of its sections, and with markup."""
    plain = "The lungs are clear. No effusion."
    pairs = [Pair(f"**Findings:** {plain}", f"FINDINGS: {plain}"), Pair("Findings: Edema", "FINDINGS: Clear")]
    assert metric_named(name).score(pairs).tolist() == [1, 0]


def test_every_metric_says_what_it_is():
    """Each has its own name and title, says what it compares, and whose it is."""
    metrics = [metric_named(name) for name in metric_names()]
    assert [metric.name for metric in metrics] == list(metric_names())
    assert len({metric.title for metric in metrics}) == len(metrics)
    assert all(metric.about.endswith(".") and metric.source for metric in metrics)
    assert [metric.name for metric in metrics if metric.lower_is_better] == ["radcliq-v1"]


def test_a_plug_in_can_bring_a_metric(monkeypatch):
    """Metrics of other packages are found by name; what is no metric is refused."""
    length = Metric(
        name="length", title="Length", about="Words.", source="A test", score=lambda pairs: np.ones(len(pairs))
    )

    class Point:
        name, value = "length", "a_test:length"
        loaded = length

        def load(self):
            return self.loaded

    monkeypatch.setattr(plugins, "_points", lambda family: [Point()] if family == "metrics" else [])
    assert metric_named("length") is length
    assert metric_names() == [*MEMBERS, "length"]
    Point.loaded = len
    with pytest.raises(PluginError, match="expected a Metric"):
        metric_named("length")
    with pytest.raises(PluginError, match="Did you mean 'rouge-l'"):
        metric_named("rouge-ll")
