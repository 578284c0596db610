"""Two studies compared: question by question, mirrored when swapped, and nothing left out in silence."""

import csv
import json
import re
from collections import defaultdict
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.cli import cli
from snellen.conditions import IMAGE_REMOVED
from snellen.errors import RejectedError, StudyError
from snellen.items import Benchmark, Option
from snellen.models.fake import FakeModel
from snellen.scoring.pairing import ComparedStudy, shared_parsers
from snellen.scoring.responses import stored_responses
from snellen.scoring.results import score
from snellen.stats import Estimate, holm, paired_difference
from snellen.store import Store
from snellen.stress.base import Expectation, StressTest
from snellen.stress.verdicts.sentences import QUESTIONS
from snellen.study import Study, bring, compare, rescore
from snellen.tools.compare import FLIPS_SHOWN
from snellen.tools.compare.page import write_shares
from snellen.tools.compare.two_studies import ACCURACY, COLUMNS, ShareChange, TwoStudies, two_studies
from strategies import items, picture

SIGNS = "+-ox"
"""Right, wrong, cannot tell, refuses."""
MARKS = ("follows", "honest", "steady")


def quiet(progress):
    """Show nothing."""


def answering(signs, name="fake/m", without="-"):
    """A model that answers question i as its sign says; a string of signs for each run, and a sign without an image."""
    runs = [signs] if isinstance(signs, str) else signs

    def answer(request):
        number = int(request.text.split("picture ")[1].split()[0])
        sign = runs[request.replicate % len(runs)][number] if request.images else without
        if sign == "!":
            raise RejectedError("too hard")
        if sign in "ox":
            return {"o": "I cannot tell from this image.", "x": "I'm sorry, I can't provide medical advice."}[sign]
        wanted = f"finding {'abcde'[(number + (sign == '-')) % 5]}{number}"
        letter = next(line[0] for line in request.text.splitlines() if line.endswith(wanted))
        return f"Answer: {letter}"

    return FakeModel(answer, name=name)


def ran(out, signs, *, asked=None, clusters=0, name="fake/m", without="-", **more):
    """A folder with a study of one model on some questions, of as many patients as are said."""
    count = len(signs if isinstance(signs, str) else signs[0])
    asked = asked or [
        replace(item, cluster=f"p{at % clusters}" if clusters else "") for at, item in enumerate(items(count))
    ]
    usual = {"tests": "image-needed", "benchmarks": [Benchmark("b", tuple(asked))], "canary": False}
    Study(models=[answering(signs, name, without)], out=out, **{**usual, **more}).ask(quiet)
    return out


def written(found, flips=FLIPS_SHOWN):
    """All that is printed, in lines that are not broken."""
    return found.text(flips, width=1000)


def numbers(found):
    return {(row["benchmark1"], row["arm"], row["measure"]): row for row in found.rows()}


signs = st.integers(1, 9).flatmap(
    lambda n: st.tuples(*(st.lists(st.text(SIGNS, min_size=n, max_size=n), min_size=1, max_size=2) for _ in range(2)))
)


@given(runs=signs, clusters=st.integers(0, 3))
@settings(max_examples=4)
def test_laws(runs, clusters, tmp_path_factory):
    """With itself nothing differs; swapping mirrors; the numbers are those of responses paired by hand."""
    folder = tmp_path_factory.mktemp("laws")
    one, two = (
        ran(folder / which, signs, clusters=clusters, epochs=len(signs))
        for which, signs in zip("ab", runs, strict=True)
    )
    itself = compare(one, one)
    assert {(row["difference"], row["fell"], row["rose"]) for row in itself.rows()} == {(0.0, 0, 0)}
    assert list(itself.flips()) == []
    assert not any(each.changed for each in itself.verdicts)

    there, back = compare(one, two), compare(two, one)
    mirrored = numbers(back)
    assert numbers(there).keys() == mirrored.keys()
    for key, row in numbers(there).items():
        other = mirrored[key]
        assert (row["difference"], row["value1"]) == (-other["difference"], other["value2"])
        assert (row["low"], row["high"]) == pytest.approx((-other["high"], -other["low"]))
        assert (row["p"], row["p_adjusted"], row["n"]) == (other["p"], other["p_adjusted"], other["n"])
        assert (row["fell"], row["rose"]) == (other["rose"], other["fell"])
    assert [flip["item_id"] for flip in there.flips()] == [flip["item_id"] for flip in back.flips()]
    assert [(flip["response1"], flip["outcome1"]) for flip in there.flips()] == [
        (flip["response2"], flip["outcome2"]) for flip in back.flips()
    ]

    by_hand(numbers(there), one, two, len(runs[0][0]), clusters)


