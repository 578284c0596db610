"""What clinicians settled goes back: labels, the gate of judges, rows for qualify, references, and subsets."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from snellen.benchmarks import folder
from snellen.cli import cli
from snellen.cli.review import open_review
from snellen.errors import StudyError
from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.qualify import qualify_file, qualify_judge_file
from snellen.judging.qualify.quality import qualify_field
from snellen.models.fake import FakeModel
from snellen.stats import clustered_kappa
from snellen.store import Store
from snellen.store.labels import StoredLabels
from snellen.stress.image_dependence.subset import Subset
from snellen.study import Study, judge, rescore
from snellen.tools.review.ballots import ReviewedCase, Vote
from snellen.tools.review.case import BlindCase, Subject
from snellen.tools.review.drawing import DrawingPlan, draw_sample
from snellen.tools.review.results import summarise_review
from snellen.tools.review.returning import give_back, write_labelled_rows, write_references, write_subset
from snellen.tools.review.tasks.missing_image import MISSING_IMAGE
from snellen.tools.review.tasks.profile import PROFILE
from snellen.tools.review.tasks.quality import QUALITY
from snellen.tools.review.tasks.rationale import RATIONALE
from snellen.tools.review.tasks.reference import REFERENCE
from snellen.tools.review.tasks.verdict import VERDICT

pytestmark = pytest.mark.usefixtures("no_groups")

OPEN, CHOICES = 24, 6
MODEL = "maker/gpt-model"


def picture(number):
    return Image(np.full((16, 16), 20 + 5 * number, dtype=np.uint8))


def benchmark():
    """Open questions, of which the model knows every other, and whether films are normal."""
    in_words = (
        Item(f"o{n}", f"Finding {n}?", answer="effusion", kind="open", images=(picture(n),), category="chest")
        for n in range(OPEN)
    )
    listed = (
        Item(f"c{n}", f"Is film {n} normal?", (Option("abnormal"), Option("normal")), n % 2,
             images=(picture(30 + n),), metadata={"normal": "normal"})
        for n in range(CHOICES)
    )  # fmt: skip
    return Benchmark("films", (*in_words, *listed))


def answer(request):
    if "Is film" in request.text:
        return "Answer: B. The film is normal." if request.images else "I cannot see any image."
    number = int(request.text.partition("Finding ")[2].partition("?")[0])
    return "Answer: effusion" if number % 2 == 0 else "Answer: fracture"


@pytest.fixture
def out(tmp_path):
    """A study of one model's answers in words and among options."""
    model = FakeModel(answer, name=MODEL, revision="")
    study = Study(
        models=[model], benchmarks=[benchmark()], tests=["open-answers", "image-needed"], out=tmp_path / "out"
    )
    study.ask(lambda progress: None)
    return study.out


def case(number, task, values, *, settler=None, benchmark="films", item=None, arm="original", **about):
    votes = [Vote(number, f"r{at}", False, value, 1.0, float(at)) for at, value in enumerate(values)]
    votes += [Vote(number, "s", True, settler, 1.0, 9.0)] if settler else []
    subject = Subject(benchmark, item, number, "all", arm=arm, **{"model": MODEL, **about})
    wanted = len(values)
    return ReviewedCase(number, task.name, subject, BlindCase("", task.name), wanted, "open", tuple(votes))


def verdicts(count=OPEN, wrong=()):
    """People call right what is right, but for some; the last two disagree, one of which is settled."""
    cases = []
    for at in range(count):
        said = {"verdict": "correct" if (at % 2 == 0) != (at in wrong) else "incorrect"}
        other = {"verdict": "incorrect" if said["verdict"] == "correct" else "correct"}
        values = [said, other] if at >= count - 2 else [said, said]
        settler = said if at == count - 1 else None
        cases.append(case(at, VERDICT, values, settler=settler, benchmark="films/open", item=f"o{at}"))
    return summarise_review(cases, VERDICT)


def judging(grades, unreadable=()):
    """A judge that sees what is right, and says it by these words; of some questions it says nothing readable."""

    def grade(request):
        if any(question in request.text for question in unreadable):
            return "Hm."
        return json.dumps({"grade": grades["effusion" in request.text.partition("REPLY\n")[2]]})

    return FakeModel(grade, name="lab/judge")


