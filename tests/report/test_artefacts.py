"""The chapter on image artefacts, and what the rest of the page says of a study of artefacts."""

import re
from dataclasses import replace

import pytest

from scans import ARTEFACTS, HOSTILE, begins, careful, scans, wordless
from snellen.errors import ModelError
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.chapter import MOST_NUMBERS, draw_artefacts
from snellen.papers.artefacts.report.images import choose
from snellen.papers.artefacts.report.maps import strategy
from snellen.report.components import Note, Panels, Section, Table
from snellen.report.evidence.album import MAX_OF_MANY
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.first_screen import list_tables
from snellen.report.sections.headline import headline
from snellen.report.sections.side_by_side import IN_SIGHT, most_typical, side_by_side
from snellen.report.sections.tests import sections
from snellen.report.words import numbers as wording
from snellen.report.words.glossary import BY_PATIENT, METHOD_WORDS, method_words
from snellen.stress.base import Status, Verdict
from walking import rows, walk

PARTS = [
    "artefact-strong", "artefact-weak", "artefact-images", "artefact-curves", "artefact-reasons", "artefact-methods",
]  # fmt: skip
TOLD = [
    *(f"test-{name}-artefacts-noise-crop{how}" for name in ("strong", "weak") for how in ("", "-prompt-cot")),
    "test-dose-response-noise-crop",
]
STANDARD, STEPS = "standard prompt", "steps asked for"


def made(results, store):
    """The chapter under "", and those of its parts that have anchors."""
    evidence = Evidence(results, store)
    parts = draw_artefacts(evidence, sections(evidence), choose(evidence))
    return {getattr(part, "anchor", ""): part for part in walk(parts)} | {"": Section("", tuple(parts))}


def said(part):
    """All that its notes say."""
    return " ".join(str(each.words) for each in walk([part]) if isinstance(each, Note))


def tables(part):
    return [each for each in walk([part]) if isinstance(each, Table)]


@pytest.fixture(scope="module")
def parts(degraded):
    """The chapter of the study that one can count by hand."""
    return made(*degraded)


def test_chapter_has_every_part_in_order(parts, degraded_text, checked):
    """What is found of strong and of weak artefacts comes first, then folded the rest; tests have their places."""
    ids = checked(degraded_text)
    assert [each for each in ids if each in PARTS] == PARTS
    assert [each for each in ids if each in TOLD] == TOLD
    assert [each for each in PARTS if isinstance(parts[each], Section)] == PARTS[:2]
    assert [each for each in TOLD if parts[each].open] == [TOLD[0], TOLD[2], TOLD[4]]


def test_a_relative_mean_and_an_absolute_worst_case_have_a_heading_each(parts):
    """Under one stand percents of what there was, under the other points with the limit drawn."""
    absolute, relative = (part for part in parts["artefact-weak"].parts if isinstance(part, Section))
    assert absolute.title == "Worst absolute loss, in points: what the verdicts rest on"
    first, *_ = [each.caption for each in tables(absolute) if each.look == "drawn"]
    assert first == "Change in accuracy, noise, weak (percentage points); the dashed line is the limit, −5 points"
    assert relative.title == "Mean relative loss, in percent of the accuracy with the original images"
    assert tables(relative)[0].caption.endswith("mean over all of them: change in percent of what there was")
    assert not [cell for each in tables(relative) for row in each.rows for cell in row.cells if "point" in cell.words]


def test_the_plot_under_a_verdict_is_of_the_condition_and_measure_that_decide(parts, degraded):
    """Each finding's number stands in a plot with its verdict; those of strong artefacts in one over all prompts."""
    found = [each for each in degraded[0].findings if each.verdict.rests_on is not None]
    assert len({each.test.name.partition(":")[0] for each in found}) == 3
    strong = parts["artefact-strong"].parts[2]
    for finding in found:
        anchor = "test-" + re.sub("[^a-z]+", "-", finding.test.name)
        drawn = [strong] if "strong" in finding.test.name else tables(parts[anchor])
        decides = finding.verdict.rests_on
        shown = [row.cells[1].words for each in drawn for row in each.rows if row.model == finding.model
                 and each.look == "drawn"]  # fmt: skip
        assert any(each.startswith(wording.figure(decides.estimate.value, decides.kind.unit)) for each in shown)


