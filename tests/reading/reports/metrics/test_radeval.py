"""The door to RadEval, with a package of that name that a test writes and the same Python that runs the tests."""

import json
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from rows import take_rows
from snellen.errors import MetricError
from snellen.reading.reports.metrics import Pair, metric_named, radeval
from snellen.reading.reports.metrics.radeval import OFFERED, Environment, in_environment, lacks, scores

PAIRS = [Pair("No effusion.", "No effusion."), Pair("", "Clear."), Pair("Edema.", "No edema.")]


@pytest.fixture
def environment(tmp_path):
    """A function that makes a Python which finds a package `radeval` with the given source, and its metadata."""

    def made(source, *, fetch=False, hub=""):
        site = tmp_path / "site"
        site.mkdir()
        (site / "huggingface_hub.py").write_text(dedent(hub) or "def try_to_load_from_cache(*a, **k): return 'there'")
        (site / "appdirs.py").write_text("def user_cache_dir(name): return name")
        if source:
            (site / "radeval.py").write_text(dedent(source))
            (site / "radeval-2.2.1.dist-info").mkdir()
            (site / "radeval-2.2.1.dist-info" / "METADATA").write_text("Name: radeval\nVersion: 2.2.1\n")
        python = tmp_path / "python"
        start = "import runpy, sys; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2], None, '__main__')"
        python.write_text(f'#!/bin/sh\n[ "$1" = -I ] || exit 9\nexec {sys.executable} -I -c "{start}" "{site}" "$2"\n')
        python.chmod(0o755)
        return Environment(str(python), fetch)

    radeval._absent.cache_clear()
    return made


EVALUATES = """
class RadEval:
    def __init__(self, metrics, per_sample, show_progress):
        self.metrics = metrics
    def __call__(self, refs, hyps):
        {body}
        return {{self.metrics[0]: values, "radcliq_v1": values}}
"""


def evaluating(body):
    return EVALUATES.format(body=body)


def test_pairs_reach_radeval_and_values_come_back_in_their_places(environment):
    """References and reports are sent apart and in order; an empty report is not sent and has no value."""
    where = environment(evaluating("values = [len(ref) - len(hyp) for ref, hyp in zip(refs, hyps)]"))
    np.testing.assert_array_equal(scores("bertscore", PAIRS, where=where), [0, np.nan, 3])


def test_a_metric_is_asked_for_by_its_name_in_radeval(environment):
    """RadCliQ-v1 and RadGraph F1 of RadCliQ are what RadEval calls radcliq and radgraph_radcliq."""
    where = environment(evaluating("values = [len(self.metrics[0])] * len(refs)"))
    for name, theirs in (("radcliq-v1", "radcliq"), ("radgraph-f1", "radgraph_radcliq"), ("green", "green")):
        assert scores(name, PAIRS[:1], where=where)[0] == len(theirs)


def test_what_the_package_prints_does_not_reach_the_answer(environment):
    """Prints, raw writes to descriptor 1, programs that it starts and a long log leave the values alone."""
    where = environment(
        evaluating(
            "import os, sys, subprocess; print('{\"values\": [9, 9]}'); os.write(1, b'{}'); sys.stdout.flush();"
            "subprocess.run(['echo', 'hello']); sys.stderr.write('x' * 1_000_000); values = [0.5, None]"
        )
    )
    np.testing.assert_array_equal(scores("green", PAIRS, where=where), [0.5, np.nan, np.nan])


def test_numbers_of_other_kinds_and_those_that_are_none(environment):
    """NumPy's numbers are read; NaN and infinity, which no report can score, are no value."""
    where = environment(evaluating("import numpy as np; values = np.array([np.inf, 0.25], dtype=np.float32)"))
    np.testing.assert_array_equal(scores("crimson", PAIRS, where=where), [np.nan, np.nan, 0.25])


@take_rows("body, said")
def test_a_failure_is_told_and_never_scored(environment, body, said):
    """Too few values, odd ones, an exception and a crash each are an error that says which."""
    with pytest.raises(MetricError, match=f"(?s){said}"):
        scores("crimson", PAIRS, where=environment(evaluating(body)))


@pytest.mark.parametrize(
    "line", ["", "not json", "[1, 2]", '{"values": [true, 1]}', '{"values": [1, "2"]}', "9" * 99_999, "[" * 9_000]
)
def test_an_answer_that_is_not_the_worker_s_is_refused(tmp_path, line):
    """Whatever another program answers in RadEval's place is an error, not a value."""
    program = tmp_path / "python"
    (tmp_path / "line").write_text(line)
    program.write_text(f"#!/bin/sh\ncat {tmp_path / 'line'}\n")
    program.chmod(0o755)
    with pytest.raises(MetricError, match=r"without an answer|no answer that can be read|expected a number"):
        scores("green", PAIRS, where=Environment(str(program)))


def test_numbers_that_no_float_can_be_are_no_value(tmp_path):
    """Infinity and whole numbers of hundreds of digits count as pairs without a value."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\necho '{{\"values\": [Infinity, {'9' * 400}]}}'\n")
    program.chmod(0o755)
    assert np.isnan(scores("green", PAIRS, where=Environment(str(program)))).all()


@pytest.mark.parametrize("absent", ['{"green": 5}', '{"green": [1, 2]}', '{"green": "abc"}', "[]"])
def test_weights_that_are_no_names_are_a_failure(tmp_path, absent):
    """Whatever else stands where the missing weights should be named."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\necho '{{\"absent\": {absent}}}'\n")
    program.chmod(0o755)
    assert "asked to say which weights are there and failed" in lacks("green", Environment(str(program)))


