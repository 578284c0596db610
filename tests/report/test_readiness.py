import re
from dataclasses import replace
from itertools import pairwise

import pytest

from snellen.models.fake import FakeModel
from snellen.protocols.paper import how
from snellen.protocols.readiness.report.chapter import has_chapter, readiness
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.responses import HEARD, UNHEARD
from snellen.report.sections.tests import sections
from snellen.report.words import numbers as wording
from snellen.report.words.glossary import METHOD_WORDS
from snellen.scoring.findings import findings
from snellen.stress import stress_test

SILENT = "I cannot see any image, so I cannot answer."
PARTS = (
    "readiness-removal", "readiness-necessity", "readiness-perturbed", "readiness-reasoning",
    "test-grounded-reading", "test-robustness", "readiness-abstention", "readiness-inapplicable", "readiness-modes",
)  # fmt: skip


def chapter(text):
    start = text.index('<section id="readiness">')
    return text[start : text.index("\n</section>\n</details>", start)]


def test_page_is_well_formed_and_the_chapter_has_every_part(ready_text, parsed, astray):
    """Every part of the chapter is there, in order; no id stands twice and every link leads somewhere."""
    page = parsed(ready_text)
    ids = page.ids()
    assert page.problems == []
    assert len(set(ids)) == len(ids)
    assert [each for each in ids if each in PARTS] == list(PARTS)
    assert astray(ready_text) == []