def test_parts_begin_with_their_answer_and_draw_limits(parts):
    """Who flags what and what the worst artefact costs; limits are drawn, and models without words have no rates."""
    strong, clean = (part for part in parts["artefact-strong"].parts if isinstance(part, Table))
    assert strong.caption.endswith("the dashed line is the limit, 50%")
    assert clean.caption.endswith("the dashed line is the limit, 10%")
    assert "fake/wordless answers by probabilities alone and has no words: it cannot flag" in said(parts[""])
    assert not [row for each in tables(parts["artefact-reasons"]) for row in each.rows if "wordless" in row.heading]
    assert "careful flags 100% (81 to 100) and torn flags 0% (0 to 19)" in parts["artefact-strong"].parts[0].words
    worst = parts["artefact-weak"].parts[0].words
    assert worst.startswith(
        "Under the weak artefact that costs it most: careful −25 points (noise), wordless −50 points ("
    )


def test_summary_shows_all_models_and_prompts_on_one_axis(parts):
    """The change over all artefacts and the flagged share have a row for every model and prompt that has them."""
    relative = [part for part in parts["artefact-weak"].parts if isinstance(part, Section)][1]
    lost = rows(tables(relative)[0])
    ways = [f"{model}, {how}" for model in ("careful", "torn", "wordless") for how in (STANDARD, STEPS)]
    assert [words for _, words in lost] == ways
    # noise takes 4 of 16 from the careful one, crop nothing: 2 of 16 in the mean
    assert begins(lost["", ways[0]][1:]) == ["−13%"]
    strong, clean = (part for part in parts["artefact-strong"].parts if isinstance(part, Table))
    assert [begins(cells[1:]) for cells in rows(strong).values()] == [["100%"], ["100%"], ["0%"], ["0%"]]
    assert [begins(cells[1:]) for cells in rows(clean).values()] == [["0%"]] * 4


def test_the_first_table_has_clean_weak_and_strong_and_names_the_worst(scanned):
    """The loss with its artefact, how many unreadable images are flagged, and below each the accuracy over all."""
    both = [FakeModel(careful, name="fake/careful"), FakeModel(wordless, name="fake/wordless")]
    results, store = scanned(["weak-artefacts", "strong-artefacts"], by=both, benchmarks=(scans(4),))
    evidence = Evidence(results, store)
    [table] = list_tables(evidence, sections(evidence))
    assert [column.words for column in table.columns] == [
        "Model", "Accuracy", "Accurate on poorer images?", "Flags unreadable images?",
    ]  # fmt: skip
    found = {row.head.words: row.cells for row in table.rows}
    for model, (_, poorer, unreadable) in found.items():
        measured = {each.test.name: each for each in results.findings if each.model == f"fake/{model}"}
        weak, strong = (measured[f"{name}-artefacts"].measure("all artefacts", "mean_accuracy").estimate
                        for name in ("weak", "strong"))  # fmt: skip
        assert begins([*poorer.lines, *unreadable.lines]) == [
            f"right with weak artefacts, mean: {wording.figure(weak.value, 'share')}",
            f"right all the same, mean: {wording.figure(strong.value, 'share')}",
        ]
        assert poorer.note.startswith("worst: ")
        assert ", weak" in poorer.note
    assert (found["wordless"][2].words, found["wordless"][2].status) == ("–", None)


