"""The shape of the code, held by tests: arrows point left, members stand alone, importing is quick."""

import ast
import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from snellen import benchmarks, imports, models, reading, stress
from snellen.reading.reports import metrics
from snellen.tools.audit import checks

SOURCE = Path(__file__).parents[1] / "src" / "snellen"
TIERS = [
    {"errors", "moved"},
    {"plugins", "runtime", "schemas", "listening", "unpacking"},
    {"files"},
    {"cluster"},
    {"images"},
    {"items", "lexicon"},
    {"perturb"},
    {"conditions"},
    {"prompts"},
    {"benchmarks"},
    {"models"},
    {"store"},
    {"reading"},
    {"stats"},
    {"stress"},
    {"asking"},
    {"judging"},
    {"sight"},
    {"scoring"},
    {"report"},
    {"papers", "tools/audit", "tools/chart", "tools/compare", "tools/guard", "tools/planner", "tools/review"},
    {"imports"},
    {"study", "judging/qualify", "tools/degrade", "tools/serve", "tools/view"},
    {"cli", "tools/inspect", "testing"},
    {"__main__"},
]
RANK = {part: rank for rank, tier in enumerate(TIERS) for part in tier}
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
"""A block of code in a page."""
OF_INTEREST = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Call)


@cache
def look_through(path):
    """The modules of ours that a file imports, the classes that it has, and the lines that write; read once."""
    text = path.read_text()
    every = list(ast.walk(ast.parse(text if path.suffix == ".py" else "".join(PYTHON.findall(text)))))
    nodes = [node for node in every if isinstance(node, OF_INTEREST)]
    typing = [node for node in every if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    unloaded = {inner for node in typing for inner in ast.walk(node)}
    return SimpleNamespace(
        imported=tuple(_imported(nodes)),
        named=tuple(_named(nodes)),
        loaded=tuple(_loaded(node for node in nodes if node not in unloaded)),
        classes=[node.name for node in nodes if isinstance(node, ast.ClassDef)],
        writing=[node.lineno for node in nodes if isinstance(node, ast.Call) and _writes(node)],
    )


def imported(path):
    """The modules of ours that a file imports, wherever in it."""
    return look_through(path).imported


def _imported(nodes):
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "snellen":
            if node.module == "snellen":
                yield from (f"snellen.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "snellen")


def _named(nodes):
    """What is taken of our modules, each with the path to it: `snellen.stats.wilson`."""
    for node in nodes:
        for alias in getattr(node, "names", ()):
            path = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            if path.startswith("snellen."):
                yield path


def _loaded(nodes):
    """The modules that may be loaded: each that is named, and the packages above it."""
    for node in nodes:
        for module in _imported([node]):
            named = [f"{module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            for name in (module, *named):
                parts = name.split(".")
                yield from (".".join(parts[:end]) for end in range(2, len(parts) + 1))


def module_name(path):
    """The module of a file: that of an `__init__` is its package."""
    return ".".join(("snellen", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def files():
    return [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


def part_of(names):
    """The package of a module, or the tool in `tools`."""
    inner = names[0] == "tools" or names[:2] == ("judging", "qualify")
    return "/".join(names[: 1 + inner]).removesuffix(".py")


def test_imports_point_left():
    """A module imports only from parts to its left, or from its own part."""
    pointing_right = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path in files()
        for module in imported(path)
        for own, other in [(part_of(path.relative_to(SOURCE).parts), part_of(tuple(module.split(".")[1:])))]
        if other != own and "__init__" not in own and RANK[other] >= RANK[own]
    ]
    assert pointing_right == []


NO_SPINE = {"benchmarks", "papers", "imports", "tools", "cli", "commands", "testing", "__main__"}
"""What stands beside the way that every study takes."""


def test_the_spine_finds_papers_and_tools_by_name_alone():
    """No module that every study needs loads a paper or a tool: it has at most the name of one, as text."""
    loading = [
        f"{path.relative_to(SOURCE)} loads {module}"
        for path in files()
        if path.relative_to(SOURCE).parts[0].removesuffix(".py") not in NO_SPINE
        for module in look_through(path).loaded
        if module.split(".")[1] in ("papers", "tools")
    ]
    assert loading == []


ANALYSES = {"reading", "stats", "judging", "scoring", "report", "papers", "tools"}
ASKED = {"design", "folds", "base", "prompt_and_effort"}
"""What asking may load of the stress tests: their records, the registry, and the order in which items are asked."""


def test_asking_can_load_nothing_that_reads_or_measures():
    """Whatever `asking` imports, wherever and to the last module, nothing grades, measures, judges or reports."""
    modules = {module_name(path): path for path in files()}
    reached, waiting = set(), [module for module in modules if module.startswith("snellen.asking")]
    while waiting:
        if (module := waiting.pop()) in modules and module not in reached:
            reached.add(module)
            waiting += look_through(modules[module]).loaded
    named = {module for path in (SOURCE / "asking").rglob("*.py") for module in imported(path)}
    assert {module for module in named if "stress" in module} == {"snellen.stress.design", "snellen.stress.folds"}
    apart = [module.split(".")[1:] for module in reached]
    assert {part for package, *inner in apart if package == "stress" for part in inner} <= ASKED
    assert {package for package, *_ in apart} & ANALYSES == set()


ONE_FILE_EACH = [benchmarks, checks, imports, metrics, models, reading, stress]


@pytest.mark.parametrize("family", ONE_FILE_EACH, ids=lambda family: family.__name__)
def test_members_of_a_family_do_not_import_each_other(family):
    """One member, one file: no member leans on another."""
    homes = {name: reference.partition(":")[0] for name, reference in family.MEMBERS.items()}
    for name, home in homes.items():
        place = SOURCE.parent / Path(*home.split("."))
        for path in place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]:
            others = {other for key, other in homes.items() if key != name}
            assert not others & set(imported(path)), path


def test_a_class_of_the_report_has_a_name_of_its_own():
    """No two classes of the report and its chapters share a name."""
    of_report = [path for path in files() if "report" in path.relative_to(SOURCE).parts[:-1]]
    names = Counter(name for path in of_report for name in look_through(path).classes)
    assert [name for name, count in names.items() if count > 1] == []


def test_papers_do_not_import_each_other():
    """Each paper is a folder that could be taken out."""
    papers = [path.name for path in (SOURCE / "papers").iterdir() if (path / "__init__.py").exists()]
    assert {"readiness", "mirage", "artefacts", "italian"} <= set(papers)
    for paper in papers:
        others = tuple(f"snellen.papers.{other}" for other in papers if other != paper)
        for path in (SOURCE / "papers" / paper).rglob("*.py"):
            assert not [module for module in imported(path) if module.startswith(others)], path


def test_statistics_know_nothing_of_ours():
    """`stats` imports nothing but itself."""
    for path in (SOURCE / "stats").rglob("*.py"):
        assert all(module.startswith("snellen.stats") for module in imported(path)), path


WRITING = {
    "mkdir", "makedirs", "write_text", "write_bytes", "touch", "mkstemp", "mkdtemp", "NamedTemporaryFile",
    "copy2", "copyfile", "copytree", "symlink_to", "hardlink_to", "chmod",
}  # fmt: skip


def _writes(node):
    """Whether a call makes or opens a file to write to, by its name or by the mode that it is given."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    modes = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return name in WRITING or (name == "open" and any(re.fullmatch(r"[rb]*[wax+][b+]*", mode) for mode in modes))


def test_files_are_written_by_one_door():
    """Private, whole and never behind a link: so is what `files` writes, and nothing else writes."""
    writing = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in files()
        if path != SOURCE / "files.py"
        for line in look_through(path).writing
    ]
    assert writing == []


def test_inspect_has_two_doors():
    """Inspect AI is imported where its models are asked and where Snellen stands inside it, and nowhere else."""
    doors = (SOURCE / "models" / "inspect_ai.py", SOURCE / "tools" / "inspect")
    importing = [path for path in files() if re.search(r"^ *(import|from) inspect_ai", path.read_text(), re.MULTILINE)]
    assert [path for path in importing if not any(path.is_relative_to(door) for door in doors)] == []


def test_no_table_is_a_test_for_each_row(request):
    """Many rows are one test that names the row which failed: to run a test for each costs more than what it tests."""
    instances = Counter(item.nodeid.partition("[")[0] for item in request.session.items)
    assert [(name, count) for name, count in instances.items() if count > 130] == []


ROOT = SOURCE.parents[1]
PACKAGES = {module_name(path) for path in SOURCE.glob("**/__init__.py")} - {"snellen"}


def takings():
    """What each file takes from a package that it is no part of: the package, its member on the way, and the name."""
    others = [*ROOT.glob("examples/plugin/**/*.py"), *ROOT.glob("docs/**/*.md")]
    for path in [*files(), *others]:
        own = part_of(path.relative_to(SOURCE).parts) if path not in others else ""
        for taken in look_through(path).named:
            parts = taken.split(".")
            for depth in range(2, len(parts)):
                if part_of(tuple(parts[1:])) != own and (package := ".".join(parts[:depth])) in PACKAGES:
                    yield path.relative_to(ROOT), package, parts[depth], parts[-1]


def public(package):
    return getattr(import_module(package), "__all__", ())


def test_packages_take_from_each_other_what_all_names():
    """`__all__` of a package has the names that others may import, from it or from their module, and whole modules."""
    private = [
        f"{path} imports {name}: add {member!r} to __all__ of {package}, or do without it"
        for path, package, member, name in takings()
        if name.startswith("_") or not {member, name} & set(public(package))
    ]
    assert private == []


def test_what_all_names_is_there_and_every_module_in_it_is_taken():
    """The list of a package shrinks by itself: a module that no other package imports is not public."""
    taken = {(package, member) for _, package, member, _ in takings()}
    for package in sorted({package for package, _ in taken}):
        home, names = import_module(package), public(package)
        assert len(set(names)) == len(names), package
        modules = [name for name in names if isinstance(getattr(home, name, home), ModuleType)]
        assert [name for name in modules if (package, name) not in taken] == [], package


def test_every_public_name_is_there():
    """Each name of `__all__` can be imported, and the list is sorted."""
    import snellen

    assert list(snellen.__all__) == sorted(snellen.__all__)
    for name in snellen.__all__:
        assert getattr(snellen, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        snellen.nothing  # noqa: B018


FOR_PEOPLE = {"RULES", "WEIGHS", "MEMBERS", "AGREEMENT", "_EVERY_RULE", "DETAIL_KINDS", "__all__"}
"""Names of what the parsers say of themselves, and of what a package offers."""
RECORDS = {"Parser", "_form", "pattern", "Metric", "_make_metric"}
"""Calls that make a record for people, or a pattern out of the names of roles."""
FEW_WORDS = 24


def words_listed(node):
    """How many words of two letters or more the texts of a statement hold."""
    texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return len(re.findall(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*", " ".join(texts)))


def test_words_of_a_language_stand_in_one_place():
    """No parser has a word list of its own: `reading/language` and `lexicon` own the words of all languages."""
    listed = []
    for path in sorted((SOURCE / "reading").rglob("*.py")):
        if "language" in path.relative_to(SOURCE).parts:
            continue
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            name = ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
            made_by = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
            if name not in FOR_PEOPLE and made_by not in RECORDS and words_listed(node.value) > FEW_WORDS:
                listed.append(f"{path.relative_to(SOURCE)}: {name} has {words_listed(node.value)} words")
    assert listed == []