def test_settled_verdicts_are_labels_of_the_responses_and_correct_the_accuracy(out):
    """What is open is no label; the accuracy by labels is that of the settled ones."""
    given = give_back(out, None, verdicts(), plan={"each": 30})
    with Store.open(out) as store:
        labels = store.labels.load(OPEN_ANSWER.name)
        (record,) = store.labels.reviews(store.studies.record()["name"]).values()
    assert given.labels == len(labels) == OPEN - 1
    assert [(each.ordinal, each.label) for each in labels[:2]] == [(0, "correct"), (1, "incorrect")]
    assert OPEN - 2 not in {each.ordinal for each in labels}
    assert (record["task"], record["plan"], record["open"], record["judges"]) == ("verdict", {"each": 30}, 1, [])
    assert record == json.loads(json.dumps(given.record))
    by_labels = [row for row in rescore(out).rows() if row["measure"] == "accuracy_by_labels"]
    assert [row["value"] for row in by_labels if row["arm"] == "original"] == [pytest.approx(11 / 23)]
    corrected = [row for row in rescore(out).rows() if row["measure"] == "accuracy_corrected"]
    assert corrected


def test_what_is_stopped_leaves_no_label_without_its_review(out, monkeypatch):
    """Labels, qualifications and the record of the review are stored together or not at all."""

    def stop(labels, record):
        raise KeyboardInterrupt

    monkeypatch.setattr(StoredLabels, "add_review", stop)
    with pytest.raises(KeyboardInterrupt):
        give_back(out, None, verdicts())
    with Store.open(out) as store:
        assert store.labels.load(OPEN_ANSWER.name) == []


def test_what_makes_labels_no_random_sample_is_said_and_a_disputed_label_goes(out):
    """Open cases are the doubtful ones; a label on which raters differ now counts no more; unequal strata are named."""
    plan = {"strata": [{"stratum": "a", "drawn": 30, "of": 40}, {"stratum": "b", "drawn": 30, "of": 300}]}
    agreed = summarise_review(
        [case(0, VERDICT, [{"verdict": "correct"}] * 2, benchmark="films/open", item="o0")], VERDICT
    )
    assert give_back(out, None, agreed).sentences == ("1 verdict can be used as labels of the study's responses now.",)
    dispute = [{"verdict": "correct"}, {"verdict": "incorrect"}]
    disputed = summarise_review([case(0, VERDICT, dispute, benchmark="films/open", item="o0")], VERDICT)
    said = give_back(out, None, disputed, plan=plan).sentences
    assert "1 case is open and without a label." in said[1]
    assert "rates from 10% to 75%" in said[2]
    with Store.open(out) as store:
        assert store.labels.load(OPEN_ANSWER.name) == []


def test_labels_of_as_many_of_each_category_are_weighed_as_categories_occur(tmp_path):
    """As a review draws them: 12 of 60 easy ones, all right, and all 12 hard ones, all wrong, are not 50% right."""
    items = [
        Item(f"o{n}", f"Finding {2 * n}?", answer="effusion", kind="open", images=(picture(n % 20),), category=of)
        for n, of in enumerate(["easy"] * 60 + ["hard"] * 12)
    ]
    model = FakeModel(answer, name=MODEL, revision="")
    study = Study(models=[model], benchmarks=[Benchmark("films", tuple(items))], tests=["open-answers"], out=tmp_path)
    study.ask(lambda progress: None)

    def shares(easy, hard):
        labels = {at: "correct" if at < 60 else "incorrect" for at in [*range(easy), *range(60, 60 + hard)]}
        cases = [case(at, VERDICT, [{"verdict": each}] * 2, item=f"o{at}") for at, each in labels.items()]
        give_back(tmp_path, None, summarise_review(cases, VERDICT))
        wanted = ("accuracy_by_labels", "accuracy_corrected")
        return {row["measure"]: row for row in rescore(tmp_path).rows() if row["measure"] in wanted}

    assert shares(40, 1) == {}
    found = shares(12, 12)
    assert found["accuracy_by_labels"]["value"] == pytest.approx(60 / 72)
    assert found["accuracy_corrected"]["low"] < 60 / 72 < found["accuracy_corrected"]["high"]


