"""Review: clinicians judge responses and rate questions in a browser, without knowing which model answered.

`tasks` define the questions to raters. `drawing` draws cases from a study. `ballots` store cases, raters and votes.
`server` shows each rater one `BlindCase` after another. `results` compute agreement, settled labels and profiles.
`returning` stores them in the study, where the report uses them.
"""

__all__ = ["ballots", "demo", "drawing", "exchange", "questions", "results", "returning", "server", "stopping", "tasks"]
