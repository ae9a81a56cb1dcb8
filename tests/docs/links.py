"""Checks the documents' links without a network.

  links.py [ROOT]     ROOT: a checkout, by default this one

- Each relative link and picture leads to a file, and its anchor to a heading of that page.
- Each page below docs/ is reached by links from docs/index.md, as a reader on GitHub goes.
- Each page of docs/ that a source, a message or another page names by its path is there.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parent.parent.parent
FENCE = re.compile(r"^( *)(`{3,}|~{3,})[^`\n]*\n.*?^\1\2[`~]*[ ]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"""!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)""",
                  re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.+?) *#* *$", re.MULTILINE)
ANCHOR = re.compile(r'^\(([\w-]+)\)=$|<a (?:id|name)="([^"]+)"', re.MULTILINE)
NAMED = re.compile(r"(?<![\w/.-])docs/[\w./-]+\.md(?:#[\w-]+)?")
INDEX = "docs/index.md"


def files():
    """The checkout's files that git has or would add."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    return sorted({name for name in listed.splitlines() if (ROOT / name).is_file()})


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def slug(heading):
    """GitHub's anchor of a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


class Page:
    def __init__(self, name):
        self.name = name
        text = (ROOT / name).read_text(encoding="utf-8")
        prose = FENCE.sub(blank, text)
        self.anchors = {found for pair in ANCHOR.findall(prose) for found in pair if found}
        for heading in HEADING.findall(prose):
            plain, number = slug(heading), 0
            while (anchor := f"{plain}-{number}" if number else plain) in self.anchors:
                number += 1
            self.anchors.add(anchor)
        prose = CODE.sub(blank, prose)
        self.links = [(prose.count("\n", 0, found.start()) + 1, found[1] or found[2])
                      for found in LINK.finditer(prose)]


def lead(pages, page, link):
    """The file that a relative link leads to, and what is wrong with it."""
    path, _, anchor = link.partition("#")
    target = (ROOT / page.name).parent / path if path else ROOT / page.name
    if not target.resolve().is_relative_to(ROOT) or not target.is_file():
        return None, "is no file"
    name = str(target.resolve().relative_to(ROOT))
    if anchor and name in pages and anchor not in pages[name].anchors:
        return name, f"{name} has no heading with that anchor"
    return name, None


def check_links(pages):
    """What is wrong with links, and where each page leads to."""
    wrong, leads, count = [], {}, 0
    for page in pages.values():
        leads[page.name] = set()
        for line, link in page.links:
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                continue
            count += 1
            name, problem = lead(pages, page, link)
            leads[page.name].add(name)
            if problem:
                wrong.append(f"{page.name}:{line}: {link}: {problem}")
    return wrong, leads, count


def check_reach(pages, leads):
    reached, todo = {INDEX}, [INDEX]
    while todo:
        for name in leads.get(todo.pop(), ()):
            if name in pages and name not in reached:
                reached.add(name)
                todo.append(name)
    return [f"{name}:1: no links lead from {INDEX} to this page"
            for name in sorted(pages) if name.startswith("docs/") and name not in reached]


def check_named(names, pages):
    wrong, count = [], 0
    for name in names:
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for found in NAMED.finditer(text):
            count += 1
            path, _, anchor = found[0].partition("#")
            if path not in pages or anchor and anchor not in pages[path].anchors:
                wrong.append(f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]}: there is no such page")
    return wrong, count


def main():
    names = files()
    pages = {name: Page(name) for name in names if name.endswith(".md") and not name.startswith("changes.d/")}
    if INDEX not in pages:
        sys.exit(f"links: there is no {INDEX}")
    wrong, leads, links = check_links(pages)
    named, mentions = check_named([name for name in names if name != "tests/docs/checks_test.py"], pages)
    wrong += check_reach(pages, leads) + named
    for line in wrong:
        print(line)
    if not links or not mentions:
        sys.exit("links: no page links to another one, or no file names a page")
    print(f"links: {len(pages)} pages, {links} links, {mentions} names of pages, {len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