OUTCOMES = {"accuracy": "correct", "abstention_rate": "abstained", "refusal_rate": "refused"}


def by_hand(found, one, two, count, clusters):
    """Every difference from exported rows: means by question, then the paired difference over the questions."""
    ids = [item.id for item in items(count)]
    patients = [f"p{at % clusters}" if clusters else f"q{at}" for at in range(count)]
    for measure, outcome in OUTCOMES.items():
        ps = {}
        for arm in ("original", "image-removed"):
            means = []
            for folder in (one, two):
                marks = defaultdict(list)
                with Store.open(folder) as store:
                    for row in stored_responses(store):
                        if row["arm"] == arm:
                            marks[row["item_id"]].append(row["outcome"] == outcome)
                means.append([sum(marks[name]) / len(marks[name]) for name in ids])
            expected = paired_difference(*means, clusters=patients)
            row = found["b", arm, measure]
            assert (row["value1"], row["value2"]) == pytest.approx([sum(each) / count for each in means])
            assert [row[name] for name in ("difference", "low", "high", "n", "p")] == pytest.approx(
                [expected.value, expected.low, expected.high, expected.n, expected.p]
            )
            assert row["method"] == expected.method
            assert row["fell"] == sum(a > b for a, b in zip(*means, strict=True))
            assert row["rose"] == sum(a < b for a, b in zip(*means, strict=True))
            ps[arm] = expected.p
        adjusted = [found["b", arm, measure]["p_adjusted"] for arm in ps]
        assert adjusted == pytest.approx(holm(list(ps.values())).tolist())


def cells(line):
    """The cells of a line of a table."""
    return re.split(" {3,}", line.strip())


def test_a_difference_is_said_in_a_row(tmp_path):
    """Shares, difference, CI, p and what moved; higher only where the CI excludes 0; the marks of both below."""
    one = ran(tmp_path / "a", "+" * 10 + "-" * 20, name="fake/old")
    two = ran(tmp_path / "b", "-" + "+" * 29, name="fake/new")
    said = written(compare(one, two))
    expected = paired_difference([1] * 10 + [0] * 20, [0] + [1] * 29)
    low, high = (round(100 * end) for end in (expected.low, expected.high))
    lines = said.splitlines()
    assert "fake/old → fake/new on b: 30 questions are in both studies (of 30 and 30)." in lines
    at = next(at for at, line in enumerate(lines) if line.startswith(" accuracy with the image"))
    condition, first, second, difference, p, moved = cells(lines[at])
    assert (condition, p, moved) == ("accuracy with the image n 30", "< 0.001", "1 and 20")
    assert (first.split()[0], second.split()[0]) == ("33.3%", "96.7%")
    assert difference == f"+63.3 points (+{low} to +{high})"
    assert lines[at + 1].strip() == "higher"
    wide = round(100 * paired_difference([0] * 30, [0] * 30).high)
    without = next(cells(line) for line in lines if line.startswith(" accuracy without the image"))
    assert without[3:] == [f"0 points (−{wide} to +{wide})", "1", "0 and 0"]
    assert said.count("no difference shown") == 1
    assert "21 answers flipped, over all conditions: right in one study, not in the other. 5 of them" in said
    assert sum(line.startswith(" q0") for line in lines) == FLIPS_SHOWN
    assert "better" not in said
    assert " lower\n" in re.sub(" +", " ", written(compare(two, one)))
    marks = lines.index(next(line for line in lines if line.startswith("Marks: ")))
    asked = [cells(line)[0] for line in lines[marks + 3 : marks + 6]]
    assert asked == ["Follows the image?", "Honest without the image?", "Steady?"]
    assert cells(lines[marks + 5]) == ["Steady?", "not decided", "not decided", "same"]
    assert any(line.startswith(" image-needed") for line in lines[marks:])
    assert "inconclusive" not in said
    small = written(compare(ran(tmp_path / "c", "+--"), ran(tmp_path / "d", "+++")))
    assert "higher" not in small
    assert repr(compare(one, two)) == "<Two studies on 30 same questions under 2 conditions: 21 answers flipped>"


