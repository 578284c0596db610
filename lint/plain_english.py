"""Names and sentences that a reader would stumble over: `make check` fails if one of the counts rises.

    python lint/plain_english.py            counts, and what is wrong
    python lint/plain_english.py --places   every place
    python lint/plain_english.py --lower    write lower counts to counts.json

Functions are named by a verb and its object, values by a noun; a class name means one thing; the first sentence of a
docstring has at most 15 words; some words are avoided because the field has a better one. Checked are names,
docstrings and messages of `src`, the docs and the README. What is sent to models and the words that parsers read
are not sentences of ours. `allowed.tsv` has at most 30 exceptions: rule, place and reason.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
MOST_WORDS, MOST_ALLOWED = 15, 30
PARTICIPLES = {
    "begun", "bought", "brought", "built", "caught", "chosen", "drawn", "driven", "fallen", "found", "given", "gone",
    "got", "grown", "heard", "held", "hidden", "kept", "known", "laid", "led", "left", "lent", "lost", "made",
    "meant", "met", "paid", "said", "seen", "sent", "shown", "sold", "sought", "spelt", "spent", "spoken", "struck",
    "taken", "taught", "thought", "thrown", "told", "understood", "unheard", "unread", "unsaid", "unseen", "untaken",
    "withheld", "won", "worn", "written",
}  # fmt: skip
VERBS = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed"}
PREPOSITIONS = {
    "about", "above", "across", "after", "against", "along", "among", "around", "at", "before", "behind", "below",
    "beside", "between", "beyond", "by", "down", "for", "from", "in", "inside", "into", "near", "of", "off", "on",
    "out", "outside", "over", "past", "since", "through", "to", "toward", "under", "until", "up", "via", "with",
    "within", "without", "once", "only", "others", "elsewhere", "together",
}  # fmt: skip
RULED_OUT = {
    "response, not reply": r"\brepl(?:y|ies)\b",
    "image, not picture": r"\bpictures?\b",
    "repeat, not replicate": r"\breplicates?\b|\breruns?\b",
    "compared with, not held against": r"\bh(?:e|o)ld(?:s|)? (?:\w+ )?against\b",
    "distinguished from, not told from": r"\btold from\b",
    "outcome, not what became of": r"\bbec[ao]mes? of\b",
    "declined, refused or no answer, not silent": r"\bsilen(?:ce|t)\b",
    "if there is none, not where none is": r"\bwhere (?:there (?:is|are) none|none (?:is|are)|nobody)\b",
    "name who, not nobody": r"\b(?:nobody|somebody)\b",
    "supports, not bears out": r"\bbears? (?:it|them) out\b",
    "run it again, not the command goes on": r"\bcommand goes on\b",
    "an image, not a image": r"\ba (?:image|item|answer|option|arm|exam|error|API|MRI|OCT|X-ray)\b",
}
TEXTS_FOR_MODELS = re.compile(r"/(prompts|judging|organisms|phantoms|perturb|lexicon|reading/language)/")
NOT_PROSE = re.compile(r"```.*?```|`[^`]*`|\{\{.*?\}\}|\{%.*?%\}|<[^<>]*>|\]\([^)]*\)|https?://\S+", re.DOTALL)
EXAMPLES = re.compile(r"^[ \t]*>>>.*?(?=^[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
FIRST_SENTENCE = re.compile(r".*?[.!?:](?=\s|$)", re.DOTALL)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Place(NamedTuple):
    """Where a rule is broken, and the name or the words."""

    rule: str
    path: str
    line: int
    what: str


def find_places(root: Path) -> list[Place]:
    """Every place of a checkout where a rule is broken."""
    found: list[Place] = []
    classes: dict[str, list[Place]] = defaultdict(list)
    for path in sorted(root.glob("src/**/*.py")):
        name, tree = path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8"))
        for each in ast.walk(tree):
            if isinstance(each, ast.ClassDef):
                classes[each.name].append(Place("class name twice", name, each.lineno, each.name))
            if isinstance(each, Function) and (rule := find_fault(each)):
                found.append(Place(rule, name, each.lineno, each.name))
            if isinstance(each, ast.Module | ast.ClassDef | Function):
                found += check_docstring(each, name)
        for line, text in list_sentences(tree, messages=not TEXTS_FOR_MODELS.search(name)):
            found += check_words(text, name, line)
    for path in sorted([*root.glob("docs/**/*.md"), *root.glob("src/**/*.jinja"), root / "README.md"]):
        if path.exists():
            found += check_words(path.read_text("utf-8"), path.relative_to(root).as_posix(), 1)
    return [*found, *(each for places in classes.values() if len(places) > 1 for each in places[1:])]


def find_fault(function: Function) -> str:
    """Which rule a function's name breaks, if any; a property may be an adjective."""
    name = function.name.strip("_")
    decorated = {ast.unparse(each).split(".")[-1] for each in function.decorator_list}
    if function.name.startswith("__") or decorated & {"property", "cached_property", "setter", "overload"}:
        return ""
    if name in PREPOSITIONS:
        return "preposition as a name"
    return "participle as a name" if name in PARTICIPLES or is_regular(name) else ""


def is_regular(name: str) -> bool:
    """Whether a name is one word that ends as a participle does."""
    return name.endswith("ed") and "_" not in name and name not in VERBS


def check_docstring(node: ast.Module | ast.ClassDef | Function, path: str) -> Iterator[Place]:
    """Whether the first sentence of a docstring is short."""
    text = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
    first = match[0] if (match := FIRST_SENTENCE.match(text)) else text
    if len(re.sub("`[^`]*`", "code", first).split()) > MOST_WORDS:
        yield Place("long first sentence", path, getattr(node, "lineno", 1), first)


def list_sentences(node: ast.AST, *, messages: bool) -> Iterator[tuple[int, str]]:
    """The docstrings and notes below a node; also the texts with spaces, unless they are for models or parsers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            yield child.lineno, EXAMPLES.sub("", str(child.value.value))
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            if messages and child.value.count(" ") > 1 and not re.search(r"[\\|^]|\(\?", child.value):
                yield child.lineno, child.value
        else:
            yield from list_sentences(child, messages=messages or isinstance(child, ast.Raise))


def check_words(text: str, path: str, line: int) -> Iterator[Place]:
    """The words of a text that are ruled out."""
    prose = NOT_PROSE.sub(lambda match: " " + "\n" * match[0].count("\n"), text)
    for rule, pattern in RULED_OUT.items():
        for match in re.finditer(pattern, prose, re.IGNORECASE):
            yield Place(rule, path, line + prose.count("\n", 0, match.start()), match[0])


def leave_out_allowed(places: list[Place], lines: list[str]) -> list[Place]:
    """The places without the exceptions; ValueError if those are too many, lack a reason or are not needed."""
    if len(lines) > MOST_ALLOWED:
        raise ValueError(f"allowed.tsv has {len(lines)} exceptions, at most {MOST_ALLOWED} are allowed")
    for line in lines:
        rule, path, what, reason = [*line.split("\t"), "", "", ""][:4]
        left = [each for each in places if (each.rule, each.path, each.what) != (rule, path, what)]
        if len(left) == len(places) or not reason.strip():
            raise ValueError(
                f"allowed.tsv: expected rule, path, name and reason of a place that is there, got {line!r}"
            )
        places = left
    return places


def main(root: Path, *arguments: str) -> int:
    """Print the counts; 1 if one is higher than in counts.json."""
    allowed = (HERE / "allowed.tsv").read_text("utf-8").splitlines()
    places = leave_out_allowed(find_places(root), allowed)
    stored = HERE / "counts.json"
    before: dict[str, int] = json.loads(stored.read_text("utf-8"))
    rules = ["participle as a name", "preposition as a name", "class name twice", "long first sentence", *RULED_OUT]
    counts = {rule: sum(each.rule == rule for each in places) for rule in rules}
    for rule, count in counts.items():
        risen = f", {count - before.get(rule, 0)} more than before" if count > before.get(rule, 0) else ""
        print(f"{count:6,}  {rule}{risen}")
        for each in places if "--places" in arguments or risen else ():
            if each.rule == rule:
                print(f"        {each.path}:{each.line}: {each.what[:100]}")
    higher = [rule for rule in rules if counts[rule] > before.get(rule, 0)]
    if "--lower" in arguments and not higher:
        stored.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    return int(bool(higher))


if __name__ == "__main__":
    sys.exit(main(HERE.parent, *sys.argv[1:]))
