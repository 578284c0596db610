"""What is shown while a run asks."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from snellen.asking.progress import ProgressBar, state
from snellen.asking.run import RunProgress


def shown(progress, **settings):
    """What a bar prints of one state."""
    said = StringIO()
    with ProgressBar(Console(file=said, width=200, color_system=None, **settings)) as bar:
        bar._next_line = 0.0
        bar(progress)
    return said.getvalue()


@pytest.mark.parametrize("live", [False, True])
def test_where_a_key_is_sent_is_printed_first(live):
    """Before anything is asked, each model that is elsewhere stands with its address; once, and not if all is done."""
    progress = RunProgress(
        awaited={"openai/gpt-5": 3}, addresses={"openai/gpt-5": "https://h/v1, key from OPENAI_API_KEY"}
    )
    said = shown(progress, force_terminal=live)
    assert said.count("openai/gpt-5 at https://h/v1, key from OPENAI_API_KEY") == 1
    assert "openai/gpt-5 at" not in shown(RunProgress(addresses=progress.addresses), force_terminal=live)


@pytest.mark.parametrize("live", [False, True])
def test_what_servers_say_does_nothing_to_the_terminal(live):
    """Escapes are spelled out and markup stays text, in names, addresses and reasons for waiting."""
    evil = "[red]x[/] [link=http://x]y[/link] :warning: \x1b]0;owned\x07"
    progress = RunProgress(awaited={evil: 3}, addresses={evil: evil}, troubles={evil: evil})
    said = shown(progress, force_terminal=live)
    assert said.count("[red]x[/] [link=http://x]y[/link] :warning: ⟨U+001B⟩]0;owned⟨U+0007⟩") >= 3
    assert "\x1b]" not in said


def test_a_notebook_has_one_bar_that_is_drawn_anew(monkeypatch):
    """Without widgets and without a warning: addresses above it, text from elsewhere as text, nothing drawn twice."""
    drawn = []

    class Handle:
        def update(self, data, *, raw):
            drawn.append(data)

    def display(data, *, raw, display_id):
        drawn.append(data)
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    progress = RunProgress(awaited={"a/b": 3}, addresses={"a/b": "https://h/<b>\x1b"})
    with ProgressBar(Console(force_jupyter=True)) as bar:
        bar(progress)
        bar(progress)
        progress.awaited, progress.failed = {"a/b": 2}, 1
        bar(progress)
    assert [each["text/plain"].splitlines() for each in drawn] == [
        ["a/b at https://h/<b>⟨U+001B⟩", "asked 0 of 3 · starting"],
        ["a/b at https://h/<b>⟨U+001B⟩", "asked 1 of 3 · starting · 1 failed"],
    ]
    assert "<div>a/b at https://h/&lt;b&gt;⟨U+001B⟩</div>" in drawn[0]["text/html"]
    assert '<progress value="1" max="3">' in drawn[1]["text/html"]


def test_no_time_is_left_for_whom_we_wait_or_gave_up():
    """While a server is waited for, why is said in place of a guess; where no model is left, neither is time."""
    progress = RunProgress(awaited={"a/b": 10}, done=5)
    assert " left" in state(progress)
    assert " left" not in state(replace(progress, awaited={"a/b": 1_000}))  # too few to tell by
    assert " left" in state(replace(progress, awaited={"a/b": 1_000}, done=20))
    progress.troubles = {"a/b": "a/b: cannot reach http://h/v1:\nrefused"}
    assert state(progress).endswith("/s · waiting: a/b: cannot reach http://h/v1: refused")
    progress.troubles, progress.awaited = {}, {}
    assert " left" not in state(progress)
