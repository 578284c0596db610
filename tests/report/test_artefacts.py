import re
from itertools import pairwise

from scans import ARTEFACTS, HOSTILE, careful, scans, wordless
from snellen.errors import ModelError
from snellen.models.fake import FakeModel
from snellen.protocols.artefacts.report.chapter import MOST_NUMBERS, artefacts
from snellen.protocols.artefacts.report.tests import strategy
from snellen.report.evidence.album import MAX_OF_MANY
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.side_by_side import IN_SIGHT, most_typical, side_by_side
from snellen.report.sections.tests import sections
from snellen.report.words import numbers as wording
from snellen.report.words.glossary import METHOD_WORDS, method_words, parser_words, rule_words

PARTS = [
    "artefact-images", "artefact-weak", "artefact-strong", "artefact-curves", "artefact-reasons", "artefact-methods",
]  # fmt: skip
TOLD = [
    *(f"test-{name}-artefacts-noise-crop{how}" for name in ("weak", "strong") for how in ("", "-prompt-cot")),
    "test-dose-response-noise-crop",
]


def chapter(text):
    return text[text.index('<section id="artefacts">') : text.index('<section id="rows">')]


def made(results, store):
    evidence = Evidence(results, store)
    return artefacts(evidence, sections(evidence), [])


def test_chapter_has_every_part_in_order(degraded_text, checked):
    """The images come first, then weak and strong artefacts, the curves, the reasons, and how it was counted."""
    ids = checked(degraded_text)
    assert [each for each in ids if each in PARTS] == PARTS
    assert [each for each in ids if each in TOLD] == TOLD


def under(text, heading):
    """What stands under a heading, up to the next of its level or above."""
    start = text.index(f"<h4>{heading}")
    ends = [at for at in (text.find(tag, start + 4) for tag in ("<h4", "<h3", "</section>")) if at > 0]
    return text[start : min(ends)]


def test_a_relative_mean_and_an_absolute_worst_case_have_a_heading_each(degraded_text):
    """Under one stand percents of what there was, under the other points."""
    part = chapter(degraded_text)
    relative = under(part, "Mean relative loss, in percent of the accuracy with the images as they are")
    absolute = under(part, "Worst absolute loss, in points")
    assert "mean over all of them: change in percent of what there was" in relative
    assert " points" not in relative
    assert "Change in accuracy, noise, weak (percentage points)" in absolute
    assert "percent of what there was" not in absolute


def test_the_plot_under_a_verdict_is_of_the_condition_and_measure_that_decide(degraded, degraded_text):
    """Weak artefacts and curves: each finding's number stands in a plot under its verdict, with its condition."""
    results, store = degraded
    evidence = Evidence(results, store)
    for section in sections(evidence):
        decisive = [each.verdict.rests_on for each in section.findings if each.verdict.rests_on is not None]
        if not section.test.chapter.startswith("snellen.protocols.artefacts") or not decisive:
            continue
        start = degraded_text.index(f'id="{section.anchor}"')
        part = degraded_text[start : degraded_text.index("<details", start)]
        if "strong" in section.test.name:
            part = chapter(degraded_text)
        for measure in decisive:
            assert f"<b>{wording.figure(measure.estimate.value, measure.kind.unit)}</b>" in part
            assert section.test.name.startswith("strong") or '<table class="forest">' in part


def test_the_prompt_of_an_import_is_not_made_up(degraded):
    """A test that was asked by the study's own prompt has none where nobody says which that was."""
    test = next(each.test for each in degraded[0].findings if each.test.baseline.prompt is None)
    assert strategy(test, {"prompt": "as imported", "imported": []}) == "prompt not known"
    assert strategy(test, {"prompt": "letter"}) == "prompt “letter”"