def test_less_is_better_without_the_image(tmp_path):
    """A lower accuracy without the image is said to be good, one with the image is not."""
    one, two = ran(tmp_path / "a", "+" * 30, without="+"), ran(tmp_path / "b", "-" * 30, without="-")
    said = written(compare(one, two))
    assert (said.count("lower"), said.count("lower; less is better here")) == (2, 1)
    assert said.index("accuracy without the image") < said.index("lower; less is better here")


def test_the_page_has_the_same_tables(tmp_path):
    """The headline says what changed; scores and marks stand on the first screen, flips and methods are folded."""
    one = ran(tmp_path / "a", "+" * 10 + "-" * 20, name="fake/old")
    two = ran(tmp_path / "b", "-" + "+" * 29, name="fake/new")
    found = compare(one, two)
    page = found.save_page(tmp_path / "x.html").read_text()
    assert "<h1>Accuracy 33.3% → 96.7% with the image: higher with new than with old.</h1>" in page
    first_screen, _, folded = page.partition('<details class="chapter"')
    [changed] = [each for each in found.verdicts if each.test in MARKS and each.changed]
    how = f"“{QUESTIONS[changed.test]}” {changed.first.words} → {changed.second.words}"
    assert f"{how}; 21 answers flipped between right and not right, over 2 conditions." in first_screen
    assert first_screen.index("Follows the image?") < first_screen.index("accuracy with the image")
    assert "First: fake/old (study-1" in first_screen
    for words in ("accuracy with the image", "+63.3 points (", "&lt; 0.001", "Follows the image?", "not decided"):
        assert words in first_screen
    assert folded.count('<tr><th scope="row">') >= 21
    assert "p is corrected for the conditions of a benchmark (Holm)." in folded
    with pytest.raises(StudyError, match=r"ends in \.html"):
        found.save_page(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (0.655, 0.995, ("65.5%", "99.5%", "+34.0 points")),
        (0.333, 0.967, ("33.3%", "96.7%", "+63.4 points")),
        (0.5, 0.4, ("50%", "40%", "−10 points")),
    ],
)
def test_a_difference_agrees_with_the_shares_beside_it(first, second, said):
    """All three have as many decimals as that needs."""
    one, two, by = (Estimate(each, 0, 1, 200, "x") for each in (first, second, second - first))
    assert write_shares(ShareChange(ACCURACY, one, two, by, 0, 0)) == said


@pytest.mark.parametrize(
    ("low", "high", "p", "family", "said"),
    [
        (0.01, 0.09, 0.02, 3, "higher in the second study"),
        (-0.09, -0.01, 0.02, 1, "lower in the second study"),
        (-0.01, 0.09, 0.001, 1, "no difference shown"),
        (0.0, 0.09, 0.001, 1, "no difference shown"),
        (
            0.01,
            0.09,
            0.2,
            4,
            "no difference shown: the CI excludes 0, but p is not below 0.05 after correction for 4 conditions",
        ),
    ],
)
def test_nothing_is_higher_unless_the_ci_excludes_0_and_p_is_small(low, high, p, family, said):
    """Both are asked of a difference."""
    shares = Estimate(0.5, 0.4, 0.6, 60, "wilson")
    found = Estimate((low + high) / 2, low, high, 60, "bonett-price", p)
    assert ShareChange(ACCURACY, shares, shares, found, 1, 4, p, family).conclusion == said


def test_flips_are_the_same_few_in_every_run_and_all_in_the_file(tmp_path):
    """The first are chosen by a hash of item and condition; the file has numbers, verdicts and every flip."""
    one, two = ran(tmp_path / "a", "+" * 12), ran(tmp_path / "b", "-o" * 6)
    found = compare(one, two)
    assert isinstance(found, TwoStudies)
    few = [flip["item_id"] for flip in found.flips()]
    assert len(few) == 12
    assert few != sorted(few)
    shorter = compare(ran(tmp_path / "c", "+" * 9), ran(tmp_path / "d", "-o" * 4 + "-"))
    assert [flip["item_id"] for flip in shorter.flips()] == [name for name in few if name < "q009"]
    assert written(found, 2).count(" q0") == 2
    assert written(found, 0).endswith("not in the other.")
    assert found.save(tmp_path / "x.csv") == len(list(found.rows())) + len(found.verdicts) + 12
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    flipped = [row for row in rows if row["row"] == "flip"]
    assert [row["item_id"] for row in flipped] == few
    assert {(row["outcome1"], row["outcome2"]) for row in flipped} == {("correct", "wrong"), ("correct", "abstained")}
    assert all(row["response1"] and row["response2"] and row["answer_text"] for row in flipped)
    verdicts = [(row["test"], row["verdict1"]) for row in rows if row["row"] == "verdict"]
    assert verdicts == [(each.test, each.first.value) for each in found.verdicts]
    assert [test for test, _ in verdicts] == [*MARKS, "image-needed"]
    assert ("image-needed", "reported") in verdicts
    with pytest.raises(StudyError, match=r"ends in \.csv"):
        found.save(tmp_path / "x.txt")


