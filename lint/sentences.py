"""Collect every sentence that the terminal, the report, errors and pages can show.

    python lint/sentences.py > sentences.tsv          of src/snellen
    python lint/sentences.py docs > sentences.tsv     of the pages

One row each: the place and the sentence, with `{...}` where an f-string puts a value. Docstrings of code, regular
expressions and what is sent to models are left out.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "snellen"
PATTERN = re.compile(r"\(\?[:P!=<]|\\[bswdS]|\[\^|\.\*|\^\(")
WORD = re.compile(r"[A-Za-zÀ-ÿ][\w'’-]*")
LEAST_WORDS = 3
SENT_TO_MODELS = ("prompts/", "reading/", "papers/", "models/organisms", "images/phantoms", "judging/instructions")


def write(node: ast.expr) -> str:
    """The text of a literal, an f-string or a sum of them; `{...}` stands for every value."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(write(each) for each in values)
        case ast.FormattedValue(value=ast.Name(id=name)):
            return f"{{{name}}}"
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return write(left) + write(right)
    return "{...}"


class Sentences(ast.NodeVisitor):
    """Collect the sentences of a module, in its order."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    def visit_Expr(self, node: ast.Expr) -> None:
        """Leave docstrings out."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Take a literal."""
        if isinstance(node.value, str):
            self.found.append((node.lineno, node.value))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Take an f-string, and the literals inside its values."""
        self.found.append((node.lineno, write(node)))
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                self.visit(each.value)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Take a sum of texts as one."""
        text = write(node) if isinstance(node.op, ast.Add) else ""
        if text.replace("{...}", ""):
            self.found.append((node.lineno, text))
        else:
            self.generic_visit(node)


class Texts(HTMLParser):
    """Collect what a template shows."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []

    def handle_data(self, data: str) -> None:
        """Take the text between two tags."""
        self.found.append((self.getpos()[0], re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "{...}", data)))


def read(path: Path) -> Iterator[tuple[int, str]]:
    """Every text of a file that somebody may see."""
    if path.suffix == ".py":
        collected = Sentences()
        collected.visit(ast.parse(path.read_text("utf-8")))
        yield from collected.found
    elif path.suffix == ".html":
        texts = Texts()
        texts.feed(path.read_text("utf-8"))
        yield from texts.found
    else:
        yield from enumerate(re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.S).split("\n\n"), 1)


def sentences(folder: Path) -> Iterator[tuple[str, str]]:
    """The place and the words of every sentence below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".py", ".html", ".md"):
            continue
        name = path.relative_to(folder).as_posix()
        if folder == SOURCE and name.startswith(SENT_TO_MODELS) and "/sections" not in name:
            continue
        for line, text in read(path):
            words = " ".join(text.split())
            if len(WORD.findall(words)) >= LEAST_WORDS and not PATTERN.search(words):
                yield f"{path.relative_to(ROOT)}:{line}", words


def main() -> None:
    """Print the sentences of some folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=[SOURCE])
    for folder in parser.parse_args().folders:
        for place, words in sentences(folder.resolve()):
            sys.stdout.write(f"{place}\t{words}\n")


if __name__ == "__main__":
    main()
