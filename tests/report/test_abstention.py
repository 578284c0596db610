from snellen.protocols.readiness.report.abstention import NEEDED, SCORES, SILENT, abstention
from snellen.stress.measures import RATES


def test_every_arm_of_every_model_has_its_line(ready_lookup, ready_rows):
    """All arms are there, those with the image first, then the items that need it; numbers as in results.csv."""
    each = abstention(ready_lookup)[0]
    of_one = [line for line in each.lines if line.model == "organism/mirage"]
    arms = list(ready_lookup.evidence.results.tables["organism/mirage", each.benchmark].arms)
    assert sorted(line.arm for line in of_one if not line.items) == sorted(arms)
    assert [line.arm for line in of_one if line.items == NEEDED] == ["original", "image-removed"]
    blind = [line.arm.startswith("image-removed") for line in of_one if not line.items]
    assert blind == sorted(blind)
    assert each.never == ("image too poor", "unparsed", "truncated", "empty"), "what nobody does has no column"
    names = ["abstention_rate", "refusal_rate", *SCORES]
    assert set(RATES) > set(names[:2])
    for line in each.lines:
        for name, cell in zip(names, line.cells, strict=True):
            if cell is not None:
                key = (line.model, each.benchmark, cell.finding.test.name, line.arm, name)
                assert cell.estimate.value == ready_rows[key]["value"]


def test_short_table_has_image_and_no_image(ready_lookup):
    """Silence with the image and without, on all items and on those that need it: refusing is told apart."""
    each = abstention(ready_lookup)[0]
    assert each.headings == (
        "original",
        "image-removed",
        f"original, {NEEDED}",
        f"image-removed, {NEEDED}",
    )
    brief = {line.model: line.cells for line in each.briefly}
    assert len(SILENT) == 2
    assert [[found.estimate.value for found in pair] for pair in brief["organism/grounded"]] == [
        [0, 0], [1, 0], [0, 0], [1, 0]
    ]  # fmt: skip
    assert [[found.estimate.value for found in pair] for pair in brief["organism/refuser"]] == [[0, 1]] * 4


def test_long_tables_are_folded(ready_lookup, ready_text):
    """A table of many lines is closed until it is asked for."""
    assert [each.folded for each in abstention(ready_lookup)] == [True, True]
    part = ready_text[ready_text.index('id="readiness-abstention"') : ready_text.index('id="readiness-inapplicable"')]
    assert part.count('<details class="numbers"><summary>Every model and condition') == 2
    assert "accuracy of those answered" in part
    assert "Never, under no condition and by no model: image too poor, unparsed, truncated, empty." in part
    assert '<th scope="col">truncated</th>' not in part
