"""Change the code at random, one place at a time, and count the changes that the tests notice.

Run `python research/mutants/mutants.py --count 100 --seed 1 --out mutants.jsonl` in an environment that `make test`
made. Each mutant is one change in a module whose numbers or safety matter. It meets the doctests of its module, the
test files named after it or importing it, the rest of its package's tests, and last all other test files that import
it. A mutant that survives all of these is printed with its line: somebody reads it and says whether it matters, is
equivalent, or is harmless. Run the command again to continue.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SOURCE, TESTS = ROOT / "src", ROOT / "tests"
MODULES = (
    "stats/*.py", "stress/conclusions.py", "stress/table.py", "stress/tests/*.py", "scoring/findings.py",
    "scoring/gate.py", "conditions/*.py", "protocols/*/tests/*.py", "asking/run.py", "asking/plan.py", "store/*.py",
    "models/pacing.py", "models/budget.py", "models/endpoint.py", "prompts/*.py", "sight/delivery.py",
    "guard/proxy.py", "guard/signal.py", "review/ballots.py", "review/blinding.py", "imports/storing.py",
    "judging/gate.py", "images/image.py",
)  # fmt: skip
BOUNDARY = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
OPPOSITE = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
NEIGHBOURS = {"min": "max", "max": "min", "any": "all", "all": "any", "low": "high", "high": "low",
              "first": "second", "second": "first"}  # fmt: skip


class Mutant(NamedTuple):
    """One change: the text from `start` to `end` of a file becomes `new`."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str


