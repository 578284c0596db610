"""Run by a test in a process of its own: Inspect AI asks organisms by Snellen's tasks, solvers and scorers.

`python asking.py FOLDER` writes the logs.
"""

import sys
from pathlib import Path

from inspect_ai import Task, eval, eval_set, task  # noqa: A004
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import choice as their_choice
from inspect_ai.solver import multiple_choice

from snellen.benchmarks.phantoms import load
from snellen.models.client.provider import data_uri
from snellen.tools.inspect import TASKS, choice, removed, under

CONDITIONS = ("original", "image-removed,options-shuffled,degraded:noise,strong")
UNDER = ("image-removed", "image-blank:fill=black", "degraded:blur,strong", "image-shuffled")
MODELS = ("grounded", "blind")
QUIET = {"display": "none", "max_retries": 0, "log_realtime": False}


def sample(item, image):
    """A phantom's question as somebody else would write it."""
    words = ContentText(text=f"{item.context}\n\n{item.question}")
    return Sample(
        id=item.id,
        input=[ChatMessageUser(content=[words, ContentImage(image=image)] if image else [words])],
        choices=[option.text for option in item.options],
        target=item.letter,
    )


@task
def theirs(folder: str):
    """Somebody else's task: an image as a data URI, one as a file, and a question without any."""
    first, second, third, fourth = load(items=4, leak=0, seed=2)
    beside = Path(folder) / "beside.png"
    beside.write_bytes(second.images[0].encoded().data)
    uris = [data_uri(item.images[0].encoded()) for item in (first, third)]
    samples = [sample(first, uris[0]), sample(second, str(beside)), sample(third, uris[1]), sample(fourth, None)]
    return Task(MemoryDataset(samples, name="theirs"), solver=multiple_choice(), scorer=[their_choice(), choice()])


def main(folder):
    """Ask everything."""
    phantoms = TASKS["phantoms"]
    asked = [phantoms(items=4, leak=0.5, condition=condition) for condition in CONDITIONS]
    models = [f"openai-api/snellen/{name}" for name in MODELS]
    done, _ = eval_set(asked, model=models, log_dir=str(folder / "set"), temperature=0, retry_attempts=1, **QUIET)
    assert done
    single = {**QUIET, "model": models[0], "fail_on_error": False}
    conditions = [under("theirs", condition=condition, folder=str(folder)) for condition in UNDER]
    eval(conditions, log_dir=str(folder / "theirs"), **single)
    removing = removed("multiple_choice")
    eval(phantoms(items=3, leak=0), solver=removing, log_dir=str(folder / "cut"), max_tokens=3, **single)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
