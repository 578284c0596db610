"""Organisms that take the default exam on few phantoms."""

from __future__ import annotations

from contextlib import contextmanager

from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study

EXAM = "phantoms:items=60,leak=0.5"
STANDARD = ("image-needed", "blank-image", "image-used", "rationale", "option-order")
EVERY = (
    "blind", "memoriser", "pretender", "positional", "mirage", "random", "refuser", "grounded", "flagger", "rambler",
)  # fmt: skip


def ask_organisms(out, organisms, benchmarks=(EXAM,), tests=STANDARD, **settings):
    """Ask organisms what nobody has asked them yet in this folder; small images are stored and drawn in less time."""
    models = [f"organism/{name}" for name in organisms]
    chosen = None if benchmarks is None else list(benchmarks)
    study = Study(models=models, benchmarks=chosen, tests=list(tests), out=out, image_side=128, **settings)
    study.ask(lambda progress: None)


@contextmanager
def scored(out, organisms, *what, **settings):
    """The results of a study of organisms, with its store."""
    ask_organisms(out, organisms, *what, **settings)
    with Store.open(out) as store:
        yield score(store), store
