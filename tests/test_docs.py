"""The documentation is true: its examples run, its links lead somewhere, and nothing is left out of it."""

import csv
import inspect
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import chdir
from functools import cache
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

import snellen
from parts import require
from plug_ins import ENTRY_POINTS, WARD
from snellen import benchmarks, conditions, models, reading, stress
from snellen.cli import cli, main
from snellen.cli.terminal import out
from snellen.errors import StudyError
from snellen.images import encode
from snellen.models.organisms import ORGANISMS
from snellen.papers import suites
from snellen.plugins import names
from snellen.prompts import TASKS
from snellen.reading.reports import metrics
from snellen.scoring.gate import parse
from snellen.study import rescore
from snellen.tools.audit import checks

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()
PAGES = {str(path.relative_to(DOCS)): path.read_text() for path in sorted(DOCS.rglob("*.md"))}
GATE, COMPARE = PAGES["how-to/gate-in-ci.md"], PAGES["how-to/compare-studies.md"]
PARSERS = PAGES["how-to/add-a-parser.md"]


@pytest.fixture(scope="module")
def reference():
    """The generated pages by name."""
    return run_path(str(DOCS / "reference.py"))["pages"]()


def blocks(text, language):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for of, block in fenced if of == language]


def test_the_reference_has_every_member_command_and_public_name(reference):
    """What is added to a family, to the command line or to the package is on its page, with what it is."""
    for name, command in cli.commands.items():
        assert f"## snellen {name}\n" in reference["commands.md"]
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert f"| `{parameter.opts[0]}`" in reference["commands.md"], parameter.opts
    for name in stress.MEMBERS:
        assert f"| `{name}` | {stress.stress_test(name).asks} |" in reference["tests.md"]
    for name in snellen.__all__:
        assert f"## snellen.{name}\n" in reference["python.md"]
    for page, found in (
        ("conditions.md", conditions.MEMBERS),
        ("datasets.md", benchmarks.MEMBERS),
        ("parsers.md", reading.MEMBERS),
        ("metrics.md", metrics.MEMBERS),
        ("checks.md", checks.MEMBERS),
        ("suites.md", suites()),
    ):
        for name in found:
            assert f"## {name}\n" in reference[page]
    for name in models.MEMBERS:
        assert f"## {name}/…\n" in reference["models.md"]
    for name, organism in ORGANISMS.items():
        assert f"### organism/{name}\n" in reference["models.md"]
        assert inspect.getdoc(organism).splitlines()[0][:30] in reference["models.md"]


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_is_told_in_a_line(command):
    """The first page of the reference names each command, for those who read it without a site."""
    assert f"| `snellen {command}" in PAGES["reference/index.md"]


@pytest.mark.parametrize("name", sorted(stress.MEMBERS))
def test_every_stress_test_is_explained(name):
    """It is listed with its question, word for word, and one more page says what it measures."""
    assert f"| `{name}` | {stress.stress_test(name).asks} |" in PAGES["reference/test-list.md"]
    explained = [page for page, text in PAGES.items() if page.startswith("concepts/") and f"`{name}`" in text]
    assert len(explained) > 1 or name == "comparison"


@pytest.mark.parametrize("name", [*names("datasets", benchmarks.MEMBERS), *names("models", models.MEMBERS)])
def test_every_dataset_and_model_is_in_a_page_that_was_written(name):
    """Each dataset and model provider is mentioned where a user looks."""
    assert any(re.search(rf"`{name}[`:/]", text) for text in PAGES.values()) or name == "folder"


def test_every_organism_is_explained():
    """One line says how it behaves."""
    for name in ORGANISMS:
        assert f"| `organism/{name}` |" in PAGES["concepts/organisms-and-phantoms.md"]


def test_the_page_on_reading_names_parsers_with_their_kinds():
    """Each line of its table is of a parser that there is; the reference has every parser."""
    listed = re.findall(r"^\| `([\w-]+)` \| `([\w-]+)` \|", PAGES["reference/reading-rules.md"], re.MULTILINE)
    assert len(listed) >= 18
    assert listed == [(name, reading.parser_named(name).kind) for name, _ in listed]


