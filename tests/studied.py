"""A study asked and scored, without the page and the tables that a run writes besides: drawing them takes longest."""

from dataclasses import replace

from snellen.study import rescore


def results_of(study, *, canary=False):
    """What comes of a study, for tests that read no file of it; no letters are shown but where a test is about them."""
    replace(study, canary=canary).ask(lambda progress: None)
    return rescore(study.out)
