"""A chapter on the page of every study."""

from collections import Counter
from collections.abc import Sequence

from snellen.report.chapter import Chapter
from snellen.report.components import Cell, Column, Part, Row, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.tests import ShownTest
from snellen.stress.base import Status


def build(evidence: Evidence, sections: Sequence[ShownTest], chosen: None) -> list[Part]:
    """How many tests each model passes."""
    findings = evidence.results.findings
    passed = Counter(each.model for each in findings if each.verdict.status is Status.PASS)
    models = dict.fromkeys(each.model for each in findings)
    rows = tuple(Row(Cell(model), (Cell(str(passed[model])),), model) for model in models)
    return [Table((Column("model"), Column("tests passed")), rows)]


CHAPTER = Chapter("ward-round", "The ward round", build)
