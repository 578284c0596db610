"""The command `snellen view`."""

from __future__ import annotations

import click

from snellen.cli.options import OUT, STUDY, Int64Range, option


@click.command("view")
@OUT
@STUDY
@option("--port", type=Int64Range(0, 65535), default=8001, help="Port to listen on; 0 chooses a free one.")
@option("--open/--no-open", "show", default=False, help="Open the page in the browser.")
def view_command(folder: str, study: str | None, port: int, show: bool) -> None:
    """Show a study in the browser while it is being asked. Once it is finished, show its report.

    While a run goes on or after it was interrupted, the page shows progress, running estimates (not final), failures
    and the newest responses, and is up to date within seconds. Once all responses are there, it is the report, drawn
    from the stored responses.

    It listens on 127.0.0.1 only, because it shows questions and responses without a login. It is read-only: nothing is
    asked, and no file of OUT is changed. To look at a run on another computer, use a tunnel:
    ssh -L 8001:127.0.0.1:8001 HOST. Ctrl-C ends it; the run goes on.

    \b
    snellen exam --model openai/gpt-5 --out gpt-5 --yes &
    snellen view gpt-5 --open
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.tools.view import view

    view(folder, study, port=port, show=show)