def test_questions_that_are_not_the_same_are_left_out_with_the_reason(tmp_path):
    """Other text, options, key or image, missing in one, or not answered in one: counted, never compared."""
    asked = list(items(12))
    changed = asked[1:]
    changed[0] = replace(changed[0], question="What does picture 1 show now?")
    changed[1] = replace(changed[1], options=(*changed[1].options, Option("none of these")))
    changed[2] = replace(changed[2], answer=0)
    changed[3] = replace(changed[3], images=(picture(99),))
    one = ran(tmp_path / "a", "+" * 12, asked=asked)
    two = ran(tmp_path / "b", "+" * 5 + "!" + "+" * 6, asked=changed)
    found = compare(one, two)
    assert (
        "7 questions are in both studies (of 12 and 11); left out: 1 only in the first study, 1 with another "
        "text, 1 with another list of options, 1 with another key, 1 with another image"
    ) in written(found)
    assert "with the image, left out: 1 without a response in the second study." in written(found)
    assert numbers(found)["b", "original", "accuracy"]["n"] == 6
    assert numbers(found)["b", "image-removed", "accuracy"]["n"] == 7


def test_what_a_condition_drew_in_another_way_is_left_out(tmp_path):
    """Another seed shuffles the options in another way."""
    one = ran(tmp_path / "a", "+" * 12, tests="option-order")
    two = ran(tmp_path / "b", "+" * 12, tests="option-order", seed=5)
    found = compare(one, two)
    compared = {each.arm: each for each in found.compared}
    assert compared["original"].left_out == {}
    assert compared["options-shuffled"].left_out["that the condition changed in another way"] > 6
    assert "The studies also differ in seed (0; 5), which may explain a difference." in written(found)


def test_patients_of_either_study_count_as_one(tmp_path):
    """Questions that one study gives to one patient are not independent, whatever the other says."""
    one = ran(tmp_path / "a", "+-" * 6)
    two = ran(tmp_path / "b", "-+" * 6, clusters=3)
    found = compare(one, two)
    assert numbers(found)["b", "original", "accuracy"]["method"] == "cluster-bonett-price"
    assert found.matched[0].places.left_out == {}


def test_models_are_paired_by_name_or_by_choice(tmp_path):
    """One and one whatever their names; of several, those of one name; else an error that names them."""
    several = Study(
        models=[answering("+" * 6, "fake/a"), answering("-" * 6, "fake/b")],
        benchmarks=[Benchmark("b", items(6))],
        tests="image-needed",
        out=tmp_path / "two",
        canary=False,
    )
    several.ask(quiet)
    other = ran(tmp_path / "one", "+" * 6, name="fake/c")
    with pytest.raises(StudyError, match=r"The first has fake/a, fake/b; the second has fake/c\. .*--model1 NAME"):
        compare(several.out, other)
    with pytest.raises(StudyError, match=r"no model 'fake/x' in the first study.*It has fake/a, fake/b"):
        compare(several.out, other, model1="fake/x")
    chosen = compare(several.out, other, model1="fake/b")
    assert {each.models for each in chosen.compared} == {("fake/b", "fake/c")}
    assert "Only in the first study and not compared: fake/a." in written(chosen)
    pairs = {each.models for each in compare(several.out, several.out).compared}
    assert pairs == {("fake/a", "fake/a"), ("fake/b", "fake/b")}
    within = compare(several.out, several.out, model1="fake/a", model2="fake/b")
    assert numbers(within)["b", "original", "accuracy"]["difference"] == -1