def test_a_vote_that_is_taken_back_takes_its_label_along(out):
    """A label of this review goes when its case is not settled any more; one from elsewhere stays. Skips are told."""
    both = [{"verdict": "correct"}] * 2
    first = [case(at, VERDICT, both, benchmark="films/open", item=f"o{at}") for at in range(2)]
    give_back(out, None, summarise_review(first, VERDICT))
    with Store.open(out, write=True) as store:
        (one, _) = store.labels.load(OPEN_ANSWER.name)
        store.labels.add(OPEN_ANSWER.name, [one._replace(ordinal=5)])
    taken_back = first[0]._replace(votes=first[0].votes[1:])
    skipped = case(5, VERDICT, [None, None], benchmark="films/open", item="o5")
    given = give_back(out, None, summarise_review([taken_back, first[1], skipped], VERDICT))
    with Store.open(out) as store:
        assert [each.ordinal for each in store.labels.load(OPEN_ANSWER.name)] == [1, 5]
    assert "1 case that a rater could not judge has no label." in given.sentences[1]
    assert given.record["cautions"] == [given.sentences[1]]


def test_peoples_verdicts_open_the_gate_for_a_judge_that_agrees(out):
    """Held back before, it grades the table after; κ is that of its grades against the settled verdicts."""
    judge(out, judging({True: "correct", False: "unclear"}), opinions=1)
    assert rescore(out).tables[MODEL, "films/open"].parser == "match"
    given = give_back(out, None, verdicts(wrong=(4,)))
    (held,) = given.judges
    people = ["correct" if (at % 2 == 0) != (at == 4) else "incorrect" for at in range(OPEN) if at != OPEN - 2]
    said = ["correct" if at % 2 == 0 else "incorrect" for at in range(OPEN) if at != OPEN - 2]
    assert held.kappa == clustered_kappa(people, said, range(len(said)))
    assert held.qualified
    (row,) = given.record["judges"]
    assert (row["judge"], row["n"], row["qualified"], row["kappa"]["value"]) == (
        "lab/judge", 23, True, pytest.approx(held.kappa.value),
    )  # fmt: skip
    assert rescore(out).tables[MODEL, "films/open"].parser == "judge:lab/judge"
    give_back(out, None, verdicts(wrong=(4,)))
    with Store.open(out) as store:
        assert len(store.labels.qualifications()) == 1


def test_the_gate_stays_shut_for_a_judge_that_does_not(out):
    """Whoever calls everything correct agrees no more than chance; an unread grade is counted, not guessed."""
    judge(out, judging({True: "correct", False: "correct"}), opinions=1)
    given = give_back(out, None, verdicts())
    assert "lab/judge does not qualify: κ may be as low as -1.00" in given.sentences[-1]
    results = rescore(out)
    assert results.tables[MODEL, "films/open"].parser == "match"
    assert any("κ may be as low as" in sentence for sentence in results.held_back)


def test_unreadable_grades_keep_a_judge_out(out):
    """At most 5% of the responses may have no grade."""
    judge(out, judging({True: "correct", False: "incorrect"}, ("Finding 1?", "Finding 3?")), opinions=1)
    (held,) = give_back(out, None, verdicts()).judges
    assert (held.rows, held.ungraded, held.unread) == (23, 2, 2)
    assert held.why_not == "9% of the rows have no grade, at most 5% may have none"


def test_a_qualification_on_more_labels_is_not_replaced_by_a_few(out):
    """A review in its first hour does not shut a gate that hundreds of labels have opened."""
    judge(out, judging({True: "correct", False: "incorrect"}), opinions=1)
    with Store.open(out, write=True) as store:
        store.labels.add_qualification(
            {"judge": "lab/judge", "question": OPEN_ANSWER.name, "version": OPEN_ANSWER.version, "n": 300,
             "kappa": [0.8, 0.7, 0.9], "qualified": True, "why_not": ""}
        )  # fmt: skip
    given = give_back(out, None, verdicts(6))
    assert "Its qualification on more labels (n=300) stays in force." in given.sentences[-1]
    assert given.record["judges"][0]["in_force"] is False
    assert rescore(out).tables[MODEL, "films/open"].parser == "judge:lab/judge"


def test_cases_of_another_study_are_refused(out):
    """Labels of responses that are not there would correct nothing."""
    strange = case(0, VERDICT, [{"verdict": "correct"}], benchmark="films/open", item="o0", model="other/model")
    with pytest.raises(StudyError, match="matches no response of the study"):
        give_back(out, None, summarise_review([strange], VERDICT))


