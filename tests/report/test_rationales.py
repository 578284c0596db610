from dataclasses import replace

import numpy as np
import pytest

from snellen import report
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.evidence.tags import columns, tags_at
from snellen.report.sections.what_it_sees import sights
from snellen.stress.taxonomy import BIT, MODES, PATTERNS

INVENTS = "The chest X-ray shows a large effusion on the left side. Answer: A"


def inventing(request):
    """Describes whatever it is asked about, with an image or without, except for one question in three."""
    number = int(request.text.split("picture ")[1].split(" ")[0])
    text = INVENTS if number % 3 else "I cannot see any image, so I cannot answer."
    delivered = tuple(receipt(image) for image in request.images)
    return Response(text, reasoning="The CT shows a mass in the left lobe." if number == 4 else "", sent=delivered)


@pytest.fixture
def invented(study, question):
    """A study of one model that describes what it was not shown."""
    return study([question(n) for n in range(12)], (FakeModel(inventing, name="fake/seer"),), tests=("rationale",))


def test_counts_are_those_of_the_replies(invented):
    """For each tag, the replies counted are those that the rules tag, and the rate is theirs over items."""
    results, store = invented
    evidence = Evidence(results, store)
    [found] = sights(evidence)
    [finding] = results.findings
    lines = [line for _, lines in found.tables for line in lines]
    assert {line.tagged.by for line in lines} == {"rule"}
    assert "hallucinated features" in {line.tagged.tag.name for line in lines}
    for line in lines:
        [cells] = line.cells
        assert [cell.arm for cell in cells] == ["image-removed", "image-blank"]
        for cell in cells:
            bits = evidence.ruled(ArmAddress("fake/seer", "bench", cell.arm))
            assert cell.count == int(np.count_nonzero(bits & BIT[line.tagged.tag.name]))
            assert (cell.of, cell.number.n) == (12, "12")
            assert cell.number.method
    features = next(line for line in lines if line.tagged.tag.name == "hallucinated features")
    described = finding.measure("image-removed", "described_rate").estimate.value
    assert features.cells[0][0].count == round(described * 12) == 8


def test_one_count_stands_once_with_its_other_names(invented):
    """Findings described to no image are one count, whatever two papers call it; what nobody shows is in a sentence."""
    [found] = sights(Evidence(*invented))
    lines = {line.tagged.tag.name: line for _, lines in found.tables for line in lines}
    aliases = {other.tag.name for other in lines["hallucinated features"].aliases}
    assert aliases >= {"visual misperception", "justification error"}
    assert not aliases & lines.keys()
    assert all(any(cell.count for cells in line.cells for cell in cells) for line in lines.values())
    assert found.never
    assert not set(found.never) & lines.keys()
    text = report.write(*invented).read_text(encoding="utf-8")
    assert "The same responses also show <b>visual misperception</b>" in text
    assert f"Never seen here, in no response of any model: {', '.join(found.never)}." in text


def test_every_tag_says_what_it_means_and_whose_it_is(invented):
    """Beside each count stand the meaning, the source of the term, how sure it is, and for modes stage and harm."""
    text = report.write(*invented).read_text(encoding="utf-8")
    for tag in (PATTERNS[4], MODES[0]):
        assert tag.means in text
        assert f"Term of “{tag.source}”." in text
    assert f"Stage: {MODES[0].stage}. To a patient: {MODES[0].consequence}" in text
    assert "■</span> certain: by rule" in text


def test_cases_are_one_run_of_one_model_under_every_arm(invented):
    """The side-by-side view holds the same item and run under each arm, the image first, with its own tags."""
    evidence = Evidence(*invented)
    [found] = sights(evidence)
    assert found.cases
    for case in found.cases:
        assert [view.arm for view in case.views] == ["original", "image-removed", "image-blank"]
        assert {view.saying.item.id for view in case.views} == {case.item_id}
        assert {view.saying.reply.replicate + 1 for view in case.views} == {case.run}
        assert [len(view.saying.asked.images) for view in case.views] == [1, 0, 1]
        blind = {each.tag.name for view in case.views[1:] for each in view.tags}
        assert {tag.name for tag in case.shows} <= blind


def test_cases_are_chosen_by_name_and_not_by_order(study, question):
    """Listed in another order, the same questions are shown."""
    models = (FakeModel(inventing, name="fake/seer"),)
    items = [question(n) for n in range(12)]
    straight, back = (
        {case.item_id for case in sights(Evidence(*study(order, models, tests=("rationale",), name=name)))[0].cases}
        for name, order in (("a", items), ("b", items[::-1]))
    )
    assert straight == back


def test_claims_are_marked_on_the_page(invented, parsed):
    """The words that a reply claims to see are marked, and so are those of its reasoning."""
    page = parsed(report.write(*invented).read_text(encoding="utf-8"))
    marks = [(attributes["class"], text) for attributes, text in page.all("mark")]
    assert ("seen", "The chest X-ray shows a large effusion on the left side.") in marks
    known = {f"{what}{left}" for what in ("seen", "absent") for left in ("", " told", " loose")}
    assert {name for name, _ in marks} <= known


def test_responses_carry_modes_and_reasoning(invented, packed):
    """A response that went wrong has its modes with their source, and its reasoning."""
    rows = packed(report.write(*invented).read_text(encoding="utf-8")).rows
    named = {(mode["name"], mode["by"], mode["words"]) for row in rows for mode in row["modes"]}
    assert ("visual misperception", "rule", "certain: by rule") in named
    assert 37 in {len(row["reasoning"]) for row in rows}


def test_judges_opinion_is_never_called_certain(invented):
    """A tag that only a judge gave is marked as its opinion; one that a rule is sure of needs no judge."""
    evidence = Evidence(*invented)
    address = ArmAddress("fake/seer", "bench", "image-removed")
    judged = columns(evidence, address)["judge"]
    ruled = evidence.ruled(address)
    place = int(np.flatnonzero(ruled & BIT["visual misperception"])[0])
    judged[place] |= BIT["unsafe recommendation"] | BIT["visual misperception"]
    found = {each.tag.name: each.words for each in tags_at(evidence, address, place, MODES)}
    assert found["unsafe recommendation"] == "the judge's opinion"
    assert found["visual misperception"] == "certain: by rule"


@pytest.mark.parametrize(
    ("judge", "words"),
    [("", "no judge was asked here"), ("fake/judge", "a judge was asked, and none of its answers could be read")],
)
def test_silence_of_a_judge_is_not_called_absence(invented, judge, words):
    """Whether nobody was asked or nobody could be understood is told apart."""
    results, store = invented
    tables = {key: replace(table, judge=judge) for key, table in results.tables.items()}
    unheard = replace(results, readings={**results.readings, results.study["parser"]: tables})
    [found] = sights(Evidence(unheard, store))
    assert found.judging == words
    assert f"({words})" in report.write(unheard, store).read_text(encoding="utf-8")


def test_heard_judge_needs_no_excuse(invented):
    """One reply that was judged is enough."""
    results, store = invented
    results.tables["fake/seer", "bench"].arms["image-removed"].rationales.heard[0] = True
    assert sights(Evidence(results, store))[0].judging == ""


def test_study_that_did_not_ask_has_no_such_section(study):
    """Without a test on what replies describe, the page claims nothing about it."""
    results, store = study()
    assert sights(Evidence(results, store)) == []
    assert 'id="sights"' not in report.write(results, store).read_text(encoding="utf-8")