def test_nothing_to_pair_is_an_error_that_says_what_there_is(tmp_path):
    """Other benchmarks, other questions, other conditions."""
    one = ran(tmp_path / "a", "+" * 3)
    others = [replace(item, id=f"x{item.id}") for item in items(3)]
    said = r"(?s)No question can be compared.*3 only in the first.*models fake/m; benchmarks b"
    with pytest.raises(StudyError, match=said):
        compare(one, ran(tmp_path / "b", "+" * 3, asked=others))
    two = [Benchmark("c", items(3)), Benchmark("d", items(3))]
    said = r"(?s)The studies share no benchmark.*benchmarks c \(3 questions; conditions orig"
    with pytest.raises(StudyError, match=said):
        compare(one, ran(tmp_path / "c", "+" * 3, benchmarks=two))
    renamed = compare(one, ran(tmp_path / "d", "+" * 3, benchmarks=[Benchmark("e", items(3))]))
    assert renamed.compared[0].benchmarks == ("b", "e")
    with pytest.raises(StudyError, match=r"3 without a response in the second study"):
        compare(one, ran(tmp_path / "f", "!!!", without="!"))


def test_both_are_read_by_one_parser(tmp_path):
    """Where their own differ, one must be chosen; of several, each has its rows."""
    one, two = ran(tmp_path / "a", "+" * 6), ran(tmp_path / "b", "+" * 6, parser="double-brackets")
    with pytest.raises(
        StudyError, match=r"'lenient' reads the first study, and the parser 'double-brackets' reads.*--parser"
    ):
        compare(one, two)
    read_by = shared_parsers({"parser": "lenient"}, {"parser": "lenient"}, ["missing-image"])
    assert read_by == ("missing-image", "lenient")
    found = compare(one, two, parsers=["lenient", "double-brackets"])
    by_parser = {
        row["parser"]: row["value1"]
        for row in found.rows()
        if row["measure"] == "accuracy" and row["arm"] == "original"
    }
    assert by_parser == {"lenient": 1.0, "double-brackets": 0.0}
    described = [row for row in found.rows() if row["measure"] == "described_rate" and row["arm"] == "original"]
    assert [row["parser"] for row in described] == ["claims"]
    assert "read by double-brackets" in written(found)


def test_imported_studies_that_hold_no_images_are_compared_by_words(tmp_path):
    """Nobody says which image was sent, and that is said."""
    for name, right in (("a", "A"), ("b", "B")):
        same = {"model": "x/m", "benchmark": "b", "arm": "original", "options": ["this", "that"], "answer": "A"}
        rows = [
            {**same, "item_id": f"i{at}", "response": f"Answer: {right}", "question": f"What is {at}?"}
            for at in range(8)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows[: 8 if name == "a" else 7])))
        bring([tmp_path / f"{name}.jsonl"], tmp_path / name, format="jsonl")
    found = compare(tmp_path / "a", tmp_path / "b")
    assert (
        "7 questions are in both studies (of 8 and 7); left out: 1 only in the first study; for 7, the image "
        "sent is unknown, so only the text was matched"
    ) in written(found)
    assert "Both studies were imported: prompt, settings, seed, epochs, limit are not known" in written(found)
    assert "as the provider sets them" not in written(found)
    assert numbers(found)["b", "original", "accuracy"]["difference"] == -1
    assert "for 8, the image sent is unknown" in written(compare(tmp_path / "a", tmp_path / "a"))


def test_a_judge_that_settled_readings_of_one_study_alone_is_named(tmp_path):
    """Its readings count there, so a difference may be the judge's."""
    one, two = ran(tmp_path / "a", "+" * 6), ran(tmp_path / "b", "+" * 6)
    with Store.open(one) as first, Store.open(two) as second:
        results = score(second)
        judged = {
            key: replace(table, judge="fake/judge", settled={"original": {(0, 0): 1}})
            for key, table in results.tables.items()
        }
        settled = replace(results, readings={"lenient": judged})
        found = two_studies(ComparedStudy(first, score(first)), ComparedStudy(second, settled))
    assert (
        "Responses that the parser could not read for certain were read by different judges (no judge; fake/judge)."
        in written(found)
    )


