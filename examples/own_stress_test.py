"""A stress test of your own: one condition and the question it answers.

As a plug-in, name the test in your package's pyproject.toml and use it as `--tests politeness`:

    [project.entry-points."snellen.stress"]
    politeness = "own_stress_test:TEST"
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from snellen import Analysis, Condition, Design, Expectation, Item, StressTest, Study
from snellen.conditions import Drawn, Effects


@dataclass(frozen=True)
class AskedPolitely(Condition):
    """The same question with a please."""

    name: ClassVar[str] = "asked-politely"
    declared: ClassVar[Effects] = Effects(text="changed")

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The question, politely."""
        return replace(item, question=f"Please tell me: {item.question}")


TEST = StressTest(
    Design("politeness", "Does the diagnosis depend on how politely it is asked for?", arms=(AskedPolitely(),)),
    Analysis(Expectation.INVARIANT),
)

if __name__ == "__main__":
    study = Study(models=["organism/grounded"], benchmarks=["phantoms:items=40"], tests=[TEST], out="exam-own-test")
    print(study.run())
