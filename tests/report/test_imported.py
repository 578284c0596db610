import hashlib
import re

from snellen import report
from snellen.cli.list import list_studies
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.account import draw_account
from snellen.report.sections.provenance import draw_provenance, particulars
from snellen.report.sections.tests import sections
from snellen.scoring.flow import follow_study


def drawn(results, store):
    return report.write(results, store).read_text(encoding="utf-8")


def test_page_says_at_once_that_replies_were_imported(imported, reply):
    """The summary names the files and the day; the provenance has their sha256."""
    results, store = imported([reply(n, "Answer: A") for n in range(3)])
    text = drawn(results, store)
    head = text[: text.index('id="verdicts"')]
    digest = hashlib.sha256((store.folder.parent / "answers.jsonl").read_bytes()).hexdigest()
    assert "imported 2026\u201107\u201101" in head
    assert "the responses come from answers.jsonl." in head
    assert f"answers.jsonl, sha256 <code>{digest}</code>" in text
    assert str(store.folder.parent) not in text


def test_images_that_are_not_known_are_not_called_missing(imported, reply, packed):
    """An imported response does not claim that no image was sent, unless its arm takes images away."""
    rows = [reply(n, "Answer: A", arm=arm) for n in range(3) for arm in ("original", "image-blank")]
    text = drawn(*imported(rows))
    assert "No image was sent." not in text
    assert "The image is not in the imported file." in text
    conditions = packed(text).record["conditions"]
    assert {each["no_image"] for each in conditions} == {"The image is not in the imported file."}
    rows = [reply(n, "Answer: A", arm=arm) for n in range(3) for arm in ("original", "image-removed")]
    text = drawn(*imported(rows))
    told = {each["name"]: each["no_image"] for each in packed(text).record["conditions"]}
    assert told == {"original": "The image is not in the imported file.", "image-removed": "No image was sent."}


def test_prompts_and_settings_that_are_not_known_are_not_made_up(imported, reply, packed):
    """No prompt is shown as sent, and seed, settings and the like are called not known."""
    results, store = imported([reply(n, "Answer: A") for n in range(3)])
    text = drawn(results, store)
    assert {(row["prompt"], row["system"]) for row in packed(text).rows} == {(None, None)}
    assert "known only for responses that show one" in str(draw_provenance(Evidence(results, store), store))
    said = dict(particulars(results.study))
    assert {said[name] for name in ("seed", "epochs", "limit", "prompt", "settings")} == {"not known"}


def test_how_a_response_ended_and_how_many_were_planned_are_not_made_up(imported, reply):
    """Without a finish reason nothing is called complete, and without a plan nothing is called planned or missing."""
    results, store = imported(
        [reply(n, "Answer: A", arm=arm) for n in range(8) for arm in ("original", "image-removed")]
    )
    names = {measure.name for each in results.findings for measure in each.measures}
    assert "refusal_rate" in names
    assert "truncated_rate" not in names
    text = drawn(results, store)
    assert "Why the model stopped is not known." in text
    assert "The model stopped because of: ." not in text
    evidence = Evidence(results, store)
    account = str(draw_account(evidence, sections(evidence)))
    assert "not known" in account
    assert not re.search("planned:|asked for'|not asked", account)


def test_list_of_studies_does_not_say_how_many_responses_an_import_should_have(imported, reply):
    """What a file holds is counted; of how many, nobody knows."""
    _, store = imported([reply(n, "Answer: A") for n in range(3)])
    [(_, lines)] = list_studies(store.folder)
    assert dict(lines)["responses"] == "3"


def test_what_an_import_does_tell_is_told(imported, reply):
    """Finish reasons that are there count, and so does a response that a condition lacks in one run only."""
    rows = [reply(n, "Answer: A", replicate=run, finish="stop") for n in range(8) for run in range(2)]
    rows[0] |= {"finish": "length", "response": "Let me look at the image first. There is"}
    results, store = imported(rows[:-1])
    rates = {each.name: each.estimate.value for found in results.findings for each in found.measures}
    assert rates["truncated_rate"] > 0
    assert (follow_study(results).missing, follow_study(results).arrived) == (1, 15)
    evidence = Evidence(results, store)
    assert "not in the files 1" in str(draw_account(evidence, sections(evidence)))


def test_arms_that_nobody_knows_are_compared_and_not_judged(imported, reply, parsed):
    """The page calls such a test not judged, says why, and shows its numbers."""
    rows = [reply(n, "Answer: A", arm=arm) for n in range(30) for arm in ("original", "after-training")]
    text = drawn(*imported(rows, new_conditions=["after-training"]))
    page = parsed(text)
    assert page.problems == []
    assert "reported</span>" in text
    assert "What a good model does is not known here" in text
    assert "Change in accuracy, after-training" in text
    assert "An arm of imported responses" in text


def test_real_study_is_small(italian, parsed, astray):
    """2,400 real replies make a page of less than 3 MB, with every part and no broken link."""
    path = italian[0].folder / "report.html"
    page = parsed(path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 3_000_000
    assert page.problems == []
    assert {"sights", "repeats", "parsers", "rows"} <= set(page.ids())
    assert astray(path.read_text(encoding="utf-8")) == []
    assert [text for _, text in page.all("text") if text == "people: 71%"]
