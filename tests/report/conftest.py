"""A small study that was asked, stored and scored, and a reader of the page it makes."""

from __future__ import annotations

import json
from base64 import b64decode
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from organisms import EVERY, ask_organisms
from scans import ask as ask_about_scans
from snellen import report
from snellen.asking.plan import Plan
from snellen.asking.run import run
from snellen.benchmarks import load
from snellen.images import Image, encode
from snellen.imports.importing import import_answers, sources
from snellen.items import Benchmark, Item, Option
from snellen.models import open_model
from snellen.models.fake import FakeModel
from snellen.papers import suite_named
from snellen.prompts import PROMPTS, Settings
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.scoring.resolving import study_record
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress import stress_test
from snellen.study import Study, bring, judge, publish

VOID = {"meta", "br", "input", "img", "link", "hr", "col"}


class Page(HTMLParser):
    """Every element of a page with its attributes and its own text, as a browser's parser would cut them."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.problems = []
        self._open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])
        if tag not in VOID:
            self._open.append((tag, len(self.elements) - 1))

    def handle_startendtag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        if not self._open or self._open[-1][0] != tag:
            self.problems.append((tag, self.getpos()))
            return
        self._open.pop()

    def handle_data(self, data):
        if self._open:
            self.elements[self._open[-1][1]][2] += data

    def all(self, tag):
        """The elements of that name, as attributes and text."""
        return [(attributes, text) for name, attributes, text in self.elements if name == tag]

    def ids(self):
        """All ids, in order."""
        return [attributes["id"] for _, attributes, _ in self.elements if "id" in attributes]


class Packed:
    """What a page holds for its browser of responses, unpacked; `rows` are its responses as one reads them there."""

    def __init__(self, text):
        packed = text.partition('id="responses">')[2].partition("</script>")[0]
        with ZipFile(BytesIO(b64decode(packed))) as archive:
            self.files = {name: archive.read(name) for name in archive.namelist()}
        self.record = record = json.loads(self.files["responses.json"])
        columns = record["responses"]
        self.rows = [
            self._row(dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)
        ]
        self.links = {group["anchor"] for group in record["groups"]} | {row["link"] for row in self.rows}

    def _row(self, row):
        record, item = self.record, self.record["items"][row["item"]]
        group = record["groups"][row["group"]]
        asked = item["asked"][str(group["condition"])]
        words = {name: asked.get(name, item[name]) for name in ("question", "context", "options", "answer")}
        texts = record["texts"]
        return {
            "link": f"reply-{group['anchor']}-{item['ordinal']}-{row['run']}",
            "id": item["id"],
            "model": record["models"][group["model"]],
            "benchmark": record["benchmarks"][group["benchmark"]],
            "condition": record["conditions"][group["condition"]]["name"],
            "kind": record["kinds"][row["kind"]]["name"],
            "rule": record["rules"][row["rule"]],
            "options": [texts[at] for at in words["options"]],
            "answer": words["answer"],
            "images": [record["images"][at] for at in asked.get("images", ())],
            "modes": [record["modes"][at] for at in row["modes"] or ()],
            **{name: texts[words[name]] for name in ("question", "context")},
            **{name: texts[row[name]] for name in ("text", "reasoning")},
            **{name: texts[asked[name]] if name in asked else None for name in ("prompt", "system")},
            **{name: row[name] for name in ("run", "moved", "choice", "quote", "judge")},
        }


def picture(shade):
    """A small grey picture."""
    return Image(encode(np.full((24, 32), shade, dtype=np.uint8)).data)


def a_question(number, **fields):
    """An item with three options, the right one moving along."""
    said = {
        "question": f"What does picture {number} show?",
        "options": tuple(Option(f"finding {number}{letter}") for letter in "xyz"),
        "answer": number % 3,
        "images": (picture(10 * number % 250),),
    }
    return Item(id=f"set/{number}", **(said | fields))


def answer(request):
    """A model with some of everything, by the number of the question."""
    number = sum(map(ord, request.text))
    if not request.images:
        return "I cannot see any image, so I cannot answer." if number % 2 else "Answer: A"
    return ("Answer: A", "Answer: B", "I'm sorry, but I can't provide medical advice.", "No idea what to say.")[
        number % 4
    ]


def ask_study(out, items=None, models=None, *, broken=(), tests=("image-needed", "option-order"), **more):
    """Ask, store and score a study; its results and its store, which stays open."""
    benchmark = Benchmark("bench", tuple(items or [a_question(number) for number in range(12)]), tuple(broken))
    members = models or (
        FakeModel(answer, name="fake/one"),
        FakeModel(lambda request: "Answer: B", name="fake/two"),
    )
    resolved = tuple(stress_test(test).design for test in tests)
    plan = Plan((benchmark,), tuple(members), resolved, PROMPTS["letter"], Settings(temperature=0), **more)
    store = Store.open(out, write=True)
    run(plan, store)
    store.studies.add(study_record(plan, store, {"created": "2026-07-01T09:30:00+00:00", "version": "0.1.0"}))
    return score(store), store


@pytest.fixture(scope="session")
def usual(tmp_path_factory):
    """Two models on twelve questions, the study of all tests that want no other."""
    results, store = ask_study(tmp_path_factory.mktemp("usual") / "exam")
    with store:
        yield results, store


@pytest.fixture(scope="session")
def usual_page(usual):
    """Where the page of that study lies."""
    return report.write(*usual)


@pytest.fixture(scope="session")
def usual_text(usual_page):
    """The page of that study."""
    return usual_page.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def examined(tmp_path_factory):
    """Where every organism took the default exam on fewer phantoms; a study of some of them is one more study there."""
    out = tmp_path_factory.mktemp("organisms")
    ask_organisms(out, EVERY)
    return out


@pytest.fixture(scope="session")
def exam_of_all(examined):
    """The results of all organisms, not by category, with their store."""
    with Store.open(examined) as store:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("snellen.scoring.results.findings_by_group", lambda tests, table: ())
            results = score(store)
        yield results, store


@pytest.fixture(scope="session")
def examined_alone(exam_of_all):
    """The results of some organisms as a study of them alone would have them, with the store."""
    results, store = exam_of_all

    def choose(*organisms):
        names = [f"organism/{name}" for name in organisms]
        place = {model: at for at, model in enumerate(names)}
        own = {
            name: tuple(sorted((each for each in getattr(results, name) if each.model in place),
                               key=lambda each: place[each.model]))
            for name in ("findings", "marks", "beside", "groups", "delivery")
        }  # fmt: skip
        readings = {
            parser: {(model, benchmark): tables[model, benchmark] for model in names for _, benchmark in tables
                     if (model, benchmark) in tables}
            for parser, tables in results.readings.items()
        }  # fmt: skip
        models = dict(results.study["models"])
        study = {**results.study, "models": [(model, models[model]) for model in names]}
        return replace(results, study=study, readings=readings, models_compared=(), **own), store

    return choose


@pytest.fixture(scope="session")
def stores():
    """The stores of studies; they stay open to the end."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture(scope="session")
