"""The agreement of the parser `missing-image` that reports quote is the one that the script measures."""

import json
import runpy
from importlib.resources import files
from pathlib import Path

HERE = Path(__file__).parent


def test_the_agreement_that_the_report_quotes_is_no_better_than_what_is_measured():
    """It was measured before anybody had seen a row that was kept apart; since then rules were made from some."""
    measure = runpy.run_path(str(HERE / "measure.py"))["measured"]
    _, *shipped = json.loads(files("snellen.reading.missing_image").joinpath("agreement.json").read_text())
    found = measure()
    assert found == json.loads((HERE / "measured.json").read_text())
    for now, then in zip(found, shipped, strict=True):
        assert (now["of"], now["n"]) == (then["of"], then["n"])
        assert now["kappa"][0] >= then["kappa"][0]
        assert now["flagged_kappa"][0] >= then["flagged_kappa"][0]
    assert [each["n"] for each in shipped] == [219, 220]