def test_verdicts_are_rows_that_qualify_reads(out, tmp_path):
    """The parser of open answers and a judge are held against them; each row is its stored response's."""
    file = tmp_path / "rows.jsonl"
    assert write_labelled_rows(out, None, verdicts(), file) == OPEN - 1
    first = json.loads(file.read_text().splitlines()[0])
    assert first == {
        "response": "Answer: effusion", "question": "Finding 0?", "references": ["effusion"], "label": "correct",
        "model": MODEL, "benchmark": "films/open", "item_id": "o0", "arm": "original", "replicate": 0,
    } | ({"finish": first["finish"]} if "finish" in first else {})  # fmt: skip
    assert qualify_file("match", file).agreement.value == 1
    done = qualify_judge_file(file, judging({True: "correct", False: "incorrect"}), watch=lambda progress: None)
    assert (done.kappa.value, done.kappa.n) == (1, OPEN - 1)


def test_status_says_whom_a_review_lacks_and_nothing_is_said_of_none(out):
    """One rater of two cannot finish; ballots in which nothing was drawn are no review."""
    run = CliRunner().invoke
    with open_review(str(out), None, None, begin=True):
        pass
    for command in ("status", "results"):
        assert "There is no review of" in str(run(cli, ["review", command, str(out)]).exception)
    with open_review(str(out), None, None, begin=True) as found:
        made = draw_sample(found.store, found.study, VERDICT, DrawingPlan(each=2))
        found.ballots.add_review("verdict", made.record, made.cases)
        anna, *_ = [found.ballots.rater(found.ballots.invite(name)) for name in ("anna", "bert")]
        found.ballots.cast(anna, found.ballots.next_case(anna).id, None, nonce="1")
    said = " ".join(run(cli, ["review", "status", str(out)]).output.split())
    assert "verdict: 1 case needs another rater" in said
    assert "Invite one with --rater NAME." in said


def test_results_name_the_report_of_the_study_that_they_are_of(out):
    """The second study of a folder has a folder of its own there."""
    again = Study(
        models=[FakeModel(answer, name=MODEL, revision="")],
        benchmarks=[benchmark()],
        tests=["image-needed"],
        out=out,
        name="second",
    )
    again.ask(lambda progress: None)
    with open_review(str(out), "second", None, begin=True) as found:
        made = draw_sample(found.store, found.study, PROFILE, DrawingPlan(each=1))
        found.ballots.add_review("profile", made.record, made.cases)
    done = CliRunner().invoke(cli, ["review", "results", str(out)])
    assert done.exit_code == 0, done.output
    named = "".join(done.output.partition("The labels are in the report of second:")[2].split())
    assert named.endswith("second/report.html")
    assert (out / "second" / "report.html").is_file()


def test_labels_for_parsers_are_rows_that_qualify_reads(out, tmp_path):
    """Missing images and quality, through the command itself; what was left out is not said."""
    label = {"label": "missing"}
    missing = [case(at, MISSING_IMAGE, [label, label], item=f"c{at}", arm="image-removed") for at in range(CHOICES)]
    file = tmp_path / "missing.jsonl"
    assert write_labelled_rows(out, None, summarise_review(missing, MISSING_IMAGE), file) == CHOICES
    assert json.loads(file.read_text().splitlines()[0])["question"] == "Is film 0 normal?"
    done = CliRunner().invoke(cli, ["parser", "qualify", "missing-image", str(file)])
    assert done.exit_code == 0, done.output
    assert qualify_file("missing-image", file).agreement.value == 1
    normal = [{"label": "normal", "flags": "no"}, {"label": "normal", "flags": "no"}]
    quality = [case(at, QUALITY, normal, item=f"c{at}") for at in range(CHOICES - 1)]
    poor = [{"label": "normal", "flags": "yes", "conflict": "no"}] * 2
    quality.append(case(CHOICES - 1, QUALITY, poor, item=f"c{CHOICES - 1}"))
    file = tmp_path / "quality.jsonl"
    write_labelled_rows(out, None, summarise_review(quality, QUALITY), file)
    held = qualify_file("quality", file)
    assert held.agreement.value == 1
    flags = qualify_field(held, "flags")
    assert [row.label for row in flags.rows] == ["no flags"] * 5 + ["flags"]
    assert len(qualify_field(held, "conflict").rows) == 1