def test_a_test_that_every_model_fails_is_the_headline(scanned):
    """By its question, of one model with its number; of several tests the failed one is named."""
    both = [FakeModel(wrong, name=f"fake/{at}") for at in ("a", "b")]
    results, store = scanned([f"strong-artefacts:{ARTEFACTS}"], by=both, benchmarks=(scans(4),))
    found = headline(Evidence(results, store))
    assert found.found == "No model passes: both fail “Flags unreadable images?”"
    assert found.meaning.startswith("Answers although the image cannot be read: a and b. ")
    one = replace(results, findings=results.findings[:1], study={**results.study, "models": [("fake/a", {})]})
    assert headline(Evidence(one, store)).found.startswith("a fails “Flags unreadable images?”: 0% (95% CI 0 to 32)")
    other = replace(results.findings[0], verdict=Verdict(Status.FAIL, "1 of 2"),
                    test=replace(results.findings[0].test, name="another", label="another?"))  # fmt: skip
    worse = replace(results, findings=(*[replace(each, verdict=Verdict(Status.PASS)) for each in results.findings],
                                       other))  # fmt: skip
    assert headline(Evidence(worse, store)).found == "One of two models fails no test: b"


def wrong(request):
    """Reads whatever it is sent."""
    return "Conclusion: normal"


def test_the_prompt_of_an_import_is_not_made_up(degraded):
    """A test that was asked by the study's own prompt has none where nobody says which that was."""
    test = next(each.test for each in degraded[0].findings if each.test.baseline.prompt is None)
    assert strategy(test, {"prompt": "as imported", "imported": []}) == "prompt not known"
    assert strategy(test, {"prompt": "letter"}) == "prompt “letter”"


def test_methods_of_patients_are_told_as_those_of_items():
    """A method over patients has words, its own where there are any and else those of the one over items."""
    assert method_words("cluster-unseen-bootstrap; resamples=1000") == method_words("unseen-bootstrap; resamples=1000")
    assert method_words("cluster-unseen-bootstrap") == METHOD_WORDS["unseen-bootstrap"] + BY_PATIENT
    of_items = METHOD_WORDS["stratified-bootstrap-normal"]
    assert method_words("stratified-cluster-bootstrap-normal; resamples=1000") == of_items + BY_PATIENT
    assert method_words("mean-slope; cluster-bonett-price") == METHOD_WORDS["mean-slope"]


def test_the_page_names_arms_in_words_and_tests_once(degraded_text):
    """No degraded arm's raw name is shown; what the chapter tells in full has no section besides."""
    text = re.sub(r'(?:id|href|data-[a-z]+)="[^"]*"', "", degraded_text)
    text = re.sub(r'<div class="wide"[^>]*aria-label="Provenance".*?</table>', "", text, flags=re.DOTALL)
    text = re.sub(r"Condition <code>[^<]*</code>", "", text)
    assert re.findall(r"degraded:[a-z]+", text) == []
    assert "noise, weak, steps asked for" in text
    asked = degraded_text[degraded_text.index('id="looks"') : degraded_text.index('id="artefacts"')]
    assert 'id="test-weak' not in asked
    assert "In “Artefacts”:" in asked


def test_study_of_wordless_models_alone_says_so(scanned, checked):
    """Where nobody has words, the strong artefacts are told as not to be judged, and no empty map is drawn."""
    results, store = scanned([f"strong-artefacts:{ARTEFACTS}"], by=[FakeModel(wordless, name="fake/wordless")])
    found = made(results, store)
    assert tables(found["artefact-strong"])[0].folded.startswith("All ")  # of the numbers; no plot and no map
    text = render(results, store)
    checked(text)
    assert "It answers by probabilities alone and has no words to flag an image." in text
    assert "Not asked: no test of this study used weak artefacts" in text
    assert "Not asked: a curve needs three strengths at least" in text


def fails(request):
    raise ModelError("The line is down.")


