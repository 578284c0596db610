"""Review: clinicians judge responses and rate questions in a browser, without knowing whose they are.

A task says what is asked (`tasks`), a plan which cases are drawn from a study (`drawing`), ballots keep cases, raters
and votes (`ballots`), the server shows each rater one `BlindCase` after another (`server`), and what they said becomes
agreement, settled labels, profiles and subsets (`results`), which the study's store and its report take up.
"""

__all__ = ["ballots", "demo", "drawing", "exchange", "questions", "results", "returning", "server", "stopping", "tasks"]
