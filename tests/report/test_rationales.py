from dataclasses import replace

import numpy as np
import pytest

from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.report.components import Case, Facts, Note, Table
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.evidence.tags import columns, tags_at
from snellen.report.page import render
from snellen.report.sections.what_it_sees import choose_cases, draw_sights
from snellen.report.words.arms import arm_label
from snellen.scoring.results import score
from snellen.stress.taxonomy import BIT, MODES, PATTERNS

INVENTS = "The chest X-ray shows a large effusion on the left side. Answer: A"


def inventing(request):
    """Describes whatever it is asked about, with an image or without, except for one question in three."""
    number = int(request.text.split("picture ")[1].split(" ")[0])
    text = INVENTS if number % 3 else "I cannot see any image, so I cannot answer."
    delivered = tuple(receipt(image) for image in request.images)
    return Response(text, reasoning="The CT shows a mass in the left lobe." if number == 4 else "", sent=delivered)


@pytest.fixture(scope="module")
def invented(study, question):
    """A study of one model that describes what it was not shown."""
    return study([question(n) for n in range(12)], (FakeModel(inventing, name="fake/seer"),), tests=("rationale",))


def drawn(results, store):
    """What the page says of what responses see: the fold, its table of counts, and its cases."""
    evidence = Evidence(results, store)
    [fold] = draw_sights(evidence, choose_cases(evidence))
    table = next((each for each in parts_of(fold) if isinstance(each, Table) and each.look == "plain"), None)
    return fold, table, [each for each in parts_of(fold) if isinstance(each, Case)]


def parts_of(part):
    """All parts inside one, at any depth."""
    for each in getattr(part, "parts", ()):
        yield each
        yield from parts_of(each)


def test_counts_are_those_of_the_replies(invented):
    """For each tag, the replies counted are those that the rules tag, and the rate is theirs over items."""
    evidence = Evidence(*invented)
    _, table, _ = drawn(*invented)
    rows = {row.head.words.striptags(): row for row in table.rows}
    assert {row.head.n for row in table.rows} == {"■ certain: by rule"}
    for name, row in rows.items():
        [cell] = row.cells
        for line, arm in zip(cell.lines, ("image-removed", "image-blank"), strict=True):
            bits = evidence.find_tags(ArmAddress("fake/seer", "bench", arm))
            assert line.n == f"{arm_label(arm)}, {np.count_nonzero(bits & BIT[name])} of 12"
            assert line.how
            assert line.to == f"rows-fake-seer-bench-{arm}"
    described = evidence.results.findings[0].measure("image-removed", "described_rate").estimate.value
    features = rows["hallucinated features"].cells[0].lines[0]
    assert features.n == f"without the image, {round(described * 12)} of 12" == "without the image, 8 of 12"
    assert features.words.startswith("67% (")


def test_one_count_stands_once_with_its_other_names(invented):
    """Findings described to no image are one count, whatever two papers call it; what nobody shows is in a sentence."""
    fold, table, _ = drawn(*invented)
    notes = {row.head.words.striptags(): row.head.note for row in table.rows}
    assert notes["hallucinated features"].startswith("The same responses also show ")
    assert "visual misperception" in notes["hallucinated features"]
    assert not {"visual misperception", "justification error"} & notes.keys()
    assert all(" 0 of 12" not in row.cells[0].lines[0].n for row in table.rows)
    [never] = [each.words for each in fold.parts if isinstance(each, Note) and "Found in no" in each.words]
    unseen = never.removeprefix("Found in no response: ").rstrip(".").split(", ")
    assert unseen
    assert not set(unseen) & notes.keys()


def test_every_tag_says_what_it_means_and_whose_it_is(invented):
    """Below the counts stand each tag's meaning, the source of the term, and for modes stage and harm."""
    fold, table, _ = drawn(*invented)
    [facts] = [dict(each.facts) for each in parts_of(fold) if isinstance(each, Facts)]
    for tag in (PATTERNS[4], MODES[0]):
        assert facts[tag.name].startswith(tag.means)
        assert facts[tag.name].endswith(f"Term of “{tag.source}”.")
    assert (
        f"Stage of the error: {MODES[0].stage}. Consequence for a patient: {MODES[0].consequence}"
        in facts[MODES[0].name]
    )
    assert {row.head.words.striptags() for row in table.rows} <= facts.keys()


