"""Logs that Inspect AI writes of the organisms, all in one process of its own: loading Inspect takes seconds."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

TESTS = Path(__file__).parent
QUICKLY = """
import importlib.metadata, sys, yaml
from functools import cache
sys.modules["inspect_ai.model._providers.anthropic"] = None
yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
importlib.metadata.packages_distributions = cache(importlib.metadata.packages_distributions)
"""
"""Run before Inspect is: what it would import or look up for seconds, and nothing here asks for."""


COMMAND = (
    *("eval", "snellen/phantoms", "--model", "openai-api/snellen/grounded", "--epochs", "2"),
    *("-T", "items=4", "-T", "leak=0.5", "-T", "condition=original,image-removed"),
    *("--display", "none", "--no-log-realtime", "--max-retries", "0", "--log-dir"),
)
SCRIPTS = {"": TESTS / "tools" / "inspect" / "asking.py", "tasks": TESTS / "imports" / "inspect_task.py"}
"""Scripts that ask, by the folder that each writes its logs to."""
ONE_AFTER_THE_OTHER = """
import runpy, sys
first, folder, second, other, *command = sys.argv[1:]
sys.argv = ["inspect", *command]
try:
    runpy.run_module("inspect_ai", run_name="__main__", alter_sys=True)
except SystemExit as ended:
    assert not ended.code
import inspect_ai.log._log
inspect_ai.log._log.format_traceback = lambda *raised: ("", "")  # a picture of each failure, in colours
for script, where in ((first, folder), (second, other)):
    sys.argv = [script, where]
    runpy.run_path(script, run_name="__main__")
"""
"""`python -m inspect_ai` in a process that has no Snellen yet, then the scripts."""


def write_logs(served, folder, home):
    """Ask by the command and the scripts, with the entry points that pyproject.toml declares."""
    metadata = home / "snellen_as_declared-0.dist-info"
    metadata.mkdir()
    declared = tomllib.loads((TESTS.parent / "pyproject.toml").read_text())
    lines = [f"{name} = {value}" for name, value in declared["project"]["entry-points"]["inspect_ai"].items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[inspect_ai]", *lines]))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: snellen-as-declared\nVersion: 0\n")
    (home / "sitecustomize.py").write_text(QUICKLY)
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    places = dict.fromkeys(("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), str(home))
    path = os.pathsep.join(filter(None, (str(home), str(TESTS.parent / "src"), kept.get("PYTHONPATH"))))
    reached = {f"{name}_{what}": value for name in ("SNELLEN", "OPENAI")
               for what, value in (("BASE_URL", served), ("API_KEY", "none"))}  # fmt: skip
    environment = {**kept, **places, **reached, "INSPECT_EVAL_CTL_SERVER": "false", "PYTHONPATH": path}
    scripts = [part for where, script in SCRIPTS.items() for part in (script, folder / where)]
    command = [sys.executable, "-c", ONE_AFTER_THE_OTHER, *scripts, *COMMAND, folder / "command"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=home, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder
