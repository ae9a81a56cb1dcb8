"""Checks the documents' plain English: sentence lengths, the word list, and the width of lines.

  style.py [--means] [FILE...]     without FILE: README.md, the project's other pages, all of docs/, the changes, the man
                                   pages that are written by hand, and the Helm chart's texts (prose.py)

Code, tables, headings, quotations and HTML comments are no prose; a list item is a paragraph; inline code is one
word. The rows of a table below a comment with its name are made by a test (rights.md), and may be wide.
tests/docs/words.tsv has the words that kubist does not use, and what to write.
"""
import argparse
import os
import pathlib
import re
import sys

from prose import as_markdown

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MEAN, LONGEST, COLUMNS = 18, 35, 120
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "CHANGELOG.md",
         "examples/README.md", "packaging/README.md", "bench/README.md", "docs/**/*.md", "changes.d/*.md", "man/*.[57]",
         "packaging/deploy/*.yaml", "packaging/deploy/chart/**/*.yaml", "packaging/deploy/chart/**/NOTES.txt")
FENCED = re.compile(r"^ *(`{3,}|~{3,}).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
# Two backticks around nothing; those around a text with a backtick are another thing.
EMPTY = re.compile(r"(?:^|(?<=[ (|]))(?<!` )``(?=[ ,.;:)|]|$)(?! `)", re.MULTILINE)
ALERT = re.compile(r"^> \[!\w+\]\n(?:>.*\n)+", re.MULTILINE)  # a warning, a note: prose
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*[A-Z0-9`])")
NOT_AN_END = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|No)\.$")


def words():
    """Each forbidden pattern with its advice."""
    found = []
    for line in (ROOT / "tests/docs/words.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, advice = line.split("\t")
            found.append((re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), advice))
    return found


def paragraphs(text):
    """(line number, text) of each paragraph or list item of a page."""
    number, begin, lines, fence, in_list = 0, 0, [], None, False
    text = ALERT.sub(lambda found: re.sub(r"^> ?(\[!\w+\])?", "", found[0], flags=re.MULTILINE), text)
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    for line in [*text.splitlines(), ""]:
        number += 1
        mark = re.match(r"^\s*(`{3,}|~{3,}|:{3,})", line)
        if mark and not mark[1].startswith(":"):
            fence = None if fence and line.strip().startswith(fence) else fence or mark[1]
        if line.strip() and not line.startswith(" "):
            in_list = bool(ITEM.match(line))
        indented = line.startswith("    ") and not lines and not in_list
        ends = fence or mark or not line.strip() or indented or re.match(r"^\s*(?:#|\||<|>|\(\w[\w-]*\)=|---)", line)
        if (ends or ITEM.match(line)) and lines:
            yield begin, " ".join(lines)
            lines = []
        if not ends:
            begin = begin if lines else number
            lines.append(ITEM.sub("", line).strip())


def plain(text):
    text = re.sub(r"(`+).+?\1", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"https?://\S+", "URL", text).replace("**", "")


def sentences(text):
    rest = ""
    for part in END.split(plain(text)):
        rest = f"{rest} {part}".strip()
        if not NOT_AN_END.search(rest):
            yield rest
            rest = ""
    if rest:
        yield rest


def length(sentence):
    return len(re.findall(r"[\w%/][\w'%/.,-]*", sentence))


def faults(sentence, forbidden):
    """What is wrong with one sentence, a line each."""
    found, count = [], length(sentence)
    if count > LONGEST:
        found.append(f"a sentence of {count} words, {LONGEST} are allowed: {sentence[:70]}...")
    return found + [f'"{hit[0]}": {advice}' for pattern, advice in forbidden if (hit := pattern.search(sentence))]


def judge(name, files, check, means=False):
    """The exit code of check `name`: check(path, forbidden) gives (line, message)s, the mean and how many sentences."""
    forbidden, wrong, total = words(), 0, 0
    for path in files:
        found, mean, count = check(path, forbidden)
        total += count
        wrong += len(found)
        if means:
            print(f"{mean:5.1f} {count:5} {os.path.relpath(path, ROOT)}")
        for number, message in found:
            print(f"{os.path.relpath(path, ROOT)}:{number}: {message}")
    if not forbidden or not total:
        sys.exit(f"{name}: there is no word list, or no sentence")
    print(f"{name}: {len(files)} files, {total} sentences, {wrong} findings")
    return 1 if wrong else 0


def check(path, forbidden):
    raw = path.read_text(encoding="utf-8")
    text = as_markdown(path, raw)
    found, lengths = [], []
    made = False
    without = FENCED.sub(lambda fence: "\n" * fence[0].count("\n"), text)
    found += [(without.count("\n", 0, hit.start()) + 1, "an empty code span") for hit in EMPTY.finditer(without)]
    for number, line in enumerate(raw.splitlines(), 1):
        made = bool(re.fullmatch(r"<!-- [\w-]+ -->", line)) or (made and line.startswith("|"))
        if len(line) > COLUMNS and not made and path.suffix != ".yaml":
            found.append((number, f"{len(line)} columns, {COLUMNS} are allowed"))
    for number, paragraph in paragraphs(text):
        for sentence in sentences(paragraph):
            lengths.append(length(sentence))
            found += [(number, message) for message in faults(sentence, forbidden)]
    mean = sum(lengths) / len(lengths) if lengths else 0
    if mean > MEAN and path.parent.name != "changes.d":  # one sentence each
        found.append((1, f"sentences have {mean:.1f} words at the mean, {MEAN} are allowed"))
    return found, mean, len(lengths)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--means", action="store_true", help="print each page's mean")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    pages = options.files or [path for name in PAGES for path in sorted(ROOT.glob(name))]
    return judge("style", [page.resolve() for page in pages], check, options.means)


if __name__ == "__main__":
    sys.exit(main())
