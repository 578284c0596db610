"""Stored studies stay what they are: requests, conditions and every measure, to the digit.

`data/studies` has two stores, made by commit 652c843b (0.2.0) and by commit 81efa06e (0.3.0a1), of three studies each:

    MODELS="--model organism/mirage --model organism/positional --model organism/text-driven"
    snellen exam $MODELS --limit 20 --image-side 32 --tests standard --name standard --out OUT
    snellen exam $MODELS --limit 20 --image-side 32 --tests readiness --name readiness --out OUT
    snellen import rows.jsonl --from jsonl --new-condition with-history --name import --out OUT

`measures.csv.gz` has every measure of each store. What changes a rule on purpose makes it anew in a commit of its own:
`PYTHONPATH=src python tests/test_stored_studies.py` writes it, and prints the rows that it changed for the commit.
"""

import csv
import gzip
import io
import lzma
import math
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from functools import cache
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest

from snellen import Study
from snellen.cli.terminal import show_results
from snellen.errors import Inapplicable
from snellen.prompts.request import ask
from snellen.report.figures.standalone import Figures
from snellen.report.page import RenderedReport
from snellen.report.words.numbers import with_interval
from snellen.stats import Estimate
from snellen.store import Store
from snellen.store.files import FILE
from snellen.store.records import changed_fields
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.study import bring, publish

DATA = Path(__file__).parent / "data" / "studies"
MEASURES = DATA / "measures.csv.gz"
VERSIONS = ("0.2.0", "0.3.0a1")
STUDIES = ("standard", "readiness", "import")
DRAWN = [("0.2.0", "standard"), *(("0.3.0a1", study) for study in STUDIES)]
"""Studies whose pages are read: the measures of both versions are the same."""
NAMES = ("version", "study", "model", "benchmark", "test", "arm", "measure", "parser", "subset")
VALUES = ("value", "low", "high", "n", "p")


def unpack_store(version, folder):
    """Put a committed store into a folder, with the present schema."""
    (folder / FILE).write_bytes(lzma.decompress((DATA / f"{version}.sqlite.xz").read_bytes()))
    Store.open(folder, write=True).close()
    return folder


@pytest.fixture(scope="module", params=VERSIONS)
def version(request):
    """The version that made a store."""
    return request.param


@pytest.fixture(scope="module")
def out(version, tmp_path_factory):
    """A folder with the store of a version."""
    return unpack_store(version, tmp_path_factory.mktemp("stored"))


def as_json(value):
    """A value as it is read from a file."""
    return orjson.loads(orjson.dumps(value))


@pytest.fixture(scope="module")
def published(out, version):
    """The results of the stored studies by name, with tables and, of some, the page; each is scored once."""

    def publish_study(study):
        with pytest.MonkeyPatch.context() as patch:
            if (version, study) not in DRAWN:
                patch.setattr(
                    "snellen.report.page.render_page", lambda results, store: RenderedReport("", Figures(), {})
                )
            return publish(out, study=study)

    return cache(publish_study)


def measure_study(results, version, study):
    """Every measure of a study, by its names."""
    rows = orjson.loads((results.folder / "results.json").read_bytes())["results"]
    found = {(version, study, *(row[name] for name in NAMES[2:])): tuple(row[name] for name in VALUES) for row in rows}
    assert len(found) == len(rows)
    return found


def read_measures():
    """The measures as committed."""
    with gzip.open(MEASURES, "rt", encoding="utf-8", newline="") as file:
        return {
            tuple(row[name] for name in NAMES): tuple(float(row[name]) if row[name] else None for name in VALUES)
            for row in csv.DictReader(file)
        }


def find_changed(expected, actual):
    """The rows that are gone or have other values; new rows are not among them."""
    return {
        names: (values, actual.get(names))
        for names, values in expected.items()
        if names not in actual or not all(map(is_same, values, actual[names]))
    }


