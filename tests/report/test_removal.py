from snellen.protocols.readiness.report.chapter import removal
from snellen.report.words import numbers as wording


def test_every_model_has_both_bars_and_the_paired_change(ready_lookup, ready_rows):
    """On each benchmark stand the two accuracies and their paired difference, as results.csv has them."""
    found = removal(ready_lookup)
    assert [each.benchmark for each in found] == ["phantoms:items=30,leak=0.5", "phantoms:items=10,seed=1"]
    for each in found:
        assert [line.model for line in each.lines] == ["organism/grounded", "organism/mirage", "organism/refuser"]
        for line in each.lines:
            arms = ("original", "image-removed")
            key = (line.model, each.benchmark, "image-needed")
            assert [number.estimate.value for _, number in line.numbers] == [
                ready_rows[(*key, arm, "accuracy")]["value"] for arm in arms
            ]
            row = ready_rows[(*key, "image-removed", "difference")]
            assert (line.change.estimate.low, line.change.measure.p_adjusted) == (row["low"], row["p_adjusted"])
            p = wording.p_value(row["p_adjusted"], at_floor=line.change.estimate.p_at_floor)
            assert line.change.printed.notes[-1] == f"Holm p {p}"


def test_least_change_is_told_in_words(ready_lookup):
    """Beside the change stands what so many items could show, or that they are too few."""
    words = {line.could_show for each in removal(ready_lookup) for line in each.lines}
    assert all(
        each.startswith("could show ") or each in ("", "too few items to say what could be shown") for each in words
    )
    assert any(each.startswith("could show ") for each in words)


def test_part_is_on_the_page(ready_text):
    """The chapter shows the bars with their legend."""
    part = ready_text[ready_text.index('id="readiness-removal"') : ready_text.index('id="readiness-necessity"')]
    assert part.count('class="pair-bar of-2 model-') == 6
    assert "could show" in part
    assert "Holm p" in part