def test_a_test_of_a_script_is_given_or_left_out_and_said(tmp_path):
    """The answers are compared all the same."""
    own = StressTest("own-removal", "Does it need the image?", (IMAGE_REMOVED,), Expectation.WORSE)
    one, two = (ran(tmp_path / name, "+" * 6, tests=["image-needed", own]) for name in "ab")
    left_out = compare(one, two)
    assert [each.test for each in left_out.verdicts] == [*MARKS, "image-needed"]
    assert "The first study: " in written(left_out)
    assert "own-removal" in written(left_out)
    assert [each.test for each in compare(one, two, tests=[own]).verdicts] == [*MARKS, "image-needed", "own-removal"]


@pytest.mark.parametrize(
    ("begins", "rules"),
    [('{"schema":2,"columns":[', 1), ('{\n  "schema": 2,\n  "rules": 1,', 1), ('{ "schema": 2, "rules": 12}', 12)],
)
def test_studies_judged_by_other_rules_are_named(tmp_path, begins, rules):
    """By `compare` and `gate`, in one sentence; what we write names these rules, and is not named."""
    one, two = (ran(tmp_path / name, "+" * 3) for name in "ab")
    rescore(one).save()
    (two / "results.json").write_text(begins)
    found = compare(one, two)
    note = f"results.json in {two} was judged by rules {rules}; these verdicts are by rules 2."
    assert [each for each in found.notes if "judged by rules" in each] == [note]
    shown = CliRunner().invoke(cli, ["gate", str(two), "--require", "accuracy>=0"], env={"COLUMNS": "400"})
    assert note in shown.output
    assert "judged by rules" not in CliRunner().invoke(cli, ["gate", str(one), "--require", "accuracy>=0"]).output


def test_images_that_may_not_have_arrived_stand_above_everything(tmp_path):
    """The first line says which study, and why."""
    blind = FakeModel(lambda request: "I don't see any image attached. Please upload it.", name="fake/blind")
    seen = ran(tmp_path / "a", "+" * 12)
    Study(models=[blind], benchmarks=[Benchmark("b", items(12))], tests="image-needed", out=tmp_path / "b").ask(quiet)
    said = written(compare(seen, tmp_path / "b"))
    assert said.startswith(
        "WARNING: fake/blind on b in the second study: images seem not to have reached the model. 12 of 12 responses"
    )
    assert any("withheld" in line and "changed" in line for line in said.splitlines())
    assert "WARNING" not in written(compare(seen, seen))


def test_questions_without_a_right_answer_have_no_accuracy(tmp_path):
    """Questions about images that were never sent: who describes, who says so."""
    folders = []
    for name, says in (("a", "The image shows a large effusion."), ("b", "I don't see an image.")):
        model = FakeModel(lambda request, says=says: says, name=f"fake/{name}")
        Study(models=[model], benchmarks=[], tests="mirage-rate", limit=6, out=tmp_path / name).ask(quiet)
        folders.append(tmp_path / name)
    found = compare(*folders)
    shares = {(row["measure"], row["difference"]) for row in found.rows()}
    assert {("describes_share", -1.0), ("abstention_rate", 1.0)} <= shares
    assert "accuracy" not in {measure for measure, _ in shares}
    assert "under no-image+bare" in written(found)
    assert list(found.flips()) == []


def test_hostile_names_and_responses_do_nothing(tmp_path):
    """Escapes are spelled out, no name begins a line of its own, markup stays text, formulas are inert in the file."""
    evil = "\x1b[31m[red]x\u202e\nWARNING: false"
    asked = [replace(item, id=f"=1+{at}{evil}") for at, item in enumerate(items(6))]
    speaks = FakeModel(lambda request: f"=2+2{evil} Answer: A", name=f"fake/{evil}")
    benchmark = Benchmark(f"b{evil}", tuple(asked))
    Study(models=[speaks], benchmarks=[benchmark], tests="image-needed", out=tmp_path / "b").ask(quiet)
    ran(tmp_path / "a", "+" * 6, benchmarks=[benchmark])
    found = compare(tmp_path / "a", tmp_path / "b")
    said = written(found)
    assert not {"\x1b", "\u202e", "\r"} & set(said)
    assert "\nWARNING" not in said
    assert "[red]x" in said
    found.save(tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        flipped = [row for row in csv.DictReader(file) if row["row"] == "flip"]
    assert flipped
    assert all(row["item_id"].startswith("'=1+") and row["response2"].startswith("'=2+2") for row in flipped)