def test_every_concept_has_its_picture_and_the_pictures_are_what_the_code_draws():
    """Each page of measures shows one, and docs/pictures.py would draw the same again."""
    drawn = {name: draw().svg() for name, draw in run_path(str(DOCS / "pictures.py"))["PICTURES"].items()}
    for name, svg in drawn.items():
        assert (DOCS / "pictures" / f"{name}.svg").read_text() == svg, f"run docs/pictures.py: {name}"
        assert any(f"pictures/{name}.svg" in text for text in PAGES.values()), name
    assert {path.stem for path in (DOCS / "pictures").iterdir()} == set(drawn)


def test_the_readme_fits_two_screens():
    """Long lists are in the docs."""
    assert len(README.splitlines()) <= 90


def test_every_page_is_in_the_navigation(reference):
    """A page that nobody can find is no documentation; a line that leads nowhere is none either."""

    def listed(entry):
        if isinstance(entry, str):
            return [entry]
        inside = entry.values() if isinstance(entry, dict) else entry
        return [page for each in inside for page in listed(each)]

    nav = listed(tomllib.loads((DOCS / "zensical.toml").read_text())["project"]["nav"])
    assert sorted(nav) == sorted({*PAGES, *(f"reference/{name}" for name in reference), "reports.md", "SECURITY.md"})


def test_the_parser_of_the_docs_keeps_the_contract(ward, tmp_path):
    """The check of the page passes for the parser that it quotes."""
    [check] = [block for block in blocks(PARSERS, "python") if not is_quoted(block)]
    (tmp_path / "check.py").write_text(check)
    assert run_path(str(tmp_path / "check.py"), run_name="__main__")["PARSER"].name == "last-words"


MEMBERS = {path.name: path.read_text() for path in WARD.glob("ward/[!_]*.py")}
"""The files of the example package, which the pages on plug-ins quote."""


def is_quoted(block):
    """Whether a block is code of the example package, word for word."""
    return any(block in text for text in MEMBERS.values())


def test_the_pages_on_plug_ins_quote_the_example():
    """Each of its files is quoted, nothing else stands there, and entry points are those of its pyproject."""
    quoting = ("write-a-plug-in", "change-pixels", "own-figures")
    code = [block for page in quoting for block in blocks(PAGES[f"how-to/{page}.md"], "python")]
    assert [block for block in code if not is_quoted(block)] == []
    quoted = [block for text in PAGES.values() for block in blocks(text, "python") if is_quoted(block)]
    assert [name for name, text in MEMBERS.items() if not any(block in text for block in quoted)] == []
    shown = [tomllib.loads(block)["project"]["entry-points"] for text in PAGES.values()
             for block in blocks(text, "toml") if "entry-points" in block]  # fmt: skip
    assert len(shown) >= 6
    for group, points in (each for found in shown for each in found.items()):
        assert points.items() <= ENTRY_POINTS[group].items()


APART = ("how-to/add-a-parser.md", "how-to/gate-in-ci.md", "how-to/compare-studies.md")
"""Pages whose blocks belong to commands or to each other; each has a test of its own."""
COPIED = {
    f"{page}:{number}": block
    for page, text in {"README.md": README, **PAGES}.items()
    if page not in APART
    for number, block in enumerate(blocks(text, "python"))
    if not is_quoted(block)
}


@pytest.mark.parametrize("block", COPIED.values(), ids=COPIED)
def test_every_python_block_runs(block, tmp_path, capsys):
    """What is copied from README and docs works, and prints the verdicts that it says; of fewer phantoms, for time."""
    script = tmp_path / "copied.py"
    script.write_text(block.replace("phantoms:items=100,", "phantoms:items=20,"))
    with chdir(tmp_path):
        run_path(str(script), run_name="__main__")
    assert " questions\n  " in capsys.readouterr().out


