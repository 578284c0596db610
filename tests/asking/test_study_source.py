"""A study file from anybody: it uses no host, variable or file that is not its own before its user allows it."""

import io
import json
import os
import sys
from contextlib import chdir
from unittest.mock import patch

import cv2
import numpy as np
import pytest

from listener import listening
from snellen.cli import main
from snellen.errors import ConsentError, UnusableModelError
from snellen.models import open_model
from snellen.store import Store
from snellen.study import Study

KEY, OTHER, PRIVATE = "sk-of-the-user-9f3a77c0", "ghp-of-the-user-5521aa", "the words of a private file"
FAR = "http://far.example/v1"


class Person:
    """Somebody who says the same to every question, and remembers the questions."""

    def __init__(self, says=None):
        self.says, self.heard = says, []

    def __call__(self, question):
        self.heard.append(question)
        return self.says


@pytest.fixture
def far(monkeypatch):
    """A server that stands for every host elsewhere."""
    with listening() as server:
        monkeypatch.setenv("http_proxy", server.url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("WARD_TOKEN", OTHER)
        yield server


@pytest.fixture
def home(tmp_path):
    """A folder of the user's with a private file and a private benchmark."""
    made = tmp_path / "home"
    _write_benchmark(made / "cases")
    (made / "private.txt").write_text(PRIVATE)
    return made


def _write_benchmark(folder):
    folder.mkdir(parents=True)
    cv2.imwrite(str(folder / "a.png"), np.full((40, 40), 90, np.uint8))
    row = {"id": "1", "question": f"Is it {PRIVATE}?", "options": ["yes", "no"], "answer": "A", "images": ["a.png"]}
    (folder / "questions.jsonl").write_text(json.dumps(row) + "\n")


def downloaded(tmp_path, at, *lines, entry="", tests='["image-needed"]'):
    """A folder from elsewhere with a study file that asks a server."""
    folder = tmp_path / "downloaded"
    folder.mkdir(exist_ok=True)
    text = "\n".join((f"tests = {tests}", "canary = false", 'out = "out"', *lines))
    model = f'[[models]]\nname = "openai/m"\nbase_url = "{at}"\n{entry}\n'
    (folder / "study.toml").write_text(f"{text}\n{model}")
    return folder


def ask(folder, person, **changes):
    """Run the study file in its folder."""
    with chdir(folder):
        return Study.from_toml("study.toml", **changes).ask(lambda progress: None, consent=person)


def refuses(folder, server, *named):
    """The study file is asked for, in words that name what it uses; nothing is sent before, and it is sent after."""
    with pytest.raises(ConsentError, match=r"Nothing was sent\. Allow it with --yes") as refused:
        ask(folder, Person(None))
    assert server.heard == []
    assert not (folder / "out").exists()
    for each in named:
        assert str(each) in str(refused.value)
    ask(folder, person := Person(True))
    assert server.heard
    assert str(named[0]) in "".join(person.heard)
    before = len(server.heard)
    ask(folder, never := Person(None), epochs=2)
    assert never.heard == []
    assert len(server.heard) > before
    return "".join(person.heard)


def test_a_new_host_is_asked_for(tmp_path, far):
    """With the key that goes there; one question names the images too. `yes` in the file does not count."""
    folder = downloaded(tmp_path, FAR, 'benchmarks = ["phantoms:items=2"]', "yes = true")
    said = refuses(folder, far, f"asks openai/m at {FAR}, key from OPENAI_API_KEY", "(its `yes` is ignored)")
    assert "to far.example (openai/m): 2 images" in said
    assert said.endswith("Send them?")


def test_questions_without_images_are_asked_for_too(tmp_path, far):
    """The key and the words go to a new host as well."""
    folder = downloaded(tmp_path, FAR, 'benchmarks = ["phantoms:items=2"]', entry="text_only = true")
    assert refuses(folder, far, "asks openai/m").endswith("Allow it?")


def test_a_variable_that_is_not_the_providers_own_is_asked_for(tmp_path, far):
    """Also if it goes to a server on this machine."""
    entry = 'api_key_env = "WARD_TOKEN"'
    folder = downloaded(tmp_path, f"{far.url}/v1", 'benchmarks = ["phantoms:items=2"]', entry=entry)
    refuses(folder, far, f"sends the value of WARD_TOKEN as the key to {far.url}/v1")
    assert all(OTHER in each for each in far.heard)


FILES = {
    "system": 'system = "HOME/private.txt"',
    "prompt": 'prompt = {user = "{question} {options}", system = "HOME/private.txt"}',
    "prompt of a file": 'prompt = "own.toml"',
    "link": 'system = "link.txt"',
    "benchmark": 'benchmarks = ["HOME/cases"]',
    "setting of a benchmark": 'benchmarks = ["folder:questions,images_root=HOME/cases"]',
    "linked benchmark": 'benchmarks = ["cases"]',
    "linked table": 'benchmarks = ["questions"]',
    "examples": 'examples = ["HOME/cases/questions.jsonl"]',
}


@pytest.mark.parametrize("line", FILES.values(), ids=FILES)
def test_a_file_outside_its_folder_is_asked_for(tmp_path, home, far, line):
    """However the study file leads there, and also if it goes to a server on this machine."""
    phantoms = [] if line.startswith("benchmarks") else ['benchmarks = ["phantoms:items=2"]']
    folder = downloaded(tmp_path, f"{far.url}/v1", line.replace("HOME", str(home)), *phantoms)
    (folder / "own.toml").write_text(f'user = "{{question}} {{options}}"\nsystem = "{home}/private.txt"\n')
    (folder / "link.txt").symlink_to(home / "private.txt")
    (folder / "cases").symlink_to(home / "cases")
    (folder / "questions").mkdir()
    table = folder / "questions" / "questions.jsonl"
    cv2.imwrite(str(folder / "questions" / "a.png"), np.full((40, 40), 90, np.uint8))
    if "images_root" in line:
        table.write_text((home / "cases" / "questions.jsonl").read_text())
    else:
        table.symlink_to(home / "cases" / "questions.jsonl")
    refuses(folder, far, f"sends the contents of {home}")
    assert any(PRIVATE in each for each in far.heard)


def test_the_words_of_a_file_are_no_other_files_name(tmp_path, home, far):
    """A system prompt that reads like a path is sent as it is."""
    folder = downloaded(tmp_path, f"{far.url}/v1", 'benchmarks = ["phantoms:items=2"]', 'system = "own.txt"')
    (folder / "own.txt").write_text(f"{home}/private.txt")
    ask(folder, Person(None))
    assert far.heard
    assert not any(PRIVATE in each for each in far.heard)


def test_its_own_files_a_server_here_and_the_providers_key_are_its_own(tmp_path, far):
    """An honest study on one's own machine asks nothing; nor does what its user names on the command line."""
    _write_benchmark(tmp_path / "downloaded" / "cases")
    entry = 'api_key_env = "OPENAI_API_KEY"'
    folder = downloaded(tmp_path, f"{far.url}/v1", 'benchmarks = ["cases"]', 'system = "own.txt"', entry=entry)
    (folder / "own.txt").write_text("You are a radiologist.")
    (folder / "cases" / "circle").symlink_to("circle")
    (folder / "cases" / "copy.png").symlink_to("a.png")
    (tmp_path / "mine.txt").write_text("You are mine.")
    ask(folder, Person(None))
    ask(folder, Person(None), system=tmp_path / "mine.txt")
    assert any("You are mine." in each for each in far.heard)


def test_a_provider_at_its_own_address_is_no_new_host(tmp_path, far):
    """Nor is one that the user's environment names; without TLS it is another."""
    for at, asked in (("https://api.openai.com/v1", False), ("http://api.openai.com/v1", True), (FAR, False)):
        folder = downloaded(tmp_path, at, 'benchmarks = ["phantoms:items=2"]')
        with patch.dict(os.environ, {"OPENAI_BASE_URL": FAR}):
            study = Study.from_toml(folder / "study.toml")
            assert bool(list(study.source.list_uses(study.models, study.plan().models))) is asked, at


def test_yes_of_the_caller_allows_all_of_it(tmp_path, home, far):
    """In Python as on the command line; another user of the same folder is asked all the same."""
    folder = downloaded(tmp_path, FAR, 'benchmarks = ["phantoms:items=2"]', f'system = "{home}/private.txt"')
    ask(folder, person := Person(None), yes=True)
    assert person.heard == []
    with patch.dict(os.environ, {"XDG_CONFIG_HOME": str(tmp_path / "another")}), pytest.raises(ConsentError):
        ask(folder, Person(None), tests=["option-order"])


def test_the_command_stops_without_a_terminal_and_goes_on_with_yes(tmp_path, far, capsys, monkeypatch):
    """`yes = true` in the file and SNELLEN_YES in the environment are no answer."""
    folder = downloaded(tmp_path, FAR, 'benchmarks = ["phantoms:items=2"]', "yes = true")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SNELLEN_YES", "1")
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    monkeypatch.setattr(sys, "argv", ["snellen", "run", "study.toml"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, far.heard) == (1, [])
    monkeypatch.setattr(sys, "argv", ["snellen", "run", "study.toml", "--yes"])
    main()
    assert far.heard
    assert "The study file study.toml (its `yes` is ignored) asks openai/m" in capsys.readouterr().err


def test_a_consent_that_came_with_the_folder_is_none(tmp_path, far):
    """A store from elsewhere may say that somebody allowed the images to go anywhere."""
    folder = downloaded(tmp_path, FAR, 'benchmarks = ["phantoms:items=2"]')
    ask(folder, Person(True), yes=True)
    with Store.open(folder / "out") as store:
        assert store.connections.main.execute("SELECT host FROM consents").fetchall() == [("far.example",)]
    with patch.dict(os.environ, {"XDG_CONFIG_HOME": str(tmp_path / "another")}):
        own = Study(models=[{"name": "openai/m", "base_url": FAR}], benchmarks=["phantoms:items=2"],
                    tests=["option-order"], out=folder / "out", canary=False)  # fmt: skip
        with pytest.raises(ConsentError):
            own.ask(lambda progress: None, consent=Person(None))


def test_a_cluster_elsewhere_is_asked_for_before_it_is_joined(tmp_path):
    """Whoever runs it could send anything back."""
    (tmp_path / "study.toml").write_text('models = ["organism/blind"]\nbenchmarks = ["phantoms:items=2"]\n'
                                         'on = "ray://198.51.100.7:6379"\nout = "out"\n')  # fmt: skip
    with pytest.raises(ConsentError, match=r"runs its models on the Ray cluster at 198\.51\.100\.7:6379"):
        ask(tmp_path, Person(None))


def test_what_is_asked_cannot_move_the_terminal(tmp_path, far):
    """Names of a study file are shown, and do nothing."""
    entry = 'as = "m"'
    folder = downloaded(tmp_path, FAR, 'benchmarks = ["phantoms:items=2"]', entry=entry)
    (folder / "study.toml").rename(folder / "a\x1b[2Jb.toml")
    with pytest.raises(ConsentError) as refused, chdir(folder):
        Study.from_toml("a\x1b[2Jb.toml").ask(consent=Person(None))
    assert "\x1b" not in str(refused.value)


def test_a_location_is_no_part_of_another_address(monkeypatch):
    """A model's name on Vertex AI cannot lead its login to another host."""
    monkeypatch.setenv("VERTEX_ACCESS_TOKEN", "t")
    for place in ("x@far.example:443?", "far.example#", "a.b"):
        with pytest.raises(UnusableModelError, match="expected a location"):
            open_model(f"vertex/projects/p/locations/{place}/endpoints/1")


def test_what_is_remembered_is_for_its_user_alone(tmp_path, far):
    """Nobody else can read it, and a line that is none is passed over."""
    folder = downloaded(tmp_path, FAR, 'benchmarks = ["phantoms:items=2"]')
    memory = tmp_path / "config" / "snellen" / "allowed.jsonl"
    with patch.dict(os.environ, {"XDG_CONFIG_HOME": str(tmp_path / "config")}):
        ask(folder, Person(True))
        assert (memory.stat().st_mode & 0o777, memory.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        memory.write_bytes(b'\xff\n{"a": 1}\n[1, 2, 3]\n' + memory.read_bytes())
        ask(folder, Person(None), tests=["option-order"])
