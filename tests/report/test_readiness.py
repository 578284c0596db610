"""The chapter of the readiness protocol as a whole, and its first screen."""

from dataclasses import replace

import pytest

from snellen.models.fake import FakeModel
from snellen.papers.readiness.report.chapter import build, has_chapter
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.first_screen import list_tables
from snellen.report.sections.headline import headline
from snellen.report.sections.responses import HEARD, UNHEARD
from snellen.report.sections.tests import sections
from snellen.scoring.findings import findings
from snellen.stress import stress_test
from walking import find, walk, words

SILENT = "I cannot see any image, so I cannot answer."
PARTS = (
    "readiness-removal", "readiness-necessity", "readiness-perturbed", "readiness-reasoning",
    "test-grounded-reading", "test-robustness", "readiness-abstention", "readiness-inapplicable", "readiness-modes",
)  # fmt: skip


def chapter(results, store):
    """The parts of the chapter, without examples."""
    evidence = Evidence(results, store)
    return build(evidence, sections(evidence), {})


def test_chapter_is_folded_and_has_every_part(ready_text, checked, parsed):
    """In order, each once, with links that lead somewhere; the scores are told in the chapter alone."""
    assert [each for each in checked(ready_text) if each in PARTS] == list(PARTS)
    [details] = [each for each, _ in parsed(ready_text).all("details") if each.get("id") == "readiness"]
    assert (details["class"], "open" in details) == ("chapter", False)
    assert checked(ready_text).count("test-robustness") == 1
    verdicts = ready_text[ready_text.index('id="verdicts"') : ready_text.index('id="account"')]
    assert "#test-image-needed" in verdicts
    assert "#test-robustness" not in verdicts


def test_chapter_begins_with_its_sentence_and_the_six_tests(ready):
    """First what R is, then each test with its result and links to where it is told in full."""
    sentence, _, listed, *_ = chapter(*ready)
    assert "R does not apply to refuser, which never answers." in sentence.words
    assert [each.words.partition(" ")[0] for each in listed.items] == ["T1", "T2", "T3", "T4", "T5", "T6"]
    assert [link.words for link in listed.items[4].links] == ["visual-substitution"]
    assert listed.items[1].words == "T2 questions that need the image: 3 not decided" or ": " in listed.items[1].words


def test_first_screen_has_the_marks_the_suites_tests_and_r_last(ready):
    """The marks first, then Unknown, then R, which has no mark; the sentence names the mark that is left open."""
    evidence = Evidence(*ready)
    table, *_ = list_tables(evidence, sections(evidence))
    heads = [each.words for each in table.columns]
    assert heads[-3:] == ["Steady?", "Chooses Unknown without the image?", "Robustness R"]
    last = {row.head.words: row.cells[-1] for row in table.rows}
    assert last["grounded"].status is None
    assert last["grounded"].words.startswith("0.")
    assert (last["refuser"].words, last["refuser"].status) == ("", "not_applicable")
    assert "“Honest without the image?” not applicable (ask with the default prompt)" in headline(evidence).meaning


def test_response_that_a_judge_heard_is_known_as_such(study, packed):
    """If a judge was heard, the browser of responses need not call for one."""
    model = FakeModel(lambda request: "Answer: A" if request.images else SILENT, name="fake/sees")
    results, store = study(models=(model,), tests=("image-needed",))
    assert {row["judge"] for row in packed(render(results, store)).rows} == {UNHEARD}
    for table in results.tables.values():
        for grades in table.arms.values():
            grades.rationales.heard[:] = True
    assert {row["judge"] for row in packed(render(results, store)).rows} == {HEARD}


@pytest.fixture(scope="module")
def sparse(imported, reply):
    """An imported study of two arms only, with the scores that need many more."""
    said = {"original": "Answer: A", "image-removed": SILENT}
    rows = [reply(n, said[arm], arm=arm) for n in range(30) for arm in said]
    results, store = imported(rows)
    [table] = results.tables.values()
    scores = [stress_test(name) for name in ("robustness", "grounded-reading")]
    return replace(results, findings=(*results.findings, *findings(scores, table))), store


def test_sparse_imported_study_shows_what_it_has(sparse, checked):
    """With two arms there are T1 and T2, a partial score that names its tests, silence and modes, and nothing else."""
    parts = chapter(*sparse)
    anchors = {getattr(each, "anchor", "") for each in parts}
    there = {"readiness-removal", "readiness-necessity", "test-robustness", "readiness-abstention", "readiness-modes"}
    assert there <= anchors
    assert not {"readiness-perturbed", "readiness-reasoning"} & anchors
    html = draw([find(parts, "Sight, honesty")])
    assert "of T1, T2 only" in html
    assert any(each.words.endswith(": not asked") for each in parts[2].items)
    assert there <= set(checked(render(*sparse)))


def test_score_of_nothing_is_told(sparse):
    """If no part of the score could be measured, the chapter says so and draws nothing."""
    results, store = sparse
    bare = [replace(each, measures=()) if each.test.scores else each for each in results.findings]
    said = words(chapter(replace(results, findings=tuple(bare)), store))
    assert "Too little was asked for any part of the score." in said
    assert "Too little was asked to read it." in said


def test_hostile_names_and_responses_add_no_element(imported, reply, parsed):
    """Whatever a model, an option, a question or a response holds, the chapter has the same elements."""

    def tags(mark):
        said = {"model": f"m/{mark}", "question": f"{mark}?"}
        moved = {"options": ["Nodule", "Effusion", "Fracture"]}
        rows = [
            reply(n, f"{mark} The X-ray shows a fracture. Answer: A", arm=arm, **said)
            | ({**moved, "answer": "BCA"[n % 3]} if "shuffled" in arm else {})
            for n in range(12)
            for arm in ("original", "image-removed", "options-shuffled", "image-removed+options-shuffled")
        ]
        results, store = imported(rows)
        [table] = results.tables.values()
        scored = replace(results, findings=(*results.findings, *findings([stress_test("robustness")], table)))
        assert has_chapter(scored)
        page = parsed(draw(chapter(scored, store)))
        assert page.problems == []
        return [(tag, sorted(attributes)) for tag, attributes, _ in page.elements]

    assert tags("plain") == tags('</b></section><script>alert(1)</script>"><img src=x onerror=alert(1)> {{ 7*7 }}')


def test_study_without_the_score_has_no_chapter(usual):
    """The chapter belongs to the score: without it, nothing of it is drawn."""
    results, store = usual
    assert not has_chapter(results)
    assert chapter(results, store) is None


def test_lone_grounded_reading_keeps_its_section(ready_one, checked):
    """Without the robustness score there is no chapter, and the grounded reading stands among the tests."""
    results, store = ready_one
    kept = tuple(each for each in results.findings if each.test.name != "robustness")
    text = render(replace(results, findings=kept, over_all=()), store)
    ids = checked(text)
    assert "readiness" not in ids
    assert "test-grounded-reading" in ids
    assert "Sight gain, reading (of 100)" in text


def test_every_figure_can_be_downloaded(ready):
    """Each plot of the chapter has its SVG and CSV."""
    figures = [figure.name for each in walk(chapter(*ready)) if (figure := getattr(each, "figure", None))]
    assert len(figures) > 15
    assert {each.partition("-phantoms")[0] for each in figures} >= {
        "image-needed-accuracy-original-against-image-removed", "visual-necessity-answers-without-image",
        "readiness-perturbed-text-only", "chain-of-thought-accuracy-original-against-original-cot",
        "reasoning-effort-accuracy", "robustness-fragilities",
    }  # fmt: skip
