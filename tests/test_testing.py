"""The families' contracts, over every member we ship."""

from pathlib import Path

import pytest

from snellen import datasets, stress
from snellen.datasets import folder
from snellen.errors import RejectedError
from snellen.items import Benchmark, Item, Option
from snellen.models import open_model
from snellen.models.base import Response
from snellen.models.fake import FakeModel
from snellen.models.organisms import ORGANISMS
from snellen.protocols import suites
from snellen.stress.base import Expectation, StressTest
from snellen.testing import check_dataset, check_model, check_stress_test
from strategies import findings, items, picture

VQA_RAD = Path(__file__).resolve().parents[2] / "shared" / "data" / "vqa-rad"


@pytest.mark.parametrize("organism", sorted(ORGANISMS))
def test_every_organism_keeps_the_contract_of_models(organism):
    """Each answers with and without an image and gives its receipts."""
    check_model(open_model(f"organism/{organism}"), [picture(100, 64).encoded()])


@pytest.mark.parametrize("name", sorted(stress.MEMBERS))
def test_every_stress_test_keeps_the_contract(name):
    """Each asks a question, applies to some items, and keeps the key to itself."""
    check_stress_test(stress.stress_test(name), [*items(4), *findings(), *datasets.load("phantoms:items=1")])


@pytest.mark.parametrize(
    "name", sorted({name for suite in suites().values() for name in suite().tests} - set(stress.MEMBERS))
)
def test_every_test_of_a_suite_keeps_the_contract(name):
    """With the settings that the suite gives it."""
    check_stress_test(stress.stress_test(name), findings())


def test_an_arm_that_never_applies_is_found_out():
    """A test whose condition has no meaning for any item fails."""
    with pytest.raises(AssertionError, match="applies to none of 3 items"):
        check_stress_test(stress.stress_test("visual-substitution"), items(3))


def test_the_phantoms_keep_the_contract_of_datasets():
    """Unique ids, whole images, the same twice."""
    check_dataset(datasets.load("phantoms:items=30"), datasets.load("phantoms:items=30"))


def test_folders_keep_the_contract_of_datasets(tmp_path):
    """A saved benchmark loads, twice the same."""
    folder.save(items(12), tmp_path / "mine")
    check_dataset(datasets.load(str(tmp_path / "mine")), datasets.load(str(tmp_path / "mine")))


@pytest.mark.skipif(not VQA_RAD.exists(), reason="the real VQA-RAD files are not at ../shared/data/vqa-rad")
def test_vqa_rad_keeps_the_contract_of_datasets():
    """The real files load, twice the same, with images that can be sent."""
    check_dataset(datasets.load(f"vqa-rad:{VQA_RAD}"), datasets.load(f"vqa-rad:{VQA_RAD}"))


def test_a_model_without_receipts_is_found_out():
    """An image that is not on the receipt fails the contract."""
    with pytest.raises(RejectedError, match="says that it sent 0"):
        check_model(FakeModel(lambda request: Response("Answer: A")), [picture().encoded()])


def test_a_dataset_that_changes_is_found_out():
    """Two loads that differ fail the contract, and so does an unusable item."""
    with pytest.raises(AssertionError, match="differently"):
        check_dataset(Benchmark("b", items(3)), Benchmark("b", items(4)))
    broken = Item(id="x", question="?", options=(Option("a"), Option("b")), answer=5)
    with pytest.raises(AssertionError, match="cannot be used"):
        check_dataset(Benchmark("b", (broken,)), Benchmark("b", (broken,)))


def test_a_test_that_asks_nothing_is_found_out():
    """A stress test must ask a question."""
    with pytest.raises(AssertionError, match="asks no question"):
        check_stress_test(StressTest("x", "No question.", (), Expectation.INVARIANT), items(2))
