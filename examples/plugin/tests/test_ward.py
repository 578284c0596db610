"""Each member keeps the contract of its family, and is found by its name once the package is installed."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import entry_points
from threading import Thread

import numpy as np
import pytest
from click.testing import CliRunner

from snellen import Benchmark, FunctionModel, Image, Item, Option, Study, audit_benchmark, load, open_model
from snellen.conditions import Pool, condition_named, vary
from snellen.imports import Given
from snellen.imports.importer import importer_named
from snellen.judging.qualify import qualify_judge
from snellen.reading import parser_named
from snellen.reading.reports.metrics import Pair, metric_named
from snellen.stress import stress_test
from snellen.testing import check_condition, check_dataset, check_model, check_parser, check_stress_test

REPLIES = ["Answer: B", "B, I think.", "Answer: Z", "You should see a doctor."]


@pytest.mark.parametrize("name", ["look-again", "screen-photo"])
def test_conditions(name):
    assert check_condition(condition_named(name), load("shades:items=4").items) == 4
    assert condition_named(f"options-shuffled+{name}").label == f"options-shuffled+{name}"


def test_a_photograph_has_8_bits_and_the_box_moves_along():
    image = Image(np.full((40, 60), 200, dtype=np.uint8))
    boxed = Item("1", "?", (Option("a"), Option("b")), 0, images=(image,), metadata={"box": [0.1, 0.2, 0.5, 0.9]})
    varied = vary(boxed, condition_named("screen-photo"), seed=0, pool=Pool((boxed,)))
    pixels = varied.item.images[0].pixels()
    assert (pixels.shape, pixels.dtype) == ((32, 48), np.uint8)
    assert pixels.max() == round(200 * varied.drawn["brightness"])
    assert varied.item.metadata["box"] == pytest.approx([0, 0.125, 0.5, 1])


@pytest.mark.parametrize("name", ["advises", "screen-photo", "second-look"])
def test_stress_tests(name):
    check_stress_test(stress_test(name), load("shades:items=4").items)


def test_parsers():
    check_parser(parser_named("last-words"), REPLIES, load("shades:items=2").items)
    check_parser(parser_named("advice"), REPLIES, load("mirage-questions").items[:2])


def test_the_benchmark():
    check_dataset(load("shades:items=8"), load("shades:items=8"))


class Server(BaseHTTPRequestHandler):
    """A server of the ward: it says how many images came."""

    def do_POST(self):
        """Answer a request."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = json.dumps({"says": f"{len(asked['images'])} images. Answer: A", "ended": "stop"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        """Print nothing."""


def test_models(monkeypatch):
    images = [Image(np.zeros((8, 8), np.uint8)).encoded()]
    check_model(open_model("cautious/yes"), images)
    with HTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("WARD_URL", f"http://127.0.0.1:{server.server_port}")
        said = check_model(open_model("ward-server/small"), images)
        server.shutdown()
    assert [each.text[:8] for each in said][:2] == ["0 images", "1 images"]


def test_the_metric():
    pairs = [Pair("Clear lungs.", "Clear."), Pair("", "Clear.")]
    assert metric_named("same-length").score(pairs).tolist() == pytest.approx([0.5, np.nan], nan_ok=True)


def test_the_importer(tmp_path):
    path = tmp_path / "answers.json"
    answer = {"model": "m", "id": "1", "question": "?", "options": ["yes", "no"], "key": "no", "said": "Answer: B"}
    path.write_text(json.dumps({"ward": 1, "answers": [answer]}))
    importer = importer_named("ward")
    assert importer.recognises(path)
    [read] = importer.read(path, Given())
    assert (read.model, read.item.answer, read.response.text) == ("m", 1, "Answer: B")


def test_the_check():
    items = [Item(each, each, (Option("a"), Option("b")), 0) for each in ("IS IT?", "Is it?")]
    [finding] = audit_benchmark(Benchmark("b", tuple(items)), checks=["capitals"]).findings
    assert [each.item_id for each in finding.items] == ["IS IT?"]


def test_the_judges_question():
    rows = [{"response": said, "label": label} for said, label in (("Please sit.", "Polite"), ("Sit.", "rude"))]
    judge = FunctionModel(lambda request: "Polite" if "Please" in request.text else "RUDE", name="fake/judge")
    assert qualify_judge(rows, judge, question="politeness", watch=lambda progress: None).agreement.value == 1


def test_a_study_of_the_wards_protocol(tmp_path):
    """The chapters stand on its page, with a figure as SVG and CSV; the command reads its files."""
    out = tmp_path / "out"
    study = Study(models=["cautious/yes"], benchmarks=["shades:items=8"], tests=["ward:strict=true"], out=out)
    results = study.run(lambda progress: None)
    assert {each.test.name for each in results.findings} == {"image-needed", "second-look", "screen-photo"}
    page = (out / "report.html").read_text()
    assert 'id="ward-round"' in page
    assert 'id="second-look"' in page
    assert "could not be drawn" not in page
    assert (out / "figures" / "second-look-kept-rate.svg").is_file()
    assert "kept_rate" in (out / "figures" / "second-look-kept-rate.csv").read_text()
    [command] = entry_points(group="snellen.commands", name="count-verdicts")
    verdicts = json.loads((out / "results.json").read_text())["verdicts"]
    assert CliRunner().invoke(command.load(), [str(out)]).output == f"{len(verdicts)} verdicts\n"
