"""Studies: from names or from a file, planned before they are run."""

import asyncio

import pytest

from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.plan import total
from snellen.prompts import Settings
from snellen.study import Study
from strategies import items

MODEL = FakeModel(lambda request: "Answer: A")


def study(tmp_path, **settings):
    return Study(**{"models": [MODEL], "benchmarks": [Benchmark("b", items(8))], "out": tmp_path / "out", **settings})


def test_a_study_runs_and_publishes(tmp_path):
    """Run it, and the table, the record and the report lie in its folder."""
    results = study(tmp_path).run(lambda progress: None)
    assert str(results).count("\n") == 2
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        "report.html", "results.csv", "results.json", "responses.sqlite",
    }  # fmt: skip


def test_a_plan_counts_shared_requests_once(tmp_path):
    """Eight items, three arms, one of them shared by both tests."""
    planned = study(tmp_path).plan()
    counts = list(planned.counts())
    assert [(count.test, count.requests, count.shared) for count in counts] == [
        ("image-needed", 16, 0),
        ("option-order", 16, 8),
    ]
    assert total(counts) == 24
    assert str(planned).endswith("24 requests in all")
    assert not (tmp_path / "out").exists()


def test_a_plan_says_what_does_not_apply(tmp_path):
    """Items without images are counted with the reason."""
    (count,) = (
        study(tmp_path, benchmarks=[Benchmark("b", items(4, images=False))], tests=["image-needed"]).plan().counts()
    )
    assert count.inapplicable == {"the item has no image to remove": 4}
    assert count.requests == 4


def test_a_study_comes_from_a_file(tmp_path):
    """Everything in the file counts, and what is given beside it wins."""
    path = tmp_path / "study.toml"
    path.write_text('models = ["organism/blind"]\nseed = 3\nlimit = 7\n[settings]\ntemperature = 0.5\nmax_tokens = 9\n')
    read = Study.from_toml(path, seed=4, settings=Settings(temperature=0.0))
    assert (read.models, read.seed, read.limit) == (["organism/blind"], 4, 7)
    assert read.settings == Settings(temperature=0.0, max_tokens=9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sed = 3", "Did you mean 'seed'"),
        ("[settings]\ntemprature = 0", r"\[settings\].*Did you mean 'temperature'"),
        ("seed = ", "cannot be read"),
        ("xyzzy = 1", "There are: models"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path, text, message):
    """Unknown settings and broken files say what was expected."""
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(StudyError, match=message):
        Study.from_toml(path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"models": []}, "names no models"),
        ({"models": [MODEL, MODEL]}, "twice: fake/function"),
        ({"models": ["gpt-5"]}, "provider/model"),
        ({"epochs": 0}, "at least one epoch"),
        ({"limit": 0}, "at least one"),
        ({"prompt": "none"}, "no prompt 'none'"),
        ({"reader": "none"}, "no reader 'none'"),
        ({"max_connections": 0}, "at least one connection"),
        ({"benchmarks": ["phantoms:leek=1"]}, "cannot be loaded"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(tmp_path, settings, message):
    """Each wrong setting has its own words."""
    with pytest.raises(StudyError, match=message):
        study(tmp_path, **settings).plan()


def test_a_study_runs_in_a_notebook(tmp_path):
    """A loop that is running already does not matter."""

    async def cell():
        return study(tmp_path).run(lambda progress: None)

    assert len(asyncio.run(cell()).findings) == 2