def test_no_connection_is_made_unless_weights_are_to_be_fetched(environment):
    """A package that wants the network on import is refused it; with --fetch-weights it is let through."""
    tries = evaluating(
        "import socket\n"
        "        try: socket.create_connection(('127.0.0.1', 9), timeout=5); values = [3.0] * len(refs)\n"
        "        except ConnectionRefusedError: values = [2.0] * len(refs)\n"
        "        except OSError as error: values = [1.0] * len(refs)"
    )
    alone = environment(tries)
    assert scores("bertscore", PAIRS[:1], where=alone)[0] == 1
    assert scores("bertscore", PAIRS[:1], where=Environment(alone.python, fetch=True))[0] == 2


def test_the_environment_of_the_process(environment, monkeypatch):
    """It is offline and in a folder of its own; keys stay here, but Hugging Face's where weights are fetched."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("HF_TOKEN", "token")
    told = evaluating(
        "import os; names = ('HF_HUB_OFFLINE', 'TRANSFORMERS_OFFLINE', 'OPENAI_API_KEY', 'HF_TOKEN');"
        "values = [sum(2 ** place for place, name in enumerate(names) if name in os.environ), len(os.listdir('.'))]"
    )
    alone = environment(told)
    assert scores("bertscore", PAIRS, where=alone)[[0, 2]].tolist() == [0b0011, 0]
    assert scores("bertscore", PAIRS, where=Environment(alone.python, fetch=True))[[0, 2]].tolist() == [0b1000, 0]


def test_without_an_environment_the_install_lines_are_named(monkeypatch, tmp_path):
    """Nothing named, nothing there, and a file that is no program: each says how to make the environment."""
    monkeypatch.delenv("SNELLEN_RADEVAL", raising=False)
    (tmp_path / "text").write_text("")
    for where in (None, Environment(str(tmp_path / "none")), Environment(str(tmp_path / "text"))):
        with pytest.raises(MetricError, match="radeval-env/bin/pip install radeval"):
            scores("green", PAIRS, where=where)
        assert "python -m venv radeval-env" in lacks("green", where)


def test_the_environment_variable_names_the_python(environment, monkeypatch):
    """SNELLEN_RADEVAL is used where no other environment is named."""
    monkeypatch.setenv("SNELLEN_RADEVAL", environment(evaluating("values = [0.5] * len(refs)")).python)
    assert metric_named("green").score(PAIRS[:1])[0] == 0.5
    assert metric_named("green").missing() == ""


def test_an_environment_without_the_package(environment):
    """Where RadEval is not installed, the line with that environment's own pip is named."""
    where = environment("")
    expected = f"is not installed for {where.python}. Install it with: {Path(where.python).parent}/pip install radeval"
    assert expected in lacks("bertscore", where)
    with pytest.raises(MetricError) as error:
        scores("bertscore", PAIRS, where=where)
    assert expected in str(error.value)


def test_weights_that_are_not_there_are_named(environment):
    """Before a metric runs and when it fails for that reason, its own weights are named and how to get them."""
    hub = "def try_to_load_from_cache(repo, file, cache_dir=None): return None if 'RRG' in repo else 'there'"
    raises = """
    class LocalEntryNotFoundError(Exception): pass
    class RadEval:
        def __init__(self, **settings):
            try: raise LocalEntryNotFoundError("nothing in the cache")
            except Exception as error: raise Exception("Cannot download") from error
    """
    where = environment(raises, hub=hub)
    assert lacks("bertscore", where) == ""
    assert "StanfordAIMI/RRG_scorers/chexbert.pth" in lacks("chexbert", where)
    with pytest.raises(MetricError, match=r"weights are missing: Exception: Cannot download.*radgraph\.tar\.gz"):
        scores("radgraph-f1", PAIRS, where=where)


def test_nothing_is_started_where_there_is_nothing_to_score(tmp_path):
    """Pairs without words are not worth a process."""
    assert np.isnan(scores("green", [Pair("", "Clear.")], where=Environment(str(tmp_path / "none")))).all()


def test_every_metric_of_radeval_names_package_and_weights():
    """Each says what to install and which weights it loads, and can be put into another environment."""
    for name, metric in OFFERED.items():
        assert "Hugging Face" in metric.needs
        assert "radeval-env" in in_environment(metric, Environment("/nowhere/python")).missing()
        assert metric_named(name) is metric
    assert in_environment(metric_named("rouge-l"), Environment("/nowhere")) is metric_named("rouge-l")


def test_radcliq_is_also_printed_as_one_over_its_mean():
    """1/RadCliQ-v1 is one over the mean of the values that are there, and undefined where that is not above 0."""
    corpus = metric_named("radcliq-v1").corpus
    counts = corpus.counts(PAIRS, np.array([0.5, np.nan, 1.5]))
    assert corpus.value(counts.sum(axis=0)) == 1.0
    assert np.isnan(corpus.value(np.array([[-1.0, 2.0], [0.0, 0.0]]))).all()


def test_the_request_is_one_json_object(environment):
    """Text of any kind, quotes and other scripts reach the metric as they are."""
    odd = 'He said "no" \\ \n 左侧 \ud83d\ude00'.encode("utf-16", "surrogatepass").decode("utf-16")
    where = environment(evaluating("values = [sum(map(ord, hyps[0])) if refs == hyps else -1]"))
    assert scores("green", [Pair(odd, odd)], where=where)[0] == sum(map(ord, json.loads(json.dumps(odd))))