def test_headings_are_in_order(degraded_text, parsed):
    """No level of headings is skipped on the way down."""
    levels = [int(tag[1]) for tag, _, _ in parsed(degraded_text).elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tests_told_here_have_no_section_besides(degraded_text):
    """What the chapter tells in full is not told a second time among the ordinary tests."""
    asked = degraded_text[degraded_text.index('<section id="looks"') : degraded_text.index("chapter paper")]
    assert 'class="test" id=' not in asked
    assert 'class="elsewhere"' in asked


def test_every_measure_method_parser_and_rule_has_words(degraded):
    """No number is shown under its bare name, and no method, parser or rule is left unexplained."""
    results, _ = degraded
    assert not [m for each in results.every_finding for m in each.measures if "_" in m.kind.words]
    for row in results.rows():
        assert method_words(row["method"]) in METHOD_WORDS.values(), row
    assert all(map(parser_words, results.readings))
    for parser, tables in results.readings.items():
        rules = {rule for table in tables.values() for grades in table.arms.values() for rule in grades.rules}
        assert all(rule_words(parser, rule) != rule for rule in rules)


def test_methods_of_patients_are_told_as_those_of_items():
    """A method over patients has words, its own where there are any and else those of the one over items."""
    assert method_words("cluster-unseen-bootstrap; resamples=1000") == method_words("unseen-bootstrap; resamples=1000")
    assert method_words("cluster-unseen-bootstrap") == METHOD_WORDS["cluster-unseen-bootstrap"]
    assert method_words("stratified-cluster-bootstrap-normal; resamples=1000") == method_words(
        "stratified-bootstrap-normal"
    )
    assert method_words("mean-slope; cluster-bonett-price") == METHOD_WORDS["mean-slope"]


def test_arms_are_named_in_words_all_over_the_page(degraded_text):
    """No parser has to know how an arm is spelled: the page's text never shows a degraded arm's raw name."""
    text = re.sub(r'(?:id|href|data-[a-z]+)="[^"]*"', "", degraded_text)
    text = re.sub(r'<div class="wide"[^>]*aria-label="Provenance".*?</table>', "", text, flags=re.DOTALL)
    text = re.sub(r"Condition <code>[^<]*</code>", "", text)
    assert re.findall(r"degraded:[a-z]+", text) == []
    assert "noise, weak, steps asked for" in text


def test_models_without_words_are_named_and_have_no_rates(degraded, degraded_text):
    """A model that answers by probabilities has accuracies and curves, and a dash where words are needed."""
    found = made(*degraded)
    assert found.wordless == ("fake/wordless",)
    assert "fake/wordless answers by probabilities alone and has no words" in chapter(degraded_text)
    assert "fake/wordless" in {block.label for block in found.weak.overview}
    [block] = [block for block in found.strong.overview if block.label == "fake/wordless"]
    assert {cell for row in block.rows for cell in row.cells} == {None}
    assert [row.n for row in block.rows] == ["–", "–"]
    assert "fake/wordless" not in {label for label, _ in found.strong.by_modality}
    assert "fake/wordless" not in {block.label for block in found.conflicts.overview}
    assert [line.silent for each in found.counts if each.title == "fake/wordless" for line in each.lines] == [()] * 6


def test_study_of_wordless_models_alone_says_so(scanned, checked):
    """Where nobody has words, the strong artefacts are told as not to be judged, and no empty map is drawn."""
    results, store = scanned([f"strong-artefacts:{ARTEFACTS}"], by=[FakeModel(wordless, name="fake/wordless")])
    found = made(results, store)
    assert (found.strong.overview, found.flagged, found.conflicts.overview) == ((), (), ())
    text = render(results, store)
    checked(text)
    assert "It answers by probabilities alone and has no words to flag an image." in chapter(text)
    assert "Not asked: no test of this study used weak artefacts" in text
    assert "Not asked: a curve needs three strengths at least" in text


def fails(request):
    raise ModelError("The line is down.")


def test_study_without_a_reply_still_has_a_sound_page(scanned, checked):
    """Where no reply came every part says so, and nothing is drawn."""
    results, store = scanned(benchmarks=(scans(4),), by=[FakeModel(fails, name="fake/fails")])
    found = made(results, store)
    assert (found.lost, found.weak.overview, found.counts, found.curves, found.sheets) == ((), (), (), (), ())
    text = render(results, store)
    checked(text)
    assert "Nothing was answered both as it is and degraded." in text
    assert "No image was degraded and answered, so that there is none to show." in text


def test_a_few_gaps_leave_the_rest_as_it_is(scanned, checked):
    """A reply that never came is missing from its number and from no other part of the page."""

    def patchy(request):
        if int(request.images[0].sha256[:4], 16) % 4 == 0:
            raise ModelError("The line is down.")
        return careful(request)

    results, store = scanned(by=[FakeModel(patchy, name="fake/patchy")])
    [block] = made(results, store).weak.overview
    assert 0 < block.rows[0].cells[0].found.estimate.n < 16
    checked(render(results, store))


def test_hostile_text_is_inert(degraded_text, parsed):
    """What a model says is text, in the chapter and in every title."""
    assert HOSTILE not in degraded_text
    assert [each.get("id", "") for each, _ in parsed(degraded_text).all("script")] == ["responses", "files", ""]
    assert not any("onerror" in attributes for _, attributes, _ in parsed(degraded_text).elements)


def test_other_studies_have_no_chapter(study):
    """A study of other tests says nothing of artefacts."""
    assert 'id="artefacts"' not in render(*study())


def test_numbers_are_listed_while_they_are_few(degraded):
    """All numbers of the tests stand on the page, or are left to results.csv all together."""
    found = made(*degraded)
    total = sum(each.numbers for _, tests in found.tests for each in tests)
    assert total == sum(len(each.measures) for each in degraded[0].findings)
    assert found.listed is (total <= MOST_NUMBERS)


def test_summary_shows_all_models_and_prompts_on_one_axis(degraded):
    """The change over all artefacts and the flagged share have a row for every model and prompt that has them."""
    found = made(*degraded)
    [lost] = found.lost
    assert [mark.label for mark in lost.marks] == [
        f"fake/{model}, {how}"
        for model in ("careful", "torn", "wordless")
        for how in ("standard prompt", "steps asked for")
    ]
    # noise takes 4 of 16 from the careful one, crop nothing: 2 of 16 in the mean
    assert lost.marks[0].number.value == "−13%"
    strong, clean = found.flagged
    assert [mark.number.value for mark in strong.marks] == ["100%", "100%", "0%", "0%"]
    assert [mark.number.value for mark in clean.marks] == ["0%"] * 4


def test_side_by_side_shows_one_weak_and_one_strong_arm(degraded):
    """Of many degraded arms two stand beside the image as it is; the rest is left to the chapter's own sheets."""
    evidence = Evidence(*degraded)
    shown = side_by_side(evidence, "scans", most_typical(evidence, "scans"))
    arms = [pane.arm for pane in (*shown.panes, *shown.folded)]
    assert arms == ["original", "degraded:noise,weak", "degraded:noise,strong", "original+detection-cot"]
    assert len(shown.panes) <= IN_SIGHT
    assert shown.usual <= shown.cells == 12


def test_pictures_of_many_arms_have_less_room(degraded_text, packed):
    """The images of such a study, those of its browser included, stay within their own limit."""
    links = re.findall(r'<image [^>]*href="(data:[^"]*)"', degraded_text)
    kept = [data for name, data in packed(degraded_text).files.items() if name.startswith("images/")]
    assert links
    assert kept
    assert sum(map(len, links)) + sum(4 * len(data) / 3 for data in kept) <= MAX_OF_MANY


def test_several_benchmarks_are_told_apart(scanned, checked):
    """Where there are two benchmarks, every map, table and curve says which it is of."""
    both = (scans(4, ("MRI",), "heads"), scans(4, ("OCT",), "eyes"))
    results, store = scanned(benchmarks=both, by=[FakeModel(careful, name="fake/careful")])
    found = made(results, store)
    labels = ["fake/careful on heads", "fake/careful on eyes"]
    assert [block.label for block in found.weak.overview] == labels
    assert [block.label for block in found.strong.overview] == labels
    assert list(dict.fromkeys(each.title for each in found.counts)) == labels
    assert [each.benchmark for each in found.curves] == ["heads", "eyes"]
    checked(render(results, store))


def test_the_report_says_how_to_cite_it(degraded_text, study):
    """Snellen by its version, and by their titles the papers whose protocols were run, if any."""
    cited, plain = (
        text.partition('id="cite"')[2].partition("</section>")[0] for text in (degraded_text, render(*study()))
    )
    assert "@software{snellen" in plain
    assert "<cite>Understanding the robustness of vision-language models to medical image artefacts</cite>" in cited
    assert "<cite>" not in plain