def study(tmp_path_factory, stores):
    """Ask, store and score a study in a folder of its own."""

    def make(*what, **how):
        results, store = ask_study(tmp_path_factory.mktemp("study") / "exam", *what, **how)
        return results, stores.enter_context(store)

    return make


@pytest.fixture(scope="session")
def ready(tmp_path_factory):
    """Three organisms on two small sets of phantoms under the whole readiness protocol, asked and scored once."""
    suite = suite_named("readiness")
    plan = Plan(
        (load("phantoms:items=30,leak=0.5"), load("phantoms:items=10,seed=1")),
        tuple(open_model(f"organism/{name}") for name in ("grounded", "mirage", "refuser")),
        tuple(stress_test(test).design for test in suite.tests if test != "reports"),
        PROMPTS[suite.prompt],
        Settings(temperature=0),
        image_side=128,
    )
    with Store.open(tmp_path_factory.mktemp("ready") / "out", write=True) as store:
        run(plan, store)
        store.studies.add(study_record(plan, store, {"created": "2026-07-01T09:30:00+00:00", "version": "0.1.0"}))
        yield score(store, parsers=["lenient"]), store


@pytest.fixture(scope="session")
def ready_one(ready):
    """The readiness study of one model on one benchmark, for a page that is drawn and read in less time."""
    results, store = ready
    place = ("organism/grounded", "phantoms:items=30,leak=0.5")

    def of_it(found):
        return tuple(each for each in found if (each.model, each.benchmark) == place)

    readings = {parser: {place: tables[place]} for parser, tables in results.readings.items()}
    parts = {name: of_it(getattr(results, name)) for name in ("findings", "beside", "groups", "delivery")}
    benchmarks = {place[1]: results.benchmarks[place[1]]}
    return replace(results, benchmarks=benchmarks, readings=readings, over_all=(), **parts), store


@pytest.fixture(scope="session")
def ready_text(ready):
    """The page of the readiness study."""
    return report.write(*ready).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def ready_lookup(ready):
    """The numbers of the readiness study."""
    return Lookup(Evidence(*ready))


@pytest.fixture(scope="session")
def ready_rows(ready):
    """The rows of results.csv by model, benchmark, test, arm and measure."""
    keys = ("model", "benchmark", "test", "arm", "measure")
    return {tuple(row[key] for key in keys): row for row in ready[0].rows()}


