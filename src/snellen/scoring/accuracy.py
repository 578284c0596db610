"""Accuracy: the one number that a model has on a benchmark, and the arm that it is of."""

from __future__ import annotations

from snellen.conditions import ORIGINAL
from snellen.prompts import asked_under
from snellen.scoring.every_look import at_every_look
from snellen.scoring.results import Results
from snellen.stats import Estimate
from snellen.stress.measures import of_arm


def measure_accuracy(results: Results, model: str, benchmark: str) -> Estimate | None:
    """The accuracy of a model on a benchmark: as asked, else under the first arm with responses.

    None for reports, for questions that a test brings, and if no response is graded.
    """
    table = results.tables.get((model, benchmark))
    brought = benchmark in {each.test.questions for each in results.findings}
    if table is None or table.kind == "report" or brought:
        return None
    measures = of_arm(find_first_arm(results, model, benchmark), table)
    found = next((each for each in measures if each.name == "accuracy"), None)
    if found is None:
        return None
    return (found if table.looked is None else at_every_look(found, table.largest)).estimate


def find_first_arm(results: Results, model: str, benchmark: str) -> str:
    """The arm with the original image, else the first one with responses."""
    table = results.tables.get((model, benchmark))
    if table is None:
        return ""
    arms = (asked_under(ORIGINAL.name, table.arms), *table.arms)
    seen = (part.arms for part in (table.with_images(), table))
    return next((each for part in seen for each in arms if len(part.get(each, ()))), "")
