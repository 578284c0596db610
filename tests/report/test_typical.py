from types import SimpleNamespace

import numpy as np

from snellen.models.fake import FakeModel
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.side_by_side import _few, most_typical, side_by_side, typical


def model(unusual):
    """Right with the image and silent without, except on one item, where it is the other way round."""

    def answer(request):
        odd = f"picture {unusual} show" in request.text
        right = next(
            line[0] for line in request.text.splitlines() if line[1:3] == ". " and line.endswith(_right(request.text))
        )
        if bool(request.images) != odd:
            return f"Answer: {right}"
        return "I cannot see any image, so I cannot answer."

    return FakeModel(answer, name="fake/usual")


def _right(text):
    return "xyz"[int(text.split("picture ")[1].split(" ")[0]) % 3]


class Credit(list):
    """The credit of some responses."""

    def right(self):
        return np.array(self)


def test_the_strongest_artefact_is_shown():
    """The one under which least is right over all models, with the prompt of the first table."""
    tables = [
        SimpleNamespace(
            arms={
                "degraded:noise,strong": Credit([1, 1]),
                "degraded:rotation,strong": Credit([0, low]),
                "degraded:crop,strong": Credit([1, low]),
                "degraded:crop,strong+detection-cot": Credit([0, 0]),
            }
        )
        for low in (0, 1)
    ]
    assert list(_few(tables[0].arms, tables)) == ["degraded:rotation,strong"]


def test_unusual_item_comes_last(study):
    """The item on which the model did what it does nowhere else is the least typical one."""
    results, _ = study(models=(model(unusual=5),))
    [table] = results.tables.values()
    order = typical([table], {"options-shuffled": "original", "image-removed": "original"})
    assert len(order) == 10
    assert 5 not in order


def test_panes_show_every_arm_and_model(study):
    """The chosen item stands under each condition, with its image if one was sent, and each model's own words."""
    results, store = study(models=(model(unusual=5), FakeModel(lambda request: "Answer: A", name="fake/a")))
    evidence = Evidence(results, store)
    shown = side_by_side(evidence, "bench", most_typical(evidence, "bench"))
    assert [pane.arm for pane in shown] == ["original", "image-removed", "options-shuffled"]
    assert [len(pane.first.asked.images) for pane in shown] == [1, 0, 1]
    assert [set(pane.sayings) for pane in shown] == [{"fake/usual", "fake/a"}] * 3
    assert len({pane.first.item.id for pane in shown}) == 1


def test_nothing_is_shown_of_a_study_without_items_answered(study):
    """Where no reply came there is no typical item."""
    from snellen.errors import RejectedError

    def refuse(request):
        raise RejectedError("no")

    results, store = study(models=(FakeModel(refuse, name="fake/none"),))
    evidence = Evidence(results, store)
    assert most_typical(evidence, "bench") is None
    assert side_by_side(evidence, "bench", None) == []


def test_runs_counted_from_one_have_a_first_run_too(imported, reply):
    """Imported runs may have any numbers; the smallest is the first."""
    results, store = imported([reply(n, "Answer: A", replicate=7) for n in range(4)])
    evidence = Evidence(results, store)
    shown = side_by_side(evidence, "brought", most_typical(evidence, "brought"))
    assert [len(pane.sayings) for pane in shown] == [1]
