"""An audit keeps what is still significant after correction for all that it tested, and what is certain."""

from snellen.audit.audit import Audit
from snellen.audit.audited import Audited, audited, groups_of
from snellen.audit.finding import Checked, Finding, Severity
from snellen.items import Benchmark, Item, Option

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
    parted = audited(Benchmark("b", items))
    assert [each.id for each in parted.items] == ["1", "2"]
    assert [each.id for each in parted.training] == ["0"]
    assert len(audited(Benchmark("b", items[:1])).items) == 1


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
