"""A benchmark of your own: items in, Benchmark out. (A folder with items.jsonl and images needs no code at all.)

As a plug-in, name the function in your package's pyproject.toml and use it as `--benchmark shades:items=40`:

    [project.entry-points."snellen.datasets"]
    shades = "own_dataset:load"
"""

import numpy as np

from snellen import Benchmark, Image, Item, Option, Study

SHADES = ("Black", "Dark grey", "Light grey", "White")


def load(*, items: int = 40, allow_broken: bool = False) -> Benchmark:
    """Plain grey squares: which shade is it?"""
    options = tuple(Option(shade) for shade in SHADES)
    made = []
    for number in range(items):
        answer = number % len(SHADES)
        pixels = np.full((32, 32), 85 * answer, dtype=np.uint8)
        image = Image(pixels)
        made.append(
            Item(id=f"shades/{number}", question="Which shade is it?", options=options, answer=answer, images=(image,))
        )
    return Benchmark("shades", tuple(made))


if __name__ == "__main__":
    study = Study(models=["organism/random"], benchmarks=[load()], out="exam-own-dataset")
    print(study.run())