class Places(ast.NodeVisitor):
    """Collect every change that a module allows."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_bytes()
        self.lines = [0]
        for line in self.text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.found: list[Mutant] = []
        self.visit(ast.parse(self.text))

    def locate(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return where the text of a node begins and ends, in bytes."""
        ends = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        return tuple(self.lines[line - 1] + column for line, column in ends)

    def add(self, kind: str, node: ast.expr | ast.stmt, new: str) -> None:
        """Note that the text of a node may become `new`."""
        path = str(self.path.relative_to(SOURCE))
        self.found.append(Mutant(path, node.lineno, kind, *self.locate(node), self.write(node), new))

    def write(self, node: ast.expr | ast.stmt) -> str:
        """Return the source of a node."""
        return self.text[slice(*self.locate(node))].decode()

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave messages of errors alone."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave sentences alone."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Leave annotations alone, and look at the value."""
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """Leave annotations alone."""

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Look at defaults and body, not at annotations or decorators."""
        for each in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            self.visit(each)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        """Delete a call whose result is not used."""
        if isinstance(node.value, ast.Call | ast.Await):
            self.add("deleted statement", node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Delete an addition in place."""
        self.add("deleted statement", node, "pass")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """Negate the condition, or delete a branch that leaves the function or loop."""
        if self.write(node.test) == "TYPE_CHECKING":
            return
        self.add("negated condition", node.test, f"(not ({self.write(node.test)}))")
        if not node.orelse and isinstance(node.body[-1], ast.Return | ast.Continue | ast.Raise):
            self.add("deleted statement", node, "pass")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Negate the condition."""
        self.add("negated condition", node.test, f"(not ({self.write(node.test)}))")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Move a boundary, or turn a comparison round."""
        if len(node.ops) == 1:
            left, right, kind = self.write(node.left), self.write(node.comparators[0]), type(node.ops[0])
            for name, table in (("boundary", BOUNDARY), ("flipped comparison", OPPOSITE)):
                if kind in table:
                    self.add(name, node, f"(({left}) {table[kind]} ({right}))")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Exchange + and −, × and ÷; not between texts."""
        texts = any(isinstance(each, ast.JoinedStr) or isinstance(getattr(each, "value", None), str)
                    for each in (node.left, node.right))  # fmt: skip
        if type(node.op) in ARITHMETIC and not texts:
            left, right = self.write(node.left), self.write(node.right)
            self.add("arithmetic", node, f"(({left}) {ARITHMETIC[type(node.op)]} ({right}))")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Change a number or a truth value."""
        if isinstance(node.value, bool):
            self.add("constant", node, str(not node.value))
        elif isinstance(node.value, int | float):
            self.add("constant", node, f"({node.value + 1})" if isinstance(node.value, int) else f"({node.value * 2})")

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Exchange `and` and `or`."""
        word = " or " if isinstance(node.op, ast.And) else " and "
        self.add("and or", node, f"({word.join(f'({self.write(each)})' for each in node.values)})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Drop a `not` or a minus."""
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            self.add("dropped not", node, f"({self.write(node.operand)})")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Exchange the first two arguments."""
        if len(node.args) > 1 and not any(isinstance(each, ast.Starred) for each in node.args[:2]):
            one, two, *rest = map(self.write, (*node.args, *node.keywords))
            self.add("swapped arguments", node, f"{self.write(node.func)}({', '.join((two, one, *rest))})")
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """Exchange min and max, any and all."""
        if node.id in NEIGHBOURS and isinstance(node.ctx, ast.Load):
            self.add("neighbour", node, NEIGHBOURS[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Exchange low and high, first and second."""
        if node.attr in NEIGHBOURS and isinstance(node.ctx, ast.Load):
            self.add("neighbour", node, f"({self.write(node.value)}).{NEIGHBOURS[node.attr]}")
        self.generic_visit(node)


def draw_mutants(count: int, seed: int) -> list[Mutant]:
    """Draw a kind of change, then a place for it; no two in one line."""
    files = sorted({path for pattern in MODULES for path in (SOURCE / "snellen").glob(pattern)})
    by_kind: dict[str, list[Mutant]] = {}
    for path in files:
        for each in Places(path).found:
            by_kind.setdefault(each.kind, []).append(each)
    draw, chosen = random.Random(seed), dict[tuple[str, int], Mutant]()
    while len(chosen) < count:
        each = draw.choice(by_kind[draw.choice(sorted(by_kind))])
        chosen.setdefault((each.path, each.line), each)
    return list(chosen.values())


def choose_tests(path: str) -> Iterator[list[str]]:
    """Test files of a module, the nearest first."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parts = module.split(".")
    package = TESTS.joinpath(*parts[1:-1])
    while not package.is_dir():
        package = package.parent
    names = {f"test_{parts[-1]}.py", f"test_{parts[-2]}.py"}
    files = sorted(TESTS.rglob("test_*.py"))
    texts = {each: each.read_text(encoding="utf-8") for each in files}
    doors = [f"from {'.'.join(parts[:depth])} import" for depth in range(2, len(parts) + 1)]
    near = [each for each in files if each.name in names or doors[-1] in texts[each]]
    inside = [each for each in files if package in each.parents and package != TESTS and each not in near]
    others = [each for each in files if each not in near + inside and any(door in texts[each] for door in doors)]
    yield from ([str(each.relative_to(ROOT)) for each in group] for group in (near, inside, others))


def run_tests(mutant: Mutant, tree: Path, seconds: float) -> dict[str, object]:
    """Run the tests of a mutant in a copy of the source; say what noticed it."""
    file = tree / mutant.path
    text = file.read_bytes()
    file.write_bytes(text[: mutant.start] + mutant.new.encode() + text[mutant.end :])
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink()
    setting = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    try:
        for at, tests in enumerate(choose_tests(mutant.path)):
            wanted = [str(file), *tests] if at == 0 else tests
            if not wanted:
                continue
            options = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"))
            command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(ROOT), *wanted]
            try:
                done = subprocess.run(command, cwd=ROOT, env=setting, capture_output=True, text=True, timeout=seconds)
            except subprocess.TimeoutExpired:
                return {"noticed": None, "by": f"time limit of {seconds:.0f} s among {len(tests)} files"}
            if done.returncode not in (0, 1, 2, 5):  # 1: a test failed, 2: a module cannot be imported, 5: no test
                raise RuntimeError(f"pytest could not run: {done.stdout[-800:]}{done.stderr[-800:]}")
            if done.returncode in (1, 2):
                failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
                return {"noticed": True, "by": failed[0][:160] if failed else done.stdout[-160:] + done.stderr[-160:]}
    finally:
        file.write_bytes(text)
    return {"noticed": False, "by": ""}


def main() -> None:
    """Draw mutants, run their tests, and write a row per mutant."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=600, help="time limit for one group of test files")
    parser.add_argument("--out", type=Path, default=Path("mutants.jsonl"))
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    known = {(row["path"], row["start"], row["new"]) for row in rows}
    left = [each for each in draw_mutants(given.count, given.seed) if (each.path, each.start, each.new) not in known]
    trees: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        for job in range(given.jobs):
            tree = Path(folder) / str(job)
            shutil.copytree(SOURCE, tree, ignore=shutil.ignore_patterns("__pycache__"))
            compileall.compile_dir(tree, quiet=2)
            trees.put(tree)

        def try_one(mutant: Mutant) -> None:
            tree = trees.get()
            row = {**mutant._asdict(), **run_tests(mutant, tree, given.seconds)}
            trees.put(tree)
            with given.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
            mark = {True: "noticed", False: "SURVIVED", None: "undecided"}[row["noticed"]]
            print(f"{mark:10} {mutant.path}:{mutant.line} {mutant.kind}: {mutant.old[:60]!r} -> {mutant.new[:60]!r}")

        list(pool.map(try_one, left))
    rows = [json.loads(line) for line in given.out.read_text().splitlines()]
    print(f"{sum(row['noticed'] is True for row in rows)} of {len(rows)} noticed")


if __name__ == "__main__":
    main()
