"""Build the documentation: `python docs/build.py` writes the site to site/, and fails on any warning or broken link.

The pages of docs/, the research that they refer to, the generated reference and the example reports are put side by
side in build/docs; zensical makes the site of them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "docs"
SITE = ROOT / "site"
ITALIAN = ROOT.parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
"""Responses of the Italian paper, which cannot be shipped: the site has their report only where they lie here."""
BESIDE = (
    "research/*/*.md",
    "research/audits/*/README.md",
    "research/*/*.svg",
    "benchmarks/README.md",
    "examples/plugin/**/*.py",
    "examples/plugin/pyproject.toml",
    "CONTRIBUTING.md",
    "SECURITY.md",
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
        generated = target.parent == HERE / "reference" or target == HERE / "reports.md"
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


class Example(NamedTuple):
    """A report of the gallery: its folder, title, sentence, the commands that make it, and its page in the folder."""

    name: str
    title: str
    about: str
    commands: tuple[tuple[str, ...], ...]
    page: str = "report.html"


def exam(*options: str) -> tuple[tuple[str, ...], ...]:
    """The commands of one exam with a fixed seed."""
    return (("exam", "--seed", "0", *options),)


FEW = ("--limit", "20")
POOR = ("--tests", "artefacts", "--limit", "8", "--model", "organism/flagger", "--model", "organism/mirage")
EXAMPLES = (
    Example("exam", "The default exam", "One of six bundled models passes all three tests.", exam()),
    Example("readiness", "Readiness", "Six stress tests; R ranks nothing.", exam("--tests", "readiness", *FEW)),
    Example("mirage", "Mirage", "Descriptions of images never sent.", exam("--tests", "mirage:seeds=20", *FEW)),
    Example("artefacts", "Artefacts", "Poor images: what they cost, and who says so.", exam(*POOR)),
    Example("pathway", "Clinical pathway", "Is it the image, or the report?", exam("--tests", "pathway", *FEW)),
    Example(
        "audit", "An audit", "What a benchmark gives away, and which items to mend.",
        (("audit", "phantoms:leak=0.5"),), "audit.html",
    ),
    Example(
        "chart", "An eye chart", "How small a letter a model reads.",
        (("chart", "--model", "organism/nearsighted-4", "--seed", "0"),), "chart.html",
    ),
)  # fmt: skip


def reports(folder: Path) -> str:
    """The gallery of example reports, drawn now; that of the Italian responses if they are here."""
    drawn = list(EXAMPLES)
    if ITALIAN.is_file():
        made = (("import", str(ITALIAN), "--from", "jsonl"), ("report",))
        about = "Stored responses of a paper, imported: both models keep 80% with blank images."
        drawn.append(Example("italian", "The Italian exam", about, made))
    lines = ["# Example reports", "Drawn when this site was built. Each is one file that needs no network.", ""]
    for each in drawn:
        out = BUILD / "reports" / each.name
        for command, *rest in each.commands:
            snellen(command, *rest, *([str(out)] if command == "report" else ["--out", str(out)]))
        (folder / each.name).mkdir(parents=True)
        shutil.copy(out / each.page, folder / each.name)
        address = f"examples/{each.name}/{each.page}"
        if (out / "card.png").is_file():
            shutil.copy(out / "card.png", folder / each.name)
            lines += [f"[![{each.title}](examples/{each.name}/card.png)]({address})", ""]
        lines += [f"**[{each.title}]({address})** {each.about}", ""]
    lines.append("[How to read a report](how-to/read-a-report.md).")
    return "\n".join(lines) + "\n"


def snellen(*arguments: str) -> None:
    """Run a command, showing what it prints only where it fails."""
    done = subprocess.run([sys.executable, "-m", "snellen", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"snellen {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
