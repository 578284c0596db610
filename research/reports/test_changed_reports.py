"""Reports changed in known ways (`perturb.py`), and the order in which findings F1 puts them."""

import sys
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

STUDY = Path(__file__).parent
sys.path.insert(0, str(STUDY))
PERTURB = run_path(str(STUDY / "perturb.py"))
Report, generator, sentences = (PERTURB[name] for name in ("Report", "generator", "sentences"))
REPORTS = [
    Report(
        "1", "There is a small left pleural effusion. The heart is normal in size. No pneumothorax.", "Left effusion."
    ),
    Report("2", "The lungs are clear. No pleural effusion or pneumothorax.", "No acute cardiopulmonary abnormality."),
    Report("3", "Mild cardiomegaly. Right lower lobe opacity, consistent with atelectasis.", ""),
]


def test_a_change_repeats_itself_and_keeps_the_original():
    """The same report is changed in the same way, whichever reports stand beside it."""
    all_of_them = PERTURB["changed"](REPORTS)
    for name, change in PERTURB["CHANGES"].items():
        for report in REPORTS:
            assert change(report, generator(report, name)) == all_of_them[name].get(report.id)
    assert all_of_them["self"]["1"] is REPORTS[0]


def test_negation_turns_round_what_is_said_clearly():
    """Absent becomes present and present becomes absent, in grammatical English; what is uncertain stays."""
    turned = {
        "There is no pleural effusion": "Pleural effusion is present",
        "No pneumothorax or effusion is seen": "Pneumothorax and effusion are seen",
        "No evidence of pneumonia": "There is evidence of pneumonia",
        "There is a small left effusion": "There is no left effusion",
        "Moderate cardiomegaly": "No cardiomegaly",
        "The lungs are clear": "The lungs are not clear",
        "The mediastinum is unremarkable": "The mediastinum is abnormal",
        "The heart is not enlarged": "The heart is enlarged",
        "Lungs are free of focal airspace disease": "Lungs show focal airspace disease",
        "Negative for pneumothorax": "Positive for pneumothorax",
        "The opacity may represent atelectasis": None,
        "Follow-up is recommended": None,
        "Stable cardiomediastinal silhouette": None,
    }
    assert {sentence: PERTURB["turn_round"](sentence) for sentence in turned} == turned


def test_sides_are_swapped_where_a_side_is_named():
    """Left for right and right for left; the chambers of the heart keep their names."""
    swap = PERTURB["side_swapped"]
    report = Report("4", "Left effusion. RIGHT-sided line, tip in the right atrium.", "")
    assert swap(report, None).findings == "Right effusion. LEFT-sided line, tip in the right atrium."
    assert swap(Report("5", "Tip in the right atrium.", "Clear."), None) is None


def test_one_sentence_is_dropped():
    """All others stay, in their sections; a single sentence is not dropped."""
    for report in REPORTS:
        less = PERTURB["sentence_dropped"](report, generator(report, "sentence-dropped"))
        before, after = ([*sentences(each.findings), *sentences(each.impression)] for each in (report, less))
        assert len(after) == len(before) - 1
        assert set(after) < set(before)
    assert PERTURB["sentence_dropped"](Report("6", "Clear.", ""), generator(REPORTS[0], "x")) is None


def test_a_shuffled_report_is_that_of_another_patient_with_other_words():
    """Nobody is given his own report, nor one with the same words."""
    same = [Report(str(at), "Clear.", "") for at in range(3)]
    given = PERTURB["shuffled"]([*REPORTS, *same])
    assert all(report.text.lower() != text for report, text in zip(given.values(), given, strict=True))
    assert all(given[report.id].findings != "Clear." for report in same)


def test_a_paraphrase_has_other_words_and_the_same_sections():
    """Most sentences are worded anew; no section appears or vanishes, and no side changes."""
    for report in REPORTS:
        new = PERTURB["paraphrased"](report, generator(report, "paraphrased"))
        assert new.text != report.text
        assert bool(new.impression) == bool(report.impression)
        assert ("left" in new.text.lower()) == ("left" in report.text.lower())
    changed = [PERTURB["changed_sentences"](report) for report in REPORTS]
    assert sum(new for new, _ in changed) / sum(of for _, of in changed) > 0.7


def test_findings_f1_orders_real_reports_and_words_in_common_do_not():
    """Of 120 real reports, the paraphrase is above every damaged form by findings F1; by ROUGE-L it is not."""
    measure = run_path(str(STUDY / "measure.py"))
    if not measure["REPORTS"].exists():
        pytest.skip(f"The reports of Open-i are not there: {measure['REPORTS']}")
    every = [report for report in measure["reports"]() if report.findings and report.impression]
    sample = every[:: len(every) // 120][:120]
    made = PERTURB["changed"](sample)
    orders = {}
    for name in ("findings-f1", "rouge-l"):
        score = measure["metric_named"](name).score
        values = {}
        for change in measure["ORDER"]:
            row = np.full(len(sample), np.nan)
            there = [place for place, report in enumerate(sample) if report.id in made[change]]
            pairs = [measure["Pair"](made[change][sample[at].id].text, sample[at].text) for at in there]
            row[there] = score(pairs)
            values[change] = row
        told = measure["summary"](values)
        orders[name] = {change: each["difference"]["value"] > 0 for change, each in told["paraphrase_against"].items()}
        assert told["means"]["self"]["value"] == 1
    assert all(orders["findings-f1"].values())
    assert orders["rouge-l"] == {"sentence-dropped": False, "side-swapped": False, "negated": False, "shuffled": True}