def test_cases_are_one_run_of_one_model_under_every_arm(invented):
    """The same item and run under each arm, the image first; a pattern that it was chosen for was found without one."""
    evidence = Evidence(*invented)
    chosen = choose_cases(evidence)
    _, _, cases = drawn(*invented)
    assert len(cases) == len(chosen) > 0
    for run, case in zip(chosen, cases, strict=True):
        assert [address.arm for address in run.places] == ["original", "image-removed", "image-blank"]
        assert len({int(evidence.grades(at).ordinal[place]) for at, place in run.places.items()}) == 1
        assert [pane.title for pane in case.panes] == ["With the image", "No image", "Blank image"]
        assert [len(pane.pictures) for pane in case.panes] == [1, 0, 1]
        assert case.panes[1].missing == "no image was sent"
        assert case.question in {item.question for item in evidence.table(next(iter(run.places))).items}
        shown = "".join(quote.note for pane in case.panes[1:] for quote in pane.quotes)
        assert all(tag.name in shown for tag in run.shows)


def test_cases_are_chosen_by_name_and_not_by_order(study, question):
    """Listed in another order, the same questions are shown."""
    models = (FakeModel(inventing, name="fake/seer"),)
    items = [question(n) for n in range(12)]
    straight, back = (
        {case.question for case in drawn(*study(order, models, tests=("rationale",)))[2]}
        for order in (items, items[::-1])
    )
    assert straight == back


@pytest.fixture(scope="module")
def text(invented):
    """The page of that study."""
    return render(*invented)


def test_claims_are_marked_on_the_page_and_lead_to_the_responses(text, parsed, astray):
    """The words that a reply claims to see are marked, those of its reasoning too; each case links to its responses."""
    page = parsed(text)
    marks = [(attributes["class"], words) for attributes, words in page.all("mark")]
    assert ("seen", "The chest X-ray shows a large effusion on the left side.") in marks
    known = {f"{what}{left}" for what in ("seen", "absent") for left in ("", " told", " loose")}
    assert {name for name, _ in marks} <= known
    assert not [link for link in astray(text) if link.startswith("#reply-")]
    assert "Agreement with labels" in text[text.index('id="methods"') :]


def test_responses_carry_modes_and_reasoning(text, packed):
    """A response that went wrong has its modes with their source, and its reasoning."""
    rows = packed(text).rows
    named = {(mode["name"], mode["by"], mode["words"]) for row in rows for mode in row["modes"]}
    assert ("visual misperception", "rule", "certain: by rule") in named
    assert 37 in {len(row["reasoning"]) for row in rows}


def test_judges_opinion_is_never_called_certain(invented):
    """A tag that only a judge gave is marked as its opinion; one that a rule is sure of needs no judge."""
    evidence = Evidence(score(invented[1]), invented[1])
    address = ArmAddress("fake/seer", "bench", "image-removed")
    judged = columns(evidence, address)["judge"]
    ruled = evidence.find_tags(address)
    place = int(np.flatnonzero(ruled & BIT["visual misperception"])[0])
    judged[place] |= BIT["unsafe recommendation"] | BIT["visual misperception"]
    found = {each.tag.name: each.words for each in tags_at(evidence, address, place, MODES)}
    assert found["unsafe recommendation"] == "the judge's opinion"
    assert found["visual misperception"] == "certain: by rule"


@pytest.mark.parametrize(
    ("judge", "words"),
    [("", "no judge was asked here"), ("fake/judge", "a judge was asked, but no answer of the judge could be read")],
)
def test_silence_of_a_judge_is_not_called_absence(invented, judge, words):
    """Whether nobody was asked or nobody could be understood is told apart."""
    results, store = invented
    tables = {key: replace(table, judge=judge) for key, table in results.tables.items()}
    unheard = replace(results, readings={**results.readings, results.study["parser"]: tables})
    said = [each.words for each in parts_of(drawn(unheard, store)[0]) if isinstance(each, Note)]
    assert any(f"({words})" in each for each in said)


def test_heard_judge_needs_no_excuse(invented):
    """One reply that was judged is enough."""
    _, store = invented
    results = score(store)
    results.tables["fake/seer", "bench"].arms["image-removed"].rationales.heard[0] = True
    said = [each.words for each in parts_of(drawn(results, store)[0]) if isinstance(each, Note)]
    assert any("comes from another model." in each for each in said)


def test_study_that_did_not_ask_has_no_such_section(usual, usual_text):
    """Without a test on what replies describe, the page claims nothing about it."""
    assert list(draw_sights(Evidence(*usual), [])) == []
    assert 'id="sights"' not in usual_text
