from snellen.models.fake import FakeModel
from snellen.report.evidence import Evidence
from snellen.report.pictures import Album
from snellen.report.typical import side_by_side, typical


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


def test_unusual_item_comes_last(study):
    """The item on which the model did what it does nowhere else is the least typical one."""
    results, _ = study(models=(model(unusual=5),))
    [table] = results.tables.values()
    order = typical([table], {"options-shuffled": "original", "image-removed": "original"})
    assert len(order) == 10
    assert 5 not in order


def test_panes_show_every_arm_and_model(study):
    """The chosen item stands under every arm, with its image where one was sent, and each model's own words."""
    results, store = study(models=(model(unusual=5), FakeModel(lambda request: "Answer: A", name="fake/a")))
    album = Album(store)
    shown = side_by_side(Evidence(results, store), "bench", album)
    assert [pane.arm for pane in shown.panes] == ["original", "image-removed", "options-shuffled"]
    assert [len(pane.first.asked.images) for pane in shown.panes] == [1, 0, 1]
    assert [set(pane.sayings) for pane in shown.panes] == [{"fake/usual", "fake/a"}] * 3
    assert shown.usual <= shown.cells == 6
    assert {pane.first.item.id for pane in shown.panes} == {shown.item_id}


def test_nothing_is_shown_of_a_study_without_items_answered(study):
    """Where no reply came there is no typical item."""
    from snellen.errors import RejectedError

    def refuse(request):
        raise RejectedError("no")

    results, store = study(models=(FakeModel(refuse, name="fake/none"),))
    assert side_by_side(Evidence(results, store), "bench", Album(store)) is None
