"""Where results come from: the version that a server reports is on the page and in the file."""

import json

from snellen.items import Benchmark
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.study import Study, publish
from strategies import items


def test_the_version_that_a_server_reports_is_shown(tmp_path):
    """Every name that came with responses; if there is none, and no revision, the page says so."""

    def answering(version):
        return lambda request: Response("Answer: B", served_by=version, sent=tuple(map(receipt, request.images)))

    models = [
        FakeModel(answering("gpt-4o-2024-08-06"), name="fake/dated", revision=""),
        FakeModel(answering(""), name="fake/plain", revision=""),
    ]
    Study(models=models, benchmarks=[Benchmark("b", items(6))], tests=["image-needed"], out=tmp_path).run()
    folder = publish(tmp_path).folder
    reported = json.loads((folder / "results.json").read_text())["reported_as"]
    assert reported == {"fake/dated": ["gpt-4o-2024-08-06"], "fake/plain": []}
    page = (folder / "report.html").read_text()
    assert "fake/dated, reported by its server as <code>gpt-4o-2024-08-06</code></dd>" in page
    assert "fake/plain (neither you nor its server named a version)</dd>" in page