def test_marked_patterns_are_rows_for_a_judge_of_rationales(out, tmp_path):
    """People were asked about some patterns only: of the others the row says nothing."""
    tag = "uninformative steps"
    marked = [{"patterns": [{"tag": tag, "start": 0, "end": 6}]}] * 2
    clean = [{"patterns": []}] * 2
    cases = [case(at, RATIONALE, marked if at % 2 else clean, item=f"c{at}") for at in range(CHOICES)]
    file = tmp_path / "rationale.jsonl"
    write_labelled_rows(out, None, summarise_review(cases, RATIONALE), file)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["labels"] for row in rows[:2]] == [[], [tag]]
    assert rows[0]["arm"] == "original"

    def opinion(request):
        informative = int(request.text.partition("Is film ")[2][0]) % 2 == 0
        return json.dumps({"replies": [{"reply": 1, "sees": [], "informative": informative}], "contradictions": []})

    done = qualify_judge_file(
        file, FakeModel(opinion, name="lab/judge"), question="rationale", watch=lambda progress: None
    )
    assert done.by_label[tag].value == 1
    assert "justification error" not in done.by_label
    with pytest.raises(StudyError, match="cannot use labels of the task"):
        write_labelled_rows(out, None, summarise_review([], PROFILE), file)


def test_reference_answers_are_a_benchmark_that_folder_loads(out, tmp_path):
    """The settled answer first, then what those who gave it accept too; images lie beside; open cases are left out."""
    cases = [
        case(0, REFERENCE, [{"answer": "Gout.", "also": "gouty arthritis\nGOUT"},
                            {"answer": "gout", "also": "podagra"}], benchmark="films/open", item="o0"),
        case(1, REFERENCE, [{"answer": "CPPD", "also": "pseudogout"}, {"answer": "rickets"}],
             settler={"answer": "CPPD"}, benchmark="films/open", item="o1"),
        case(2, REFERENCE, [{"answer": "CPPD"}, {"answer": "rickets"}], benchmark="films/open", item="o2"),
    ]  # fmt: skip
    file = tmp_path / "references" / "questions.jsonl"
    file.parent.mkdir()
    assert write_references(out, None, summarise_review(cases, REFERENCE), file) == 2
    loaded = folder.load(file.parent)
    assert [(item.id, item.kind, item.question, item.category) for item in loaded] == [
        ("o0", "open", "Finding 0?", "chest"),
        ("o1", "open", "Finding 1?", "chest"),
    ]
    assert loaded.items[0].references == ("Gout.", "gouty arthritis", "podagra")
    assert loaded.items[1].references == ("CPPD", "pseudogout")
    assert [set(np.unique(item.images[0].pixels().tolist())) for item in loaded] == [{20}, {25}]


def test_ratings_choose_the_items_of_visual_necessity(out, tmp_path):
    """Items whose median is 3 are listed, and the test reads the list: S0.2 by clinicians' ratings."""

    def rating(*levels):
        return [{field.name: str(level) for field in PROFILE.fields} for level in levels]

    levels = [(3, 3, 2), (3, 2, 2), (1, 3, 3), (3, 3, 3), (1, 1, 3), (2, 2, 2)]
    cases = [case(at, PROFILE, rating(*each), item=f"c{at}", arm="", model="") for at, each in enumerate(levels)]
    half_read = case(9, PROFILE, rating(3), item="c9", arm="", model="")._replace(wanted=3)
    done = summarise_review([*cases, half_read], PROFILE)
    for name in ("needed.txt", "needed.json", "needed.jsonl", "needed.csv"):
        assert write_subset(done, tmp_path / name) == 3
        kept = Subset(items=str(tmp_path / name)).select_items(benchmark().items).kept
        assert [item.id for item, chosen in zip(benchmark(), kept, strict=True) if chosen] == ["c0", "c2", "c3"]
    test = f"visual-necessity:items={tmp_path / 'needed.txt'}"
    Study(models=[FakeModel(answer, name=MODEL, revision="")], benchmarks=[benchmark()], tests=[test], out=out).ask(
        lambda progress: None
    )
    (finding,) = [each for each in rescore(out).findings if each.benchmark == "films"]
    (measure,) = [each for each in finding.measures if (each.name, each.arm) == ("accuracy", "image-removed")]
    assert measure.estimate.n == 3
    assert "the list needed" in measure.subset
    other = [case(20 + at, PROFILE, rating(1, 1, 1), item=f"c{at}", arm="", model="", benchmark="b") for at in range(2)]
    with pytest.raises(StudyError, match=r"Several benchmarks have an item 'c0'.* --benchmark"):
        write_subset(summarise_review([*cases, *other], PROFILE), tmp_path / "both.txt")
    assert write_subset(summarise_review([*cases, *other], PROFILE), tmp_path / "one.txt", "films") == 3
    with pytest.raises(StudyError, match="0 of 1 items have all their votes"):
        write_subset(summarise_review([half_read], PROFILE), tmp_path / "none.txt")