def is_same(one, other):
    """Whether two values are equal but for the last digits."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("study", STUDIES)
def test_every_measure_is_as_committed(published, version, study):
    """In both stores; measures that are new are allowed."""
    expected = {names: values for names, values in read_measures().items() if names[:2] == (version, study)}
    assert len(expected) > 400
    assert find_changed(expected, measure_study(published(study), version, study)) == {}


@pytest.fixture(scope="module")
def asked(out):
    """The stored arms of a suite by name, and today's plan of it."""

    def read(suite):
        models = [f"organism/{name}" for name in ("mirage", "positional", "text-driven")]
        plan = Study(models=models, limit=20, image_side=32, tests=[suite], out=out).plan()
        with Store.open(out) as store:
            stored = store.studies.record(suite)["arms"][plan.benchmarks[0].name]
        return stored, plan

    return read


@pytest.mark.parametrize("suite", ["standard", "readiness"])
def test_every_stored_arm_is_asked_under_its_digest(asked, suite):
    """So no stored response is asked for again; a suite may ask for more."""
    stored, plan = asked(suite)
    [benchmark] = plan.benchmarks
    digests = {arm.name: arm.digest(benchmark.digest, plan.seed) for arm in plan.arms_of(benchmark)}
    assert len(stored) >= 5
    assert {name: digests.get(name) for name in stored} == stored


@pytest.mark.parametrize("suite", ["standard", "readiness"])
def test_every_stored_request_is_made_again(out, asked, suite):
    """The same draws and changes, and with the images as they were sent the same keys."""
    stored, plan = asked(suite)
    [benchmark] = plan.benchmarks
    pool, keys = plan.pool_of(benchmark), 0
    arms = {arm.name: arm for arm in plan.arms_of(benchmark)}
    with Store.open(out) as store, closing(sqlite3.connect(out / FILE)) as connection:
        for name, digest in stored.items():
            number, record = store.studies.arm(digest)
            assert record == as_json(arms[name].record(plan.seed))
            for ordinal, inapplicable, drawn in connection.execute(VARIANTS, (number,)):
                item = benchmark.items[ordinal]
                if inapplicable:
                    with pytest.raises(Inapplicable):
                        arms[name].vary(item, seed=plan.seed, pool=pool)
                    continue
                # Who lends an image is decided anew since 0.3.0, but what was drawn before is shown again.
                lent = store.variants.lent_images(number).get(ordinal)
                variant, sent = (
                    arms[name].vary(item, seed=plan.seed, pool=pool, drawn=lent),
                    store.variants.load_items(number, [ordinal])[ordinal],
                )
                assert as_json(variant.drawn) == orjson.loads(drawn)
                assert as_json(changed_fields(item, variant.item)) == sent.changed
                request = make_request(variant.item, arms[name], sent.images)
                for *address, key in connection.execute(KEYS, (number, ordinal)):
                    assert request.address_to(*address).key == key
                    keys += 1
    assert keys > 250


VARIANTS = "SELECT ordinal, inapplicable, drawn FROM variants WHERE arm = ?"
KEYS = """
SELECT name, revision, replicate, key FROM trials
JOIN models ON models.id = trials.model JOIN responses ON responses.id = response WHERE arm = ? AND ordinal = ?
"""


def make_request(item, arm, sent):
    """The request that an arm makes of an item, with the images that were sent: another codec has other bytes."""
    hashes = iter(sent)
    request = ask(
        item,
        prompt=arm.prompt,
        settings=arm.settings,
        encode=lambda image: SimpleNamespace(sha256=next(hashes)),
    )
    assert next(hashes, None) is None
    return request


def test_an_import_is_stored_as_before(out, tmp_path):
    """The same arms, words and keys of responses."""
    (tmp_path / "rows.jsonl").write_bytes(gzip.decompress((DATA / "rows.jsonl.gz").read_bytes()))
    bring([tmp_path / "rows.jsonl"], tmp_path, new_conditions=["with-history"])
    before, now = (read_imported(folder) for folder in (out, tmp_path))
    assert len(before) == 480
    assert now == before


