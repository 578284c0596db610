"""The command `snellen serve`."""

from __future__ import annotations

import click

from snellen.cli.options import ALLOW_HOST, Int64Range, option


@click.command("serve")
@option("--host", default="127.0.0.1", help="Address to listen on.")
@option("--port", type=Int64Range(0, 65535), default=8000, help="Port to listen on.")
@option("--key", help="Refuse requests that lack this key.")
@ALLOW_HOST
def serve_command(host: str, port: int, key: str | None, names: tuple[str, ...]) -> None:
    """Serve organisms (test models with known flaws) at an OpenAI-compatible endpoint. Try evaluation tools on them."""
    from snellen.tools.serve import serve

    serve(host, port, key=key, names=names)
