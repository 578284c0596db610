"""An audit keeps what is still significant after correction for all that it tested, and what is certain."""

from snellen.errors import BrokenRow
from snellen.images import Image, Unreadable
from snellen.items import Benchmark, Item, Option
from snellen.tools.audit.audit import Audit, audit
from snellen.tools.audit.audited import Audited, groups_of, prepare_benchmark
from snellen.tools.audit.files import write
from snellen.tools.audit.finding import Checked, Finding, Severity

SIDES = (Option("Left"), Option("Right"))


def finding(check, p=None, severity=Severity.LOW):
    return Finding(check, severity, "Something is wrong.", "Mend it.", p=p)


def item(name, **fields):
    return Item(name, "Which side?", SIDES, 0, **fields)


def test_what_could_be_chance_is_corrected_for_all_that_was_tested():
    """Of two findings with p 0.03 neither stands; one with p 0.01 does, by its adjusted p, and a certain one."""
    both = (Checked("a", 1, (finding("a", 0.03),)), Checked("b", 1, (finding("b", 0.03),)))
    assert Audit(Audited("none", ()), both).findings == ()
    stands = Audit(Audited("none", ()), (*both, Checked("c", 1, (finding("c", 0.01), finding("c")))))
    assert [(each.check, each.p) for each in stands.findings] == [("c", 0.03), ("c", None)]
    assert stands.tested == 3


def test_the_worst_comes_first():
    """Findings are ordered by severity, and among equals as the checks are."""
    found = tuple(finding(name, severity=severity) for name, severity in (("a", Severity.LOW), ("b", Severity.HIGH)))
    done = Audit(
        Audited("none", ()), (Checked("x", 1, found), Checked("y", 1, (finding("c", severity=Severity.HIGH),)))
    )
    assert [each.check for each in done.findings] == ["b", "c", "a"]


def test_items_of_training_splits_are_set_apart():
    """Items that say they are for training are not those that are scored, unless all of them say so."""
    items = tuple(item(str(n), metadata={"split": split}) for n, split in enumerate(["Train", "test", ""]))
    parted = prepare_benchmark(Benchmark("b", items))
    assert [each.id for each in parted.items] == ["1", "2"]
    assert [each.id for each in parted.training] == ["0"]
    assert len(prepare_benchmark(Benchmark("b", items[:1])).items) == 1


def test_items_of_a_patient_or_an_image_are_one_group(tmp_path):
    """Items are together by patient or by image, also along a chain of both."""
    from snellen.images import Image

    film = Image(b"not read here")
    items = [
        item("1", cluster="a"),
        item("2", cluster="b", images=(film,)),
        item("3"),
        item("4", cluster="a", images=(film,)),
    ]
    assert groups_of(items).tolist() == [0, 0, 1, 0]


def test_checks_that_are_named_and_those_named_too_both_run_once():
    """`also` counts beside `names`, and a name given twice is one check."""
    done = audit(Audited("mine", (item("a"),)), ["identifiers", "identifiers"], also=["options-in-question"])
    assert [each.check for each in done.checked] == ["options-in-question", "identifiers"]


def test_too_few_items_are_no_check_that_found_nothing():
    """What cannot be said of one item is not said to have been looked at."""
    habits = ["super-guesser", "pruning", "answer-position", "option-length", "majority", "answer-given-away"]
    done = audit(Audited("mine", (item("a"),)), habits)
    assert all(each.looked_at == 0 and each.cannot for each in done.checked)


PATIENTS = tuple(
    Item(
        f"Smith_John-1970{1 + number % 9:02d}28-{number}",
        f"Mr. Smithson, MRN 12345678, has an effusion. Which is shown in view {number % 3}?",
        (Option("Effusion"), Option("Nodule"), Option("Mass of Dr. Millerton")),
        0,
        images=(Image(Unreadable(f"images/Smith_John_MRN12345678_{number}.png", "is not there")),),
        category="seen by Dr. Millerton",
    )
    for number in range(60)
)
ROW = BrokenRow("items.jsonl, line 1", "Smith_John-19700131", "Image images/Smith_John_MRN12345678_1.png is not there.")


def test_no_file_but_lists_tells_who_a_patient_is(tmp_path):
    """Ids, file names, parts of texts and cues are masked in all that a check says, not in one check alone."""
    done = audit(Audited("mine", PATIENTS, broken=(ROW,)))
    write(done, tmp_path, {"created": "2026-11-16"})
    found = {each.check for each in done.findings}
    assert found >= {"super-guesser", "answer-given-away", "identifiers", "unusable-rows", "majority"}
    for file in (*tmp_path.glob("*.csv"), *tmp_path.glob("audit.*")):
        text = file.read_text().casefold()
        assert not [each for each in ("smith", "12345678", "millerton", "-1970") if each in text], file.name
    assert (tmp_path / "answer-named.txt").read_text().startswith(PATIENTS[0].id)
