"""Rows that cannot be used are told with their reason, and no identifier in them is printed."""

import json

from snellen.benchmarks import load
from snellen.errors import BrokenRow
from snellen.tools.audit.audited import Audited, prepare_benchmark
from snellen.tools.audit.checks.unusable_rows import CHECK
from snellen.tools.audit.finding import Severity

ROW = {"question": "Effusion?", "options": ["Yes", "No"], "answer": "A"}


def test_each_kind_of_broken_row_is_a_finding(tmp_path):
    """Too many options, a key that is no option, an id twice and a line that is no JSON are four findings."""
    rows = [
        {**ROW, "id": "good"},
        {**ROW, "id": "good"},
        {**ROW, "id": "many", "options": [f"option {n}" for n in range(30)]},
        {**ROW, "id": "key", "answer": "Perhaps"},
    ]
    (tmp_path / "items.jsonl").write_text("\n".join([*map(json.dumps, rows), "{nonsense"]))
    checked = CHECK.look(prepare_benchmark(load(tmp_path, allow_broken=True)))
    found = {finding.items[0].item_id: finding for finding in checked.findings}
    assert {"good", "many", "key"} <= set(found)
    assert len(checked.findings) == 4
    assert checked.looked_at == 5
    assert found["good"].severity is found["key"].severity is Severity.HIGH
    assert "same id" in found["good"].sentence
    assert "26" in found["many"].sentence
    assert all(len(flagged.quote) <= 160 for finding in checked.findings for flagged in finding.items)
    assert CHECK.look(Audited("clean", ())).findings == ()


def test_an_identifier_in_a_broken_row_is_masked():
    """A row's id and reason may hold a patient's name; neither reaches the finding."""
    broken = (BrokenRow("items.jsonl, line 3", "row-3", "its answer 'Dr. Miller, MRN 12345678' is not an option"),)
    (finding,) = CHECK.look(Audited("b", (), broken=broken)).findings
    assert "Miller" not in repr(finding)
    assert "12345678" not in repr(finding)
