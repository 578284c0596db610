"""Build the documentation: `python docs/build.py` writes the site to site/, and fails on any warning or broken link.

The pages of docs/, the studies that they refer to, the generated reference and the example reports are put side by side
in build/docs; zensical makes the site of them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from runpy import run_path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "docs"
SITE = ROOT / "site"
ITALIAN = ROOT.parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
"""Responses of the Italian paper, which cannot be shipped: the site has their report only where they lie here."""
BESIDE = (
    "studies/*.md",
    "studies/*/README.md",
    "studies/*.svg",
    "benchmarks/README.md",
    "examples/*.py",
    "CONTRIBUTING.md",
)
"""Pages and files outside of docs/ that the pages refer to."""
LINK = re.compile(r"\[([^\]]*)\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def main() -> None:
    """Put everything side by side, build the site, and check its links."""
    pages = BUILD / "pages"
    shutil.rmtree(BUILD, ignore_errors=True)
    shutil.copytree(HERE, pages, ignore=shutil.ignore_patterns("*.py", "*.toml", "__pycache__"))
    shutil.copy(HERE / "zensical.toml", BUILD)
    for path in (each for pattern in BESIDE for each in ROOT.glob(pattern)):
        copied = pages / path.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copied)
    for path in pages.rglob("*.md"):
        path.write_text(piped(relinked(path, pages)), encoding="utf-8")
    for name, text in run_path(str(HERE / "reference.py"))["pages"]().items():
        (pages / "reference" / name).write_text(piped(text), encoding="utf-8")
    (pages / "reports.md").write_text(reports(pages / "examples"), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=BUILD, check=True)
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.move(BUILD / "site", SITE)
    run_path(str(HERE / "links.py"))["main"](str(SITE))


def relinked(path: Path, pages: Path) -> str:
    """A page with its links as they are in the site, where docs/ is the root and other folders stand in it.

    Of a link to a file of the repository that is not part of the site, the words are left.
    """
    inside = path.relative_to(pages)
    source = (ROOT if (ROOT / inside).is_file() else HERE) / inside

    def there(link: re.Match[str]) -> str:
        words, address, anchor = link.groups()
        target = (source.parent / address).resolve()
        generated = target.parent == HERE / "reference"
        if not (target.exists() or generated):
            raise SystemExit(f"{source.relative_to(ROOT)}: {address} does not exist.")
        moved = pages / target.relative_to(HERE if target.is_relative_to(HERE) else ROOT)
        if not (moved.exists() or generated):
            return words
        return f"[{words}]({os.path.relpath(moved, path.parent)}{anchor or ''})"

    return LINK.sub(there, path.read_text(encoding="utf-8"))


def piped(text: str) -> str:
    """A page whose tables have code with a plain |, which this Markdown wants; others want it escaped."""
    row = re.compile(r"^\|.*$", re.MULTILINE)
    return row.sub(lambda line: re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), line[0]), text)


def reports(folder: Path) -> str:
    """The page of example reports, drawn now: the default exam, and that of the Italian replies where they are here."""
    drawn = [("exam", "The default exam", "six organisms on phantoms, by the standard tests", ["exam"])]
    if ITALIAN.is_file():
        how = ["import", str(ITALIAN), "--from", "jsonl"]
        drawn.append(
            (
                "italian",
                "The Italian exam",
                "the responses of *Are Large Vision Language Models Truly Grounded in Medical Images?*, imported",
                how,
            )
        )
    lines = ["# Example reports", "Drawn when this site was built.", ""]
    for name, title, about, command in drawn:
        out = BUILD / "reports" / name
        snellen(*command, "--out", str(out))
        if command[0] == "import":
            snellen("report", str(out))
        (folder / name).mkdir(parents=True)
        shutil.copy(out / "report.html", folder / name)
        if (out / "figures").is_dir():
            shutil.copytree(out / "figures", folder / name / "figures")
        lines.append(f"- [{title}](examples/{name}/report.html): {about}.")
    lines += ["", "[How to read a report](how-to/read-a-report.md)."]
    return "\n".join(lines) + "\n"


def snellen(*arguments: str) -> None:
    """Run a command, showing what it prints only where it fails."""
    done = subprocess.run([sys.executable, "-m", "snellen", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"snellen {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
