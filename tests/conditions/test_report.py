"""The report in place of the image."""

from dataclasses import replace

import pytest

from snellen.conditions import Pool, ReportForImage, vary
from snellen.errors import Inapplicable
from strategies import told_cases

CASE = told_cases()[0]


def reported(**fields):
    """The case under the condition."""
    item = replace(CASE, **fields)
    return vary(item, ReportForImage(), seed=0, pool=Pool([item])).item


def test_the_report_stands_after_the_context():
    """The image goes, the words stay; a case without a context begins with the report."""
    assert reported().context == f"{CASE.context}\n\nRadiology report:\nNormal brain."
    assert reported() == replace(CASE, images=(), context=reported().context)
    assert reported(context="", language="it-CH").context == "Referto radiologico:\nNormal brain."


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"images": (), "metadata": {"task": "knowledge", "report": "Normal."}}, "no image"),
        ({"metadata": {}}, "no radiology report"),
        ({"metadata": {"report": " \n"}}, "no radiology report"),
        ({"metadata": {"report": "Normal.", "task": "mismatch"}}, "contradicts its text"),
    ],
)
def test_without_an_image_or_its_report_it_has_no_meaning(fields, why):
    """The reason says what is missing."""
    with pytest.raises(Inapplicable, match=why):
        reported(**fields)