def test_headings_are_in_order(ready_text, parsed):
    """No level of headings is skipped on the way down, in the chapter as elsewhere."""
    levels = [int(tag[1]) for tag, _, _ in parsed(ready_text).elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_score_of_the_results_is_in_the_chapter(ready, ready_text):
    """Value, interval and method of every number of the two scores stand there, over all benchmarks as well."""
    text = chapter(ready_text)
    rows = [row for row in ready[0].rows() if row["arm"] in ("score", "reading")]
    assert {row["benchmark"] for row in rows} > {"all benchmarks"}
    for row in rows:
        kind = row["kind"]
        ends = f"{wording.end(row['low'], kind)} to {wording.end(row['high'], kind)}"
        printed = f'<b>{wording.figure(row["value"], kind)}</b> <span class="between">[{ends}]'
        assert f'title="{how(row)}">{printed}' in text, row


def test_every_measure_and_method_has_words(ready):
    """No number of the whole protocol is shown under its bare name, and no method is left unexplained."""
    assert not [m for each in ready[0].every_finding for m in each.measures if "_" in m.kind.words]
    for row in ready[0].rows():
        assert row["method"].partition(";")[0] in METHOD_WORDS, row


def test_scores_have_no_section_of_their_own_besides(ready_text):
    """The two scores are told in the chapter and nowhere among the ordinary tests or verdicts."""
    rest = ready_text[ready_text.index('<section id="looks"') : ready_text.index('<details class="chapter paper">')]
    assert 'id="test-robustness"' not in rest
    verdicts = ready_text[ready_text.index('id="verdicts"') : ready_text.index('id="account"')]
    assert "#test-image-needed" in verdicts
    assert "#test-robustness" not in verdicts


def test_tests_are_folded_beyond_verdicts_and_first_picture(ready_text):
    """With many tests each shows its verdicts and one picture; the rest opens when it is asked for."""
    test = ready_text[ready_text.index('<section class="test" id="test-steady">') :]
    test = test[: test.index('<section class="test"', 1)]
    seen, folded = test.split('<details class="numbers folded">')
    assert seen.count('<table class="forest">') == 1
    assert 'class="verdicts"' in seen
    assert '<table class="grid">' not in seen
    assert '<table class="grid">' in folded
    assert 'class="bars by-arm"' in folded


def test_response_that_a_judge_heard_is_known_as_such(study, packed):
    """Where a judge was heard, the browser need not call for one."""
    model = FakeModel(lambda request: "Answer: A" if request.images else SILENT, name="fake/sees")
    results, store = study(models=(model,))
    assert {row["judge"] for row in packed(render(results, store)).rows} == {UNHEARD}
    for table in results.tables.values():
        for grades in table.arms.values():
            grades.rationales.heard[:] = True
    assert {row["judge"] for row in packed(render(results, store)).rows} == {HEARD}


@pytest.fixture
def sparse(imported, reply):
    """An imported study of two arms only, with the scores that need many more."""
    said = {"original": "Answer: A", "image-removed": SILENT}
    rows = [reply(n, said[arm], arm=arm) for n in range(30) for arm in said]
    results, store = imported(rows)
    [table] = results.tables.values()
    scores = [stress_test(name) for name in ("robustness", "grounded-reading")]
    return replace(results, findings=(*results.findings, *findings(scores, table))), store


def test_sparse_imported_study_shows_what_it_has(sparse, parsed, astray):
    """With two arms there are T1 and T2, a partial score that names its tests, silence and modes, and nothing else."""
    results, store = sparse
    evidence = Evidence(results, store)
    found = readiness(evidence, sections(evidence), {})
    assert found.removal
    assert found.necessity
    assert (found.perturbed, found.reasoning) == ((), None)
    [line] = found.scores[0].tables[0].lines
    assert line.of_tests == "T1, T2"
    page = parsed(render(results, store))
    ids = page.ids()
    assert page.problems == []
    assert {"readiness-removal", "test-robustness", "readiness-abstention", "readiness-modes"} <= set(ids)
    assert not {"readiness-perturbed", "readiness-reasoning"} & set(ids)
    assert astray(render(results, store)) == []
    assert "not asked" in [text for _, text in page.all("span")]


def test_score_of_nothing_is_told(sparse):
    """Where no part of the score could be measured, the chapter says so and draws nothing."""
    results, store = sparse
    bare = [replace(each, measures=()) if each.test.scores else each for each in results.findings]
    text = render(replace(results, findings=tuple(bare)), store)
    assert "Too little was asked for any part of the score." in text
    assert "Too little was asked to read it." in text


def test_hostile_names_and_replies_add_no_element(imported, reply, parsed):
    """Whatever a model, an option, a question or a reply holds, the chapter has the same elements."""

    def tags(name, mark):
        said = {"model": f"m/{mark}", "question": f"{mark}?"}
        moved = {"options": ["Nodule", "Effusion", "Fracture"]}
        rows = [
            reply(n, f"{mark} The X-ray shows a fracture. Answer: A", arm=arm, **said)
            | ({**moved, "answer": "BCA"[n % 3]} if "shuffled" in arm else {})
            for n in range(12)
            for arm in ("original", "image-removed", "options-shuffled", "image-removed+options-shuffled")
        ]
        results, store = imported(rows, name)
        [table] = results.tables.values()
        scored = replace(results, findings=(*results.findings, *findings([stress_test("robustness")], table)))
        assert has_chapter(scored)
        page = parsed(chapter(render(scored, store)))
        assert page.problems == []
        return [(tag, sorted(attributes)) for tag, attributes, _ in page.elements]

    assert tags("one", "plain") == tags(
        "two", '</b></section><script>alert(1)</script>"><img src=x onerror=alert(1)> {{ 7*7 }}'
    )


def test_study_without_the_score_has_no_chapter(study):
    """The chapter belongs to the score: without it, nothing of it is drawn."""
    results, store = study()
    evidence = Evidence(results, store)
    assert not has_chapter(results)
    assert readiness(evidence, sections(evidence), {}) is None


def test_lone_grounded_reading_keeps_its_section(ready_one, parsed):
    """Without the robustness score there is no chapter, and the grounded reading stands among the tests."""
    results, store = ready_one
    kept = tuple(each for each in results.findings if each.test.name != "robustness")
    text = render(replace(results, findings=kept, over_all=()), store)
    page = parsed(text)
    assert page.problems == []
    assert "readiness" not in page.ids()
    assert "test-grounded-reading" in page.ids()
    assert "Sight gain, reading (of 100)" in text
