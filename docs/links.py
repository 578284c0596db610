"""A check of the built site: every link within it leads somewhere, and nothing is loaded from a network.

`python docs/links.py site` prints what is wrong and ends with exit status 1, or prints how much was checked.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
"""What a browser fetches by itself; a link in an `a` is only followed."""
HARMLESS = {"canonical", "next", "prev", "edit", "alternate", "author"}
"""Relations of a `link` that nothing is loaded for."""
REPORTS = "examples"
"""Reports in here are files of ours that refer to nothing but themselves; their anchors are checked by their tests."""


class Page(HTMLParser):
    """The links, the anchors and what is loaded of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the element refers to."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in LOADS and LOADS[tag] in given and not set(given.get("rel", "").split()) & HARMLESS:
            self.loads.append(given[LOADS[tag]])


def wrong_links(site: Path) -> list[str]:
    """A line for every broken link, missing anchor and load from elsewhere."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html")) if ours(site, path)}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name}: loads {each} from elsewhere" for each in page.loads if elsewhere(each)]
        for target in (*page.links, *(each for each in page.loads if not elsewhere(each))):
            if (why := broken(site, path, target, pages)) is not None:
                found.append(f"{name}: {target} {why}")
    for path in sorted(site.rglob("*.css")):
        found += [
            f"{path.relative_to(site)}: loads {each} from elsewhere"
            for each in re.findall(
                r"(?:@import\s+|url\()['\"]?((?:https?:)?//[^'\")\s]+)", path.read_text(encoding="utf-8")
            )
        ]
    return found


def ours(site: Path, path: Path) -> bool:
    """Whether the page is one of the site's own, not a report and not the page that a server shows for errors."""
    inside = path.relative_to(site)
    return inside.parts[0] != REPORTS and inside.name != "404.html"


def elsewhere(target: str) -> bool:
    """Whether an address is on another machine."""
    return bool(urlsplit(target).netloc)


def broken(site: Path, path: Path, target: str, pages: dict[Path, Page]) -> str | None:
    """Why a link leads nowhere; of one to elsewhere, only whether it can be an address."""
    parts = urlsplit(target)
    if parts.scheme in ("mailto", "data", "javascript"):
        return None
    if parts.scheme or parts.netloc:
        well = parts.scheme in ("http", "https") and re.fullmatch(r"[\w.-]+\.\w+(:\d+)?", parts.netloc)
        return None if well else "is no address"
    to = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    to = to / "index.html" if to.is_dir() else to
    if not to.is_file() or not to.is_relative_to(site.resolve()):
        return "does not exist"
    if parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].anchors:
        return "has no such anchor"
    return None


def main(folder: str) -> None:
    """Check the site in a folder."""
    site = Path(folder).resolve()
    found = wrong_links(site)
    for line in found:
        print(line, file=sys.stderr)
    if found:
        sys.exit(f"{len(found)} broken links in {folder}.")
    print(f"All links of {sum(1 for _ in site.rglob('*.html'))} pages in {folder} lead somewhere.")


if __name__ == "__main__":
    main(sys.argv[1])