def commands(text):
    """The arguments of every `snellen …` in the blocks that are typed into a shell."""
    for block in blocks(text, ""):
        for line in block.splitlines():
            if found := re.match(r"(?:[A-Z_]+=\S+ )?snellen (?!-)(.*)", line):
                yield shlex.split(found[1], comments=True)


def test_whoever_types_a_page_from_top_to_bottom_overwrites_nothing(tmp_path, monkeypatch):
    """Every command takes the options it is given, and every study has a folder of its own; imports add to theirs."""
    for number, page in enumerate(["README.md", *PAGES]):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        for file in (
            "answers.jsonl.gz",
            "logs/with.eval",
            "logs/without.eval",
            "logs/my-model/task_samples.jsonl",
            "exam/responses.sqlite",
            "labelled.jsonl",
            "pairs.jsonl",
            "labels.csv",
            "mending/responses.sqlite",
        ):
            (folder / file).parent.mkdir(exist_ok=True, parents=True)
            (folder / file).touch()
        text = README if page == "README.md" else PAGES[page]
        folders = re.findall(r'out="([^"]+)"', "".join(blocks(text, "python")))
        imports = set()
        for name, *arguments in commands(text):
            parameters = cli.commands[name].make_context(name, arguments).params
            if name == "exam":
                folders.append(parameters["out"])
                (folder / parameters["out"]).mkdir(exist_ok=True)
            elif name == "import":
                (folder / parameters["out"]).mkdir(exist_ok=True)
                imports.add(parameters["out"])
            elif name == "export" and not Path(parameters["file"]).suffix:
                (folder / parameters["file"]).mkdir()
        assert len({*folders, *imports}) == len(folders) + len(imports), page


