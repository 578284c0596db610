"""How many Python calls a request takes on its way from the benchmark to the server and into the store."""

from models.recording import Answer, recording
from models.wires.openai import says
from snellen.items import Benchmark, Item, Option
from snellen.study import Study
from steps import count_calls

OPTIONS = tuple(map(Option, ("Cardiomegaly", "Effusion", "Nodule", "Normal", "Pneumothorax")))
MOST = 350


def calls_for(questions, out):
    """The calls of a run over so many questions, and how many responses came."""
    items = [Item(f"q{n}", f"Question {n}: what does it show?", OPTIONS, n % 5) for n in range(questions)]
    study = Study(
        models=["openai/m"], benchmarks=[Benchmark("b", tuple(items))], tests=["option-order"], out=out, canary=False
    )
    calls, progress = count_calls(lambda: study.ask(lambda progress: None))
    assert not progress.failed
    return calls, progress.done


def test_a_request_takes_few_calls(tmp_path, monkeypatch):
    """One more request of words alone takes at most 350 calls in all threads, those of asyncio and aiohttp included."""
    with recording(Answer(says("Answer: B"))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        calls_for(10, tmp_path / "first")  # what is loaded and compiled once
        few, many = calls_for(210, tmp_path / "few"), calls_for(360, tmp_path / "many")
    more = many[1] - few[1]
    assert more == 300
    assert (many[0] - few[0]) / more <= MOST
