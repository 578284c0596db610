"""Run by a test in a process of its own: Inspect AI asks an organism about phantoms and writes its logs.

`python inspect_task.py FOLDER` writes the logs and, beside them, `read.json`: what Inspect itself reads in each.
"""

import hashlib
import json
import sys
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path
from random import Random

from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, GenerateConfig
from inspect_ai.scorer import choice
from inspect_ai.solver import generate, multiple_choice, system_message

from snellen.benchmarks.phantoms import load
from snellen.items import LETTERS

QUESTIONS = 8


@cache
def asked():
    """The questions, each with its picture as a data URI."""
    drawn = load(items=QUESTIONS, leak=0, seed=2)
    return [(item, f"data:image/png;base64,{b64encode(item.images[0].encoded().data).decode()}") for item in drawn]


def sample(item, uri, *, image=True, choices=True):
    """A phantom's question as an Inspect sample."""
    words = ContentText(text=f"{item.context}\n\n{item.question}")
    return Sample(
        id=item.id,
        input=[ChatMessageUser(content=[ContentImage(image=uri), words] if image else [words])],
        choices=[option.text for option in item.options] if choices else None,
        target=item.letter if choices else item.options[item.answer].text,
        metadata={"category": item.category, "cluster": item.cluster, "finding": item.metadata["finding"]},
    )


def dataset(**kinds):
    """The questions, each time anew: Inspect shuffles them in place."""
    return MemoryDataset([sample(item, uri, **kinds) for item, uri in asked()], name="phantoms")


def with_printed_choices():
    """The questions without choices of their own: their text prints them, from the last to the first."""
    plain = dataset(choices=False)
    for each, (item, _) in zip(plain, asked(), strict=True):
        turned = [option.text for option in reversed(item.options)]
        lines = "\n".join(f"{LETTERS[at]}. {text}" for at, text in enumerate(turned))
        each.input[0].content[1].text = f"{item.context}\n\n{item.question}\n{lines}\nAnswer with a letter."
        each.target = LETTERS[turned.index(item.options[item.answer].text)]
    return plain


def with_shuffled_choices():
    """The questions of a dataset that shuffles its choices when it is read."""
    shuffled = dataset()
    shuffled.shuffle_choices(seed=5)
    return shuffled


def with_a_broken_image():
    """The questions, the second with a picture that no server takes."""
    broken = dataset()
    broken[1].input[0].content[0].image = "data:image/png;base64,AAAA"
    return broken


def tasks():
    """Each way of asking, under the name its log gets."""
    letter = {"solver": multiple_choice(), "scorer": choice()}
    yield Task(dataset(), name="choices", **letter, epochs=2, config=GenerateConfig(temperature=0, max_tokens=300))
    yield Task(dataset(image=False), name="blindfolded", **letter, metadata={"arm": "image-removed"})
    yield Task(with_shuffled_choices(), name="shuffled_dataset", **letter)
    yield Task(dataset(), name="shuffled_by_solver", solver=multiple_choice(cot=True, shuffle=Random(3)))
    told = [system_message("You are a radiologist."), generate()]
    yield Task(dataset(choices=False), name="open", solver=told, config=GenerateConfig(max_tokens=3))
    yield Task(with_a_broken_image(), name="broken", **letter)
    yield Task(with_printed_choices(), name="printed", solver=generate())


def facts(logged):
    """A sample as Inspect reads it, its pictures by their hash."""
    given = [part.image for message in logged.input for part in message.content if part.type == "image"]
    calls = [event for event in logged.events if event.event == "model" and event.output.choices]
    return {
        "id": logged.id,
        "epoch": logged.epoch,
        "question": logged.input[-1].text,
        "choices": logged.choices,
        "target": logged.target,
        "images": [hashlib.sha256(b64decode(uri.partition(",")[2])).hexdigest() for uri in given],
        "system": [message.text for message in logged.messages if message.role == "system"],
        "output": logged.output.model_dump(mode="json"),
        "completion": logged.output.completion,
        "error": logged.error.message if logged.error else None,
        "sent": calls[-1].input[-1].text if calls else None,
        "said": calls[-1].output.completion if calls else None,
    }


def main(folder):
    """Ask everything, and read it back as Inspect does."""
    read = {}
    for log_format, wanted in (("eval", [*tasks()]), ("json", [next(tasks())])):
        logs = eval(
            wanted,
            model="openai/grounded",
            model_args={"responses_api": False},
            log_dir=str(folder),
            log_format=log_format,
            display="none",
            fail_on_error=False,
            max_retries=0,
            log_realtime=False,
        )
        for task, log in zip(wanted, logs, strict=True):
            kept = Path(log.location.removeprefix("file://")).rename(folder / f"{task.name}.{log_format}")
            whole = read_eval_log(str(kept), resolve_attachments=True)
            read[kept.name] = [facts(logged) for logged in whole.samples]
    (folder / "read.json").write_text(json.dumps(read))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
