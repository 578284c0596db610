"""The families' contracts, over every member we ship."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

from several_images import clips, views
from snellen import benchmarks, reading, stress
from snellen.benchmarks import folder
from snellen.images.regions import Box, Region
from snellen.items import WITHOUT_IMAGE, Benchmark, Item, Option
from snellen.models import open_model
from snellen.models.organisms import ORGANISMS
from snellen.papers import suites
from snellen.reading import parser_named
from snellen.reading.parsers import CHOICE, MISMATCHED, OPEN, PREMISED, REPORT
from snellen.testing import (
    check_condition,
    check_dataset,
    check_model,
    check_no_key,
    check_parser,
    check_stress_test,
)
from strategies import findings, items, picture

VQA_RAD = Path(__file__).resolve().parents[2] / "shared" / "data" / "vqa-rad"


LOOKING = ("flagger", "grounded", "nearsighted-2", "nearsighted-4", "nearsighted-8", "reader")
"""Organisms that look at the image of a question with options; it is the flaw of the others that they do not."""


@pytest.mark.parametrize("organism", sorted(ORGANISMS))
def test_every_organism_keeps_the_contract_of_models(organism):
    """Each answers with and without an image and gives its receipts; one that does not look is found out."""
    model = open_model(f"organism/{organism}")
    images = [picture(sorted(ORGANISMS).index(organism), 67).encoded()]  # its own: what was seen once is not read again
    check_model(model, images, ignores_images=organism not in LOOKING)
    if organism not in LOOKING:
        with pytest.raises(AssertionError, match="never read their bytes"):
            check_model(model, images)


OF_KIND = {
    "open": ("phantoms:task=pathway,items=14", "phantoms:task=premises,items=4"),
    "report": ("phantoms:task=report,items=4",),
}
"""The phantoms that tests ask of which the usual ones have none."""
PHANTOMS = "phantoms:items=8,modality=oct"
CHANGED = "phantoms:task=counterfactual,items=4"
OF_TEST = {
    "rests-on-finding": PHANTOMS, "label-swaps": PHANTOMS, "cues": PHANTOMS,
    "published-grounding": PHANTOMS,
    "finding-removed": CHANGED, "finding-moved": CHANGED,
}  # fmt: skip
"""The phantoms of tests that need images of one kind with marked findings, or with changed ones."""


@pytest.fixture(scope="module")
def checked_once():
    """What several tests ask is checked with the first of them; curves are drawn again fewer times."""
    known = {}

    def once(check, name_of):
        def check_once(asked, items, *how):
            key = (check.__name__, name_of(asked), tuple(item.id for item in items))
            return known[key] if key in known else known.setdefault(key, check(asked, items, *how))

        return check_once

    with pytest.MonkeyPatch.context() as patch:
        for check, name_of in ((check_condition, lambda condition: condition.label), (check_no_key, repr)):
            patch.setattr(f"snellen.testing.stress_tests.{check.__name__}", once(check, name_of))
        patch.setattr(import_module("snellen.stats.dose_response"), "RESAMPLES", 100)
        yield


@pytest.mark.usefixtures("checked_once")
@pytest.mark.parametrize(
    "name", sorted({*stress.MEMBERS, *(name for suite in suites().values() for name in suite().tests)})
)
def test_every_stress_test_keeps_the_contract(name):
    """Each asks a question, applies to some items, and keeps the key to itself, also with the settings of a suite."""
    test = stress.stress_test(name)
    if name in OF_TEST:
        check_stress_test(test, benchmarks.load(OF_TEST[name]))
        return
    lines = OF_KIND.get(test.item_kind, ())
    of_kind = [item for line in lines for item in benchmarks.load(line)]
    marked = tuple(Region(each, Box(at, at, at + 9, at + 9)) for at, each in ((2, "lung nodule"), (20, "effusion")))
    film, told = replace(picture(7, 60), regions=marked), {"finding": "lung nodule"}
    two = Item("two", "Write the report.", kind="report", answer="Lung nodule.", images=(film,), metadata=told)
    sided = Item("side", "Which lung is smaller?", (Option("Left"), Option("Right")), 0, images=(picture(7),))
    several = [*clips(2, frames=2), *views(1), sided, two]
    check_stress_test(test, [*items(2), *findings(3), *benchmarks.load("phantoms:items=1"), *of_kind, *several])


def test_an_arm_that_never_applies_is_found_out():
    """A test whose condition has no meaning for any item fails."""
    with pytest.raises(AssertionError, match="applies to none of 3 items"):
        check_stress_test(stress.stress_test("visual-substitution"), items(3))


def test_the_phantoms_keep_the_contract_of_datasets():
    """Unique ids, whole images, the same twice."""
    check_dataset(benchmarks.load("phantoms:items=30"), benchmarks.load("phantoms:items=30"))


def test_folders_keep_the_contract_of_datasets(tmp_path):
    """A saved benchmark loads, twice the same."""
    folder.save(items(12), tmp_path / "mine")
    check_dataset(benchmarks.load(str(tmp_path / "mine")), benchmarks.load(str(tmp_path / "mine")))


@pytest.mark.skipif(not VQA_RAD.exists(), reason="the real VQA-RAD files are not at ../shared/data/vqa-rad")
def test_vqa_rad_keeps_the_contract_of_datasets():
    """The real files load, twice the same, with images that can be sent."""
    check_dataset(benchmarks.load(f"vqa-rad:{VQA_RAD}"), benchmarks.load(f"vqa-rad:{VQA_RAD}"))


def test_a_dataset_that_changes_is_found_out():
    """Two loads that differ fail the contract, and so does an unusable item."""
    with pytest.raises(AssertionError, match="changes when it is loaded again"):
        check_dataset(Benchmark("b", items(3)), Benchmark("b", items(4)))
    broken = Item(id="x", question="?", options=(Option("a"), Option("b")), answer=5)
    with pytest.raises(AssertionError, match="cannot be used"):
        check_dataset(Benchmark("b", (broken,)), Benchmark("b", (broken,)))


SIDES = (Option("left"), Option("right"), Option("unknown", abstains=True))
HEALTH = (Option("brain tumor"), Option("normal"))
ASKED = {
    WITHOUT_IMAGE: [
        Item(id="o/1", question="What does this X-ray show?", kind="open"),
        Item(id="o/2", question="Put the diagnosis in <diagnosis> tags.", kind="open"),
    ],
    OPEN: [
        Item(id="o/3", question="Which side is it on?", kind="open", answer="left"),
        Item(id="o/4", question="What is it?", kind="open", answer="1", metadata={"answers": ["brain tumor", "5 cm"]}),
    ],
}
ASKED[MISMATCHED] = ASKED[WITHOUT_IMAGE]
TAKEN_FOR_GRANTED = {"premise": {"claims": "a pleural effusion", "holds": False}}
ASKED[PREMISED] = [Item(id="p/1", question="How large is it?", kind="open", answer="", metadata=TAKEN_FOR_GRANTED)]
WITH_OPTIONS = [
    Item(id="c/1", question="Which side is it on?", options=SIDES, answer=0),
    Item(id="c/2", question="Tumor or normal?", options=HEALTH, answer=1, metadata={"normal": "normal"}),
]
PIECES = (
    "A", "[[B]]", "<answer>C</answer>", "\\boxed{A}", "c/1, B", "The answer is", "not", "normal", "brain tumor", "left",
    "I cannot see", "the image", "is blurred", "There is a mass.", "Please upload it.", "Therefore", "<diagnosis>nevus",
    "</diagnosis>", "<think>", "</think>", "\n", "I'm sorry, but I can't help.", "It may be", "No.", "?", "Conclusion:",
)  # fmt: skip


def draw_texts(seed):
    """Pieces in any order, and characters of any script."""
    drawn = Random(seed)
    joined = [" ".join(drawn.choices(PIECES, k=drawn.randint(1, 12))) for _ in range(8)]
    signs = [range(1, drawn.choice((0x80, 0x400, 0xD800))) for _ in range(4)]
    return [*joined, *("".join(map(chr, drawn.choices(each, k=drawn.randint(1, 120)))) for each in signs)]


@pytest.mark.parametrize("name", sorted(reading.MEMBERS))
def test_every_parser_keeps_the_contract(name):
    """Any text is read, twice the same, by a rule with words, whatever the answer key says."""
    parser = parser_named(name)
    reports = benchmarks.load(OF_KIND["report"][0]).items
    others = (WITH_OPTIONS[1], *(first for first, *_ in ASKED.values()), reports[0])
    items = {CHOICE: WITH_OPTIONS, REPORT: reports[:2], **ASKED}.get(parser.kind, others)
    check_parser(parser, draw_texts(name), filter(parser.takes, items))