def test_the_tests_that_contributing_names_are_there():
    """Who changes something finds what to run."""
    named = re.findall(r"\b(?:tests|research|docs)/[\w/.-]+\b", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(named) > 30
    assert [path for path in named if not (ROOT / path).exists() and not is_left_out(ROOT / path)] == []


def test_many_commands_are_checked():
    """The check above is of something."""
    assert sum(len(list(commands(text))) for text in (README, *PAGES.values())) >= 25


def test_two_studies_are_compared_as_the_docs_say(no_page, tmp_path, monkeypatch, capsys):
    """The commands print the lines that stand below them, and the Python block runs on the same folders."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(out, "_width", 100)
    for line in commands(COMPARE):
        monkeypatch.setattr(sys, "argv", ["snellen", *line])
        main()
    printed = capsys.readouterr().out
    (shown,) = blocks(COMPARE, "text")
    assert shown in printed
    with (tmp_path / "comparison.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for column in rows[0]:
        assert f"`{column}`" in COMPARE
    (block,) = blocks(COMPARE, "python")
    (tmp_path / "copied.py").write_text(block)
    found = run_path(str(tmp_path / "copied.py"), run_name="__main__")
    kinds = [row["row"] for row in rows]
    assert [len(found["rows"]), len(found["flipped"])] == [kinds.count("measure"), kinds.count("flip")]
    assert shown in capsys.readouterr().out


def test_the_gate_of_the_docs_prints_what_the_docs_say(no_page, tmp_path, monkeypatch, capsys):
    """Typed and called from Python; the requirements of the workflow can be read, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(out, "_width", 80)
    (shown,), (called,), (workflow,) = (blocks(GATE, language) for language in ("text", "python", "yaml"))
    exam, gate = commands(GATE)
    scored = cache(rescore)  # both gates stand on the same numbers
    monkeypatch.setattr("snellen.scoring.gate.rescore", lambda folder, **how: scored(Path(folder)))
    cli.main(exam, standalone_mode=False)
    capsys.readouterr()
    with pytest.raises(SystemExit, match="1"):
        cli.main(gate, standalone_mode=False)
    assert capsys.readouterr().out == shown
    assert (tmp_path / "gate.xml").read_text().count("<failure") == 2
    (tmp_path / "called.py").write_text(called)
    assert not run_path(str(tmp_path / "called.py"))["done"].passed
    assert set(capsys.readouterr().out.splitlines()[:-1]) < set(shown.splitlines())
    (tmp_path / "exam").mkdir()
    for line in re.findall(r"run: snellen (.*)", workflow):
        name, *arguments = shlex.split(line)
        parameters = cli.commands[name].make_context(name, arguments).params
        assert parameters["yes"] if name == "exam" else len(parse(parameters["require"])) == 1


def test_whatever_runs_where_nobody_can_be_asked_says_yes(reference):
    """In a workflow or in the background, a study that asks a server elsewhere would send nothing without it."""
    typed = [line for text in (README, *PAGES.values(), *reference.values()) for line in text.splitlines()]
    unattended = [
        line for line in typed if re.match(r"\s*(?:- run: snellen (?:exam|run)|snellen (?:exam|run) .*&$)", line)
    ]
    assert len(unattended) >= 2
    assert [line for line in unattended if "--yes" not in line] == []


def test_reports_are_scored_as_the_docs_say(tmp_path, monkeypatch, capsys):
    """The rows of the page, scored by the command of the page, print what stands below it."""
    page = PAGES["how-to/score-reports.md"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(out, "_width", 80)
    (rows,) = blocks(page, "jsonl")
    (tmp_path / "pairs.jsonl").write_text(rows, encoding="utf-8")
    (scored,) = commands(page)
    cli.main(scored, standalone_mode=False)
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines() if "scores.json" not in line)
    assert blocks(page, "text")[0].strip("\n") == printed.strip("\n")
    assert (tmp_path / "scores.json").is_file()


def test_the_studies_in_the_docs_are_some(tmp_path):
    """Their TOML names only settings that exist."""
    from snellen.study import Study

    path = tmp_path / "study.toml"
    for block in blocks(PAGES["how-to/study-file.md"], "toml"):
        path.write_text(block)
        assert Study.from_toml(path).epochs == 1


def anchors(text):
    """What headings can be linked to, as GitHub and the site name them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_clinical_cases_of_the_page_load(tmp_path):
    """The rows and prompts of the page on clinical cases are a benchmark, and its table has the eight tasks."""
    page = PAGES["how-to/clinical-cases.md"]
    rows, prompts = blocks(page, "jsonl")[0], blocks(page, "toml")[0]
    (tmp_path / "items.jsonl").write_text(rows, encoding="utf-8")
    (tmp_path / "prompts.toml").write_text(prompts, encoding="utf-8")
    (tmp_path / "7.png").write_bytes(encode(np.zeros((8, 8), np.uint8)).data)
    benchmark = benchmarks.load(tmp_path)
    assert [item.metadata["task"] for item in benchmark] == ["diagnosis", "diagnostic-reasoning"]
    assert sorted(benchmark.about["prompts"]) == ["diagnosis", "knowledge"]
    for task in TASKS:
        assert f"| `{task.name}` | {task.number} | {task.title} | {task.kind}" in page


def test_the_report_of_the_page_loads(tmp_path):
    """The row of the page on clinical cases that asks for a report is one."""
    (tmp_path / "items.jsonl").write_text(blocks(PAGES["how-to/clinical-cases.md"], "jsonl")[1], encoding="utf-8")
    (tmp_path / "12.png").write_bytes(encode(np.zeros((8, 8), np.uint8)).data)
    (item,) = benchmarks.load(tmp_path)
    assert (item.kind, item.context, item.cluster) == ("report", "Cough for three weeks.", "patient-12")
    assert item.answer.startswith("FINDINGS: Small left pleural effusion.")
    assert item.question == "Write the report of this chest X-ray."


def test_a_benchmark_is_built_as_the_docs_say(no_page, tmp_path, monkeypatch, capsys):
    """Raw cases become a benchmark that runs; people's parts, decisions and votes, are filled into their files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("snellen.tools.review.server.serve", lambda app, place: None)
    page, cases = PAGES["how-to/build-a-benchmark.md"], tmp_path / "cases"
    cases.mkdir()
    (cases / "items.jsonl").write_text(blocks(page, "jsonl")[0], encoding="utf-8")
    for number in (1, 2, 3, 4, 6):
        pixels = np.random.default_rng(number).integers(0, 255, (48, 48), np.uint8)
        (cases / f"{number}.png").write_bytes(encode(pixels).data)
    screen, listed, copied, opened, status, results, labels, again, exam = commands(page)
    cli.main(screen, standalone_mode=False)
    found = {path.stem: path.read_text().split() for path in (tmp_path / "screened").glob("*.txt")}
    assert found == {"repeated-histories": ["3"], "diagnosis-stated": ["4"], "without-image": ["5"]}
    cli.main(listed, standalone_mode=False)
    with pytest.raises(StudyError, match="3 rows without a decision"):
        cli.main(copied, standalone_mode=False)
    assert not (tmp_path / "deidentified").exists()
    _fill(tmp_path / "identifiers.csv", lambda row: [{**row, "decision": "remove"}])
    cli.main(copied, standalone_mode=False)
    written = (tmp_path / "deidentified" / "items.jsonl").read_text()
    assert not re.search("Miller|2021|Turner", written)
    assert written.count("[name]") == 3
    cli.main([*opened, "--port", "0"], standalone_mode=False)
    with pytest.raises(StudyError, match="The study annotation has no models"):
        cli.main(["report", "annotation"], standalone_mode=False)
    cli.main(["review", "export", "annotation", "votes.csv"], standalone_mode=False)
    _fill(tmp_path / "votes.csv", _votes)
    cli.main(["review", "import", "annotation", "votes.csv"], standalone_mode=False)
    cli.main(status, standalone_mode=False)
    cli.main(results, standalone_mode=False)
    cli.main(labels, standalone_mode=False)
    assert "2 settled cases written" in (said := " ".join(capsys.readouterr().out.split()))
    assert "1 case without a settled answer is left out." in said
    built = {item.id: item for item in benchmarks.load(tmp_path / "benchmark")}
    assert {each: item.references for each, item in built.items()} == {
        "1": ("Distal radius fracture", "Colles fracture"),
        "2": ("Medial meniscus tear",),
    }
    assert built["1"].metadata["report"].endswith("Dr. [name] on [date]. Fracture of the distal radius.")
    assert [(item.metadata["task"], item.metadata["body_part"], len(item.images)) for item in built.values()] == [
        ("diagnosis", "wrist", 1),
        ("diagnosis", "knee", 1),
    ]
    cli.main(again, standalone_mode=False)
    cli.main(exam, standalone_mode=False)
    assert (tmp_path / "first-run" / "results.csv").read_text().count("open-answers") > 0


def _fill(path, filled):
    """A CSV file with each row as a person fills it in; one row may become several."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(each for row in rows for each in filled(row))


def _votes(row):
    """Both raters agree on the first case, a third settles the second, and the last stays open."""
    said = {
        "1": ("Distal radius fracture", "distal radius fracture."),
        "2": ("Meniscus", "Tear of a ligament", "Medial meniscus tear"),
        "6": ("Femoral neck fracture", "Hip fracture"),
    }[row["item_id"]]
    raters = ("Dr A", "Dr B", "Dr C")
    votes = [{**row, "rater": rater, "answer": answer} for rater, answer in zip(raters, said, strict=False)]
    votes[0]["also"] = "Colles fracture" if row["item_id"] == "1" else ""
    return [*votes[:2], *({**vote, "settles": "yes"} for vote in votes[2:])]


def is_left_out(path):
    """Whether a file belongs to research/, of which an sdist has nothing."""
    return path.is_relative_to(ROOT / "research") and not (ROOT / "research").exists()


def test_links_within_the_repository_lead_somewhere(reference):
    """Every relative link of README, docs, research and the others, with its anchor."""
    made = {DOCS / "reference" / name: text for name, text in reference.items()}
    sources = [
        path
        for pattern in ("*.md", "docs/**/*.md", "research/**/*.md", "benchmarks/*.md")
        for path in ROOT.glob(pattern)
    ]
    for source in sources:
        for address, _, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)(#([^)\s]+))?\)", source.read_text()):
            target = (source.parent / address).resolve() if address else source
            if is_left_out(target):
                continue
            drawn = target == DOCS / "reports.md"  # the gallery is made with the site
            assert target.exists() or target in made or drawn, f"{source}: {address}"
            if anchor:
                text = made.get(target) or target.read_text()
                assert anchor in anchors(text), f"{source}: {address}#{anchor}"


def test_the_files_that_documents_name_are_there():
    """A module that moved is named by its new path: below the root, the package, the tests or the page's own folder."""
    sources = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(
            path
            for pattern in ("docs/design/**/*.md", "research/**/*.md", "benchmarks/*.md")
            for path in ROOT.glob(pattern)
        ),
    ]
    for source in sources:
        for named in re.findall(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|css|js))`", source.read_text()):
            folders = (ROOT, ROOT / "src", ROOT / "src" / "snellen", ROOT / "tests", source.parent)
            assert is_left_out(ROOT / named) or any((folder / named).exists() for folder in folders), (
                f"{source}: {named}"
            )


def test_the_check_of_the_site_finds_what_is_wrong(tmp_path):
    """A page, an anchor, an image that are not there; a script, a font from elsewhere; no other thing."""
    wrong_links = run_path(str(DOCS / "links.py"))["wrong_links"]
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="#top">a</a><a href="https://example.org/x">x</a>'
        '<img src="c.png"><link rel="canonical" href="https://example.org/a.html">'
    )
    (tmp_path / "b.html").write_text('<p id="there">B</p><a href="a.html">a</a>')
    (tmp_path / "c.png").touch()
    assert wrong_links(tmp_path) == []
    (tmp_path / "d.html").write_text(
        '<a href="b.html#nowhere">b</a><a href="e.html">e</a><img src="f.png"><a href="http://">no</a>'
        '<script src="https://cdn.example.org/x.js"></script><link rel="stylesheet" href="//fonts.example.org/f.css">'
    )
    (tmp_path / "s.css").write_text("@import 'https://fonts.example.org/f.css';")
    assert wrong_links(tmp_path) == [
        "d.html: loads https://cdn.example.org/x.js from elsewhere",
        "d.html: loads //fonts.example.org/f.css from elsewhere",
        "d.html: b.html#nowhere has no such anchor",
        "d.html: e.html does not exist",
        "d.html: http:// is no address",
        "d.html: f.png does not exist",
        "s.css: loads https://fonts.example.org/f.css from elsewhere",
    ]


def test_links_that_leave_the_docs_stay_right_in_the_site(tmp_path):
    """In the site, docs/ is the root: others are one step nearer; a file outside is only named."""
    relinked = run_path(str(DOCS / "build.py"))["relinked"]
    page = tmp_path / "concepts" / "verdicts.md"
    page.parent.mkdir()
    address = "../../CONTRIBUTING.md#code"
    page.write_text(f"[a page of the site](suites.md), [a file]({address})")
    (tmp_path / "concepts" / "suites.md").touch()
    assert relinked(page, tmp_path) == "[a page of the site](suites.md), a file"
    (tmp_path / "CONTRIBUTING.md").touch()
    assert "[a file](../CONTRIBUTING.md#code)" in relinked(page, tmp_path)


def test_the_script_of_the_search_works_without_a_server(tmp_path, browser):
    """In a page opened from a disk, a worker takes a message and sends one back, before and after it is loaded."""
    shutil.copy(DOCS / "style" / "iframe-worker.js", tmp_path)
    (tmp_path / "worker.js").write_text("addEventListener('message', event => postMessage(event.data + 1))")
    (tmp_path / "page.html").write_text(
        "<body><script src='iframe-worker.js'></script><script>window.got = [];"
        "const worker = new Worker('worker.js'); worker.onmessage = event => got.push(event.data);"
        "worker.addEventListener('message', event => { if (event.data < 5) worker.postMessage(event.data) });"
        "worker.postMessage(1)</script></body>"
    )
    browser.open((tmp_path / "page.html").as_uri())
    browser.wait_for("got.length == 4")
    assert browser.evaluate("got") == [2, 3, 4, 5]
    assert browser.complaints == []


def test_the_search_and_its_page_change_nothing_of_each_other(tmp_path, browser):
    """Each gets a copy, later, as between a page and a worker: what either does with it afterwards is its own."""
    shutil.copy(DOCS / "style" / "iframe-worker.js", tmp_path)
    (tmp_path / "worker.js").write_text(
        "addEventListener('message', ({data}) => { const seen = {said: data.text};"
        "data.text = 'changed'; postMessage(seen); seen.said = 'changed' })"
    )
    (tmp_path / "page.html").write_text(
        "<body><script src='iframe-worker.js'></script><script>window.got = []; window.asked = {text: 'c'};"
        "const worker = new Worker('worker.js'); worker.onmessage = event => got.push(event.data.said);"
        "worker.postMessage(asked); asked.text = 'cite'; worker.postMessage(asked)</script></body>"
    )
    browser.open((tmp_path / "page.html").as_uri())
    browser.wait_for("got.length == 2")
    assert browser.evaluate("[...got, asked.text]") == ["c", "cite", "cite"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The written pages as a site, made as the whole documentation is."""
    require("zensical")
    home = tmp_path_factory.mktemp("site")
    for name in ("style", "get-started", "how-to", "concepts", "trust", "reference"):
        shutil.copytree(DOCS / name, home / "pages" / name)
    shutil.copy(DOCS / "index.md", home / "pages")
    settings = (DOCS / "zensical.toml").read_text()
    (home / "zensical.toml").write_text(re.sub(r"^nav = \[\n.*?^\]\n", "", settings, flags=re.DOTALL | re.MULTILINE))
    subprocess.run([sys.executable, "-m", "zensical", "build"], cwd=home, check=True, capture_output=True)
    return home / "site"


QUESTIONS = {
    "cite": "trust/citing.html",
    "half the price": "how-to/batch.html",
    "annotate twice": "how-to/build-a-benchmark.html",
    "junit": "how-to/gate-in-ci.html",
    "not decided": "trust/not-decided.html",
    "option order": "concepts/stability.html",
    "glossary": "reference/glossary.html",
    "sign a release": "trust/release-checklist.html",
    "images arrive": "concepts/delivery.html",
    "benchmark authors": "get-started/for-benchmark-authors.html",
}
"""What a reader types, and the page that has the answer."""


def test_the_search_finds_the_right_page_from_a_disk(site, browser):
    """Typed letter by letter; the page is among the first three, and whole words are marked, not their last letter."""
    browser.open((site / "index.html").as_uri())
    browser.evaluate("document.querySelector('.md-search__button').click()")
    root = "[...document.querySelectorAll('*')].find(each => each.shadowRoot).shadowRoot"
    browser.wait_for(f"{root}.activeElement?.tagName == 'INPUT'")
    for question, page in QUESTIONS.items():
        browser.evaluate(f"{root}.querySelector('input').select()")
        for letter in question:
            browser.send("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            browser.send("Input.dispatchKeyEvent", type="keyUp", key=letter)
        first = f"[...{root}.querySelectorAll('ol a')].map(each => each.href.replace(/[?#].*/, ''))"
        pages = f"[...new Set({first})].slice(0, 3)"
        marked = f"[...{root}.querySelectorAll('ol mark')].map(each => each.innerText.toLowerCase()).join(' ')"
        found = f"{pages}.some(each => each.endsWith({page!r})) && {marked}.includes({question.split()[-1]!r})"
        browser.wait_for(found)


def test_no_document_names_a_path_of_a_machine():
    """Nothing committed knows where it was written."""
    for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *DOCS.glob("*.py"), *(ROOT / "src").rglob("*.py")]:
        assert not re.search(r"/(?:work|root|home)/\w", path.read_text()), path
