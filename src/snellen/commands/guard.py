"""snellen guard: the proxy from the command line, until Ctrl-C."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from snellen.errors import StudyError
from snellen.files import user_folder
from snellen.listening import is_loopback
from snellen.runtime import visible
from snellen.tools.guard.calibrate import read_calibration
from snellen.tools.guard.log import Installation, Log
from snellen.tools.guard.proxy import Conduct, Proxy, start
from snellen.tools.guard.signal import Answered, compare
from snellen.tools.guard.stand_ins import PHANTOM, draw_all, stand_ins
from snellen.tools.guard.upstream import Upstream, open_upstream


def key_file() -> Path:
    """Where the key of this installation lies, under which queries are hashed."""
    return user_folder() / "guard.key"


def guard(
    upstream: str,
    host: str,
    port: int,
    conduct: Conduct,
    *,
    log: Path,
    stand_in: str | None = None,
    calibration: Path | None = None,
    pass_key: bool = False,
    timeout: float = 600.0,
) -> None:
    """Run the guard until Ctrl-C; refuses to listen beyond this computer without a key."""
    if conduct.key and pass_key:
        raise StudyError("Clients send one key: choose --key (the guard's own) or --pass-key (the upstream's).")
    if not is_loopback(host) and not conduct.key and not pass_key:
        raise StudyError(
            f"At {host} others than this computer reach the guard. Set a key that its clients must send (--key or "
            "SNELLEN_GUARD_KEY), or let each send its own to the upstream (--pass-key)."
        )
    misfits: list[str] = []
    if calibration is not None:
        found = read_calibration(calibration)
        conduct = replace(conduct, threshold=found.threshold)
        misfits = found.misfits(upstream.strip(), stand_in=stand_in is not None)
    behind = open_upstream(upstream, timeout=timeout, pass_key=pass_key)
    installation = Installation.at(key_file())
    chosen = None if stand_in is None else stand_ins(stand_in)
    if stand_in == PHANTOM:
        draw_all()
    _warm_up()
    written = Log(log, installation)
    proxy = Proxy(behind, conduct, log=written, installation=installation, stand_ins=chosen)
    try:
        with suppress(KeyboardInterrupt):
            told = [*_told(conduct, pass_key=pass_key), *misfits, *filter(None, [written.doubt])]
            asyncio.run(_guard(proxy, behind, host, port, told, log))
        if written.head.lines:
            last = f"Lines written to the log: {written.head.lines:,}. The last seal is {written.head.seal}."
            print(f"{last} Keep it elsewhere: whoever has the key can write the log anew.")
    finally:
        written.close()


def _warm_up() -> None:
    """Compare a few replies, so that the first query does not wait for what that loads."""
    for question in ("Which side is it on?\nA. Left\nB. Right", "Is there an effusion?", "Describe the chest X-ray."):
        for reply in ("Answer: A", "No.", "There is a small left pleural effusion. The heart is normal."):
            others = ("No image was provided.", "I cannot answer this.", "Yes, on the right, and a nodule. Answer: B")
            compare(question, Answered(reply), [Answered(other) for other in others])


async def _guard(proxy: Proxy, behind: Upstream, host: str, port: int, told: list[str], log: Path) -> None:
    async with await start(proxy, host, port) as server:
        served = behind.model or "every model"
        print(f"Guarding {served} of {behind.shown} at {server.url} (Ctrl-C ends it).", flush=True)
        print(visible(f"Decisions go to {log}."))
        for line in told:
            print(visible(line), flush=True)
        try:
            await asyncio.Event().wait()
        finally:
            await behind.transport.close()


def _told(conduct: Conduct, *, pass_key: bool) -> list[str]:
    """What somebody who starts the guard should know."""
    said = ["Every checked query is asked at least twice, which the provider bills."]
    if conduct.threshold is None:
        said.append("No threshold was calibrated, 0.5 is used. Run: snellen guard calibrate")
    if conduct.policy == "block" or conduct.closed:
        said.append("Streamed replies are kept until they are checked, then sent at once.")
    if pass_key:
        said.append("Each client's key goes to the upstream, for the extra calls too.")
    return said