def read_imported(folder):
    """Every response of the imported models, with its arm and its key."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return sorted(connection.execute(IMPORTED))


IMPORTED = """
SELECT models.name, arms.name, digest, record, trials.ordinal, replicate, changed, variants.text, responses.text, key
FROM trials JOIN arms ON arms.id = trials.arm JOIN models ON models.id = model JOIN responses ON responses.id = response
JOIN variants ON variants.arm = trials.arm AND variants.ordinal = trials.ordinal WHERE models.name LIKE 'made/%'
"""


@pytest.mark.parametrize(("version", "study"), DRAWN, indirect=["version"], scope="module")
def test_every_verdict_is_one_object(published, study, capsys):
    """It has a reason and numbers; results.json, results.csv, report and terminal show the same of it."""
    results = published(study)
    verdicts = orjson.loads((results.folder / "results.json").read_bytes())["verdicts"]
    with (results.folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = {
            tuple(row[name] for name in NAMES[2:7]): row for row in [*csv.DictReader(file)][::-1] if not row["subset"]
        }
    for verdict in verdicts:
        assert verdict["reason"] not in ("", "pass", "fail", "not-decided"), verdict
        assert bool(verdict["numbers"]) >= (verdict["measure"] is not None), verdict
        named = tuple(verdict[name] for name in NAMES[2:7])
        if (number := verdict["numbers"].get(verdict["measure"])) and named in rows and "value" in number:
            assert number["value"] == float(rows[named]["value"])
    shown = Counter((each["model"], each["status"]) for each in verdicts if not stress_test(each["test"]).scores)
    page = (results.folder / "report.html").read_text(encoding="utf-8")
    board = page[page.index('id="verdicts"') : page.index('id="account"')]
    status = r'<div><span class="status [^>]*>(?:<span class="mark".*?</span>)?(.*?)<'
    cells = re.findall(rf'data-label="([^"]*)"[^>]*>{status}', board)
    by_words = {each.words: each.value for each in Status}
    assert Counter((model, by_words[words]) for model, words in cells) == shown
    show_results(results, verbose=True)
    words = "|".join(each.words if each is Status.REPORTED else each.words.upper() for each in Status)
    printed = re.findall(rf"^  (?!accuracy ).*?\S  +({words})  ", capsys.readouterr().out, re.MULTILINE)
    statuses = (Status(each["status"]).words.lower() for each in verdicts)
    assert Counter(map(str.lower, printed)) == Counter(statuses)


@pytest.mark.parametrize(("version", "study"), DRAWN, indirect=["version"], scope="module")
def test_every_measure_is_on_the_page(published, study):
    """By its id in a table of its test, or in print in the chapter that holds the test; else it is listed as cut."""
    results = published(study)
    rows = orjson.loads((results.folder / "results.json").read_bytes())["results"]
    page = unescape((results.folder / "report.html").read_text(encoding="utf-8"))
    sections = dict.fromkeys((row["test"] for row in rows), "")
    for name, section in re.findall(r'<span class="name">([^<]*)</span></h\d>(.*?)(?=<section|\Z)', page, re.DOTALL):
        sections[name] = sections.get(name, "") + section
    lines = (Path(__file__).parents[1] / "docs/design/report.md").read_text(encoding="utf-8").splitlines()
    cut = {tuple(re.findall(r"`([^`]+)`", line)[:2]) for line in lines if line.startswith("| `")}
    missing = {
        (row["test"], row["measure"])
        for row in rows
        if (row["test"], row["measure"]) not in cut
        and f"<small>{row['measure']}</small>" not in sections[row["test"]]
        and write_number(row) not in page
    }
    assert missing == set()
    assert {measure for _, measure in cut} <= {row["measure"] for row in rows} or study == "import"


def write_number(row):
    """A number with its interval as the page prints it."""
    value, low, high = (math.nan if row[name] is None else row[name] for name in VALUES[:3])
    return with_interval(Estimate(value, low, high, row["n"], ""), row["kind"])


def write_measures():
    """Make the committed measures anew; print the rows that are gone or changed."""
    measured = {}
    for version in VERSIONS:
        with tempfile.TemporaryDirectory() as folder:
            unpack_store(version, Path(folder))
            for study in STUDIES:
                measured |= measure_study(publish(folder, study=study), version, study)
    for names, (before, now) in find_changed(read_measures() if MEASURES.exists() else {}, measured).items():
        print(*names, sep=" · ")
        print(f"  {before} → {now or 'gone'}")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerows([(*NAMES, *VALUES), *((*names, *values) for names, values in sorted(measured.items()))])
    MEASURES.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


if __name__ == "__main__":
    sys.exit(write_measures())