def test_study_without_a_reply_still_has_a_sound_page(scanned, checked):
    """Where no reply came every part says so, and nothing is drawn."""
    results, store = scanned(benchmarks=(scans(4),), by=[FakeModel(fails, name="fake/fails")])
    found = made(results, store)
    assert not [part for part in walk([found[""]]) if isinstance(part, Panels)]
    text = render(results, store)
    checked(text)
    assert "No question was answered with both images." in text
    assert "No image was degraded and answered, so that there is none to show." in text


def test_a_few_gaps_leave_the_rest_as_it_is(scanned, checked):
    """A reply that never came is missing from its number and from no other part of the page."""

    def patchy(request):
        if int(request.images[0].sha256[:4], 16) % 4 == 0:
            raise ModelError("The line is down.")
        return careful(request)

    results, store = scanned(by=[FakeModel(patchy, name="fake/patchy")])
    [heat] = [each for each in tables(made(results, store)["artefact-weak"])
              if each.caption == "Relative change in accuracy under weak artefacts"]  # fmt: skip
    row = heat.rows[0]
    assert all(0 < int(each) < 16 for each in re.findall(r"\bn (\d+)\b", f"{row.head.n} {row.cells[0].note}"))
    assert re.search(r"\bn \d+\b", f"{row.head.n} {row.cells[0].note}")
    checked(render(results, store))


def test_hostile_text_is_inert(degraded_text, parsed):
    """What a model says is text, in the chapter and in every title."""
    assert HOSTILE not in degraded_text
    assert [each.get("id", "") for each, _ in parsed(degraded_text).all("script")] == ["responses", "files", ""]
    assert not any("onerror" in attributes for _, attributes, _ in parsed(degraded_text).elements)


def test_other_studies_have_no_chapter(usual_text):
    """A study of other tests says nothing of artefacts."""
    assert 'id="artefacts"' not in usual_text


def test_numbers_are_listed_while_they_are_few(parts, degraded):
    """All numbers of the tests stand on the page, or are left to results.csv all together."""
    total = sum(len(each.measures) for each in degraded[0].findings)
    listed = [each for anchor in TOLD for each in tables(parts[anchor]) if each.folded.startswith("All ")]
    assert len(listed) == (len(TOLD) if total <= MOST_NUMBERS else 0)
    assert ("are in results.csv, to keep this page small" in said(parts[""])) is (total > MOST_NUMBERS)


def test_side_by_side_shows_one_weak_and_one_strong_arm(degraded):
    """Of many degraded arms two stand beside the image as it is; the rest is left to the chapter's own sheets."""
    evidence = Evidence(*degraded)
    shown = side_by_side(evidence, "scans", most_typical(evidence, "scans"))
    arms = [pane.arm for pane in shown]
    assert arms == ["original", "degraded:noise,weak", "degraded:noise,strong", "original+detection-cot"]
    assert len(arms) <= IN_SIGHT


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
    labels = ["careful on heads", "careful on eyes"]
    heats = [each for name in ("weak", "strong") for each in tables(found[f"artefact-{name}"]) if each.look == "heat"]
    assert [list(dict.fromkeys(model for model, _ in rows(each))) for each in heats] == [labels, labels]
    counts = [each.folded for each in tables(found["artefact-weak"]) if len(each.columns) == 5]
    assert counts == [f"{each}, {how}" for each in labels for how in (STANDARD, STEPS)]
    titles = [part.title for part in found["artefact-curves"].parts if isinstance(part, Section)]
    assert titles == [f"Heads: {STANDARD}: {labels[0]}", f"Eyes: {STANDARD}: {labels[1]}"]
    checked(render(results, store))


def test_the_report_says_how_to_cite_it(degraded_text, usual_text):
    """Snellen by its version, and by their titles the papers whose protocols were run, if any."""
    cited, plain = (text.partition('id="cite"')[2].partition("</section>")[0] for text in (degraded_text, usual_text))
    paper = "Understanding the robustness of vision-language models to medical image artefacts"
    assert "@software{snellen" in plain
    assert paper in cited
    assert paper not in plain
