"""Many Inspect logs at once: which attempts at a task count, and what is said of the others."""

import json
from zipfile import ZipFile

import pytest

from snellen.errors import StudyError
from snellen.imports.inspect_file import choose_logs


def log(folder, name, *, task="t", created="1", status="success", samples=1, told=None):
    """A log with as much as decides whether it counts."""
    spec = {"task": "q", "model": "m", "task_id": task, "created": created, "metadata": {"snellen": told or {}}}
    header = {"version": 2, "status": status, "eval": spec, "plan": {}}
    path = folder / name
    if path.suffix == ".json":
        path.write_text(json.dumps({**header, "samples": [{"id": str(at), "epoch": 1} for at in range(samples)]}))
        return path
    with ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        for at in range(samples):
            archive.writestr(f"samples/{at}_epoch_1.json", json.dumps({"id": str(at), "epoch": 1}))
    return path


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_the_latest_success_counts(tmp_path, ending):
    """Attempts share the task's id; one that failed later does not replace one that succeeded."""
    made = {
        "failed": log(tmp_path, f"failed.{ending}", created="1", status="error"),
        "good": log(tmp_path, f"good.{ending}", created="2"),
        "better": log(tmp_path, f"better.{ending}", created="3"),
        "cancelled": log(tmp_path, f"cancelled.{ending}", created="4", status="cancelled"),
        "other": log(tmp_path, f"other.{ending}", task="u"),
    }
    said = []
    assert choose_logs(made.values(), said.append) == [made["better"], made["other"]]
    assert [sentence.partition(" ")[0] for sentence in said] == [
        f"{name}.{ending}" for name in ("failed", "good", "cancelled")
    ]
    assert said[0].endswith(f"better.{ending} has the same task and is used instead.")


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_of_attempts_that_all_failed_the_furthest_counts(tmp_path, ending):
    """A retry that was cancelled at once does not take the place of what was answered before."""
    far = log(tmp_path, f"far.{ending}", created="1", status="error", samples=3)
    again = log(tmp_path, f"again.{ending}", created="2", status="cancelled", samples=0)
    other = log(tmp_path, f"other.{ending}", task="u")
    said = []
    assert choose_logs([far, again, other], said.append) == [far, other]
    assert said[0].startswith(f"again.{ending} (cancelled) is left out: far.{ending} ")


def test_logs_that_did_not_end_well_are_said(tmp_path):
    """What they hold is imported; one that holds nothing is left out, unless it is all there is."""
    part = log(tmp_path, "part.eval", task="a", status="cancelled")
    empty = log(tmp_path, "empty.eval", task="b", status="error", samples=0)
    said = []
    assert choose_logs([part, empty], said.append) == [part]
    assert said == [
        "part.eval did not finish: its status is 'cancelled'. Its samples are imported.",
        "empty.eval did not finish: its status is 'error'. It has no samples and is left out.",
    ]
    assert choose_logs([empty], said.append) == [empty]


@pytest.mark.parametrize("ending", ["eval", "json"])
@pytest.mark.parametrize(("setting", "values"), [("prompt", ("letter", "letter-cot")), ("seed", (0, 1))])
def test_two_ways_of_asking_are_two_studies(tmp_path, setting, values, ending):
    """Logs of our tasks on one benchmark have one prompt and one seed."""
    asked = {"benchmark": "b", "prompt": "letter", "seed": 0}
    paths = [
        log(tmp_path, f"{at}.{ending}", task=str(at), told={**asked, setting: value}) for at, value in enumerate(values)
    ]
    with pytest.raises(
        StudyError, match=f"more than one {setting}: {values[0]} in 0.{ending}, {values[1]} in 1.{ending}"
    ):
        choose_logs(paths, lambda sentence: None)


def test_what_is_no_log_is_left_to_the_reader(tmp_path):
    """It says what is wrong with it."""
    broken = tmp_path / "broken.eval"
    broken.write_bytes(b"PK nothing")
    assert choose_logs([broken, broken], lambda sentence: None) == [broken]