@pytest.fixture(scope="session")
def mirage(tmp_path_factory):
    """Three organisms under the whole mirage protocol, on two small sets of phantoms, asked twice and scored once."""
    out = tmp_path_factory.mktemp("mirage") / "out"
    Study(
        models=[f"organism/{name}" for name in ("mirage", "grounded", "random")],
        benchmarks=("phantoms:items=16,leak=0.5", "phantoms:items=12,seed=1"),
        tests=("mirage:seeds=6",),
        limit=40,
        epochs=2,
        image_side=128,
        out=out,
    ).ask(lambda progress: None)
    with Store.open(out) as store:
        yield score(store), store


@pytest.fixture(scope="session")
def mirage_text(mirage):
    """The page of the mirage study."""
    return report.write(*mirage).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def mirages(tmp_path_factory, stores):
    """Ask functions as models, by their name, and score what they said."""

    def make(tests, judge_by=None, *, benchmarks=None, **models):
        asked = [FakeModel(function, name=f"fake/{model}") for model, function in models.items()]
        out = tmp_path_factory.mktemp("mirages")
        Study(models=asked, benchmarks=benchmarks, tests=tests, limit=40, out=out).ask(lambda progress: None)
        if judge_by is not None:
            judge(out, FakeModel(judge_by, name="fake/judge"), watch=lambda progress: None)
        store = stores.enter_context(Store.open(out))
        return score(store), store

    return make


@pytest.fixture(scope="session")
def degraded(tmp_path_factory):
    """Three models on scans one can count by hand, under artefacts of two strengths, by two prompts; scored once."""
    out = tmp_path_factory.mktemp("degraded") / "out"
    ask_about_scans(out)
    with Store.open(out) as store:
        yield score(store), store


@pytest.fixture(scope="session")
def degraded_text(degraded):
    """The page of that study."""
    return report.write(*degraded).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def degraded_lookup(degraded):
    """The numbers of that study."""
    return Lookup(Evidence(*degraded))


@pytest.fixture(scope="session")
def scanned(tmp_path_factory, stores):
    """Ask about scans in another way and score it."""

    def make(*asked, **settings):
        out = tmp_path_factory.mktemp("scanned")
        ask_about_scans(out, *asked, **settings)
        store = stores.enter_context(Store.open(out))
        return score(store), store

    return make


def a_reply(item, response, *, arm="original", replicate=0, **fields):
    """A row of the answers format."""
    said = {
        "model": "some/model",
        "benchmark": "brought",
        "item_id": f"it/{item}",
        "arm": arm,
        "replicate": replicate,
        "question": f"What does picture {item} show?",
        "options": ["Effusion", "Fracture", "Nodule"],
        "answer": "ABC"[item % 3],
        "response": response,
    }
    return said | fields


@pytest.fixture(scope="session")
def imported(tmp_path_factory, stores):
    """Import rows of answers into a folder of their own and score them."""

    def make(rows, new_conditions=(), **more):
        folder = tmp_path_factory.mktemp("imported")
        file, out = folder / "answers.jsonl", folder / "brought"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        about = {"created": "2026-07-01T09:30:00+00:00", **more}
        import_answers(sources([file], format="jsonl"), out, new_conditions=new_conditions, about=about)
        store = stores.enter_context(Store.open(out))
        return score(store), store

    return make


@pytest.fixture(scope="session")
def italian(tmp_path_factory):
    """The real replies of the Italian paper, imported, scored with what people score, and drawn."""
    file = Path(__file__).parents[2].parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
    if not file.is_file():
        pytest.skip("the replies of the Italian paper are not at hand (../shared/data/italian-medvqa)")
    out = tmp_path_factory.mktemp("italian") / "out"
    bring([file], out, format="jsonl", human="points=56.9")
    results = publish(out)
    with Store.open(out) as store:
        yield results, store


@pytest.fixture(scope="session")
def reply():
    """The maker of rows of the answers format."""
    return a_reply


@pytest.fixture(scope="session")
def parsed():
    """The parser of pages, each read once."""
    return lru_cache(maxsize=16)(Page)


@pytest.fixture(scope="session")
def packed():
    """The reader of what a page holds for its browser of responses."""
    return lru_cache(maxsize=16)(Packed)


@pytest.fixture(scope="session")
def astray(parsed, packed):
    """The links of a page that lead nowhere on it, neither to an id nor into its browser of responses."""

    def found(text):
        page = parsed(text)
        there = {*page.ids(), *packed(text).links}
        targets = [attributes["href"] for tag in ("a", "use") for attributes, _ in page.all(tag)]
        assert targets
        return [target for target in targets if target[0] != "#" or target[1:] not in there]

    return found


@pytest.fixture(scope="session")
def checked(parsed, astray):
    """The ids of a page, which is well formed, has no id twice, and whose links all lead somewhere on it."""

    def found(text):
        page = parsed(text)
        assert page.problems == []
        assert len(set(page.ids())) == len(page.ids())
        assert astray(text) == []
        return page.ids()

    return found


@pytest.fixture(scope="session")
def question():
    """The maker of questions."""
    return a_question
