"""Each block with commands of README.md and docs/ is run by a test, or says why not. commands.py [FILE...]

recorded.py and tests/CMakeLists.txt say which test runs a block, by its mark. A block `LANGUAGE from=FILE` is the text
of that file of the repository, where `...` stands for any lines: recipes.py runs those of examples/ci. A block of no
commands is in one of the languages of DATA. The commands' own pages are generated; a unit test parses their examples
(records_test.cpp).
"""
import collections
import pathlib
import re
import sys

from recorded import BLOCK, FILE, HIDDEN, as_said

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = "<!-- Generated from "
DATA = {"yaml", "json", "jsonnet", "python", "text"}
RUN = re.compile(r"(?:console|sh) (?P<mark>run|cluster|istio|install)(?: exit=\d+)?|text steps=\S+")
FROM = re.compile(r"\w+ from=(\S+)")
QUICKSTART = "console quickstart"  # tests/e2e/quickstart runs the README's
SKIPPED = re.compile(r'\w+ skip="[^"]{10,}"')
LEAST = 80  # blocks that are run


def kind(path, block):
    """run, skipped or data; else what is wrong."""
    info = block["info"]
    if RUN.fullmatch(info) or info == QUICKSTART and path.name == "README.md":
        return "run"
    if copied := FROM.fullmatch(info):
        file = ROOT / copied[1]
        same = file.is_file() and as_said(block["body"], file.read_text(encoding="utf-8"), "run")
        return "data" if same else f"a block that differs from {copied[1]}"
    if SKIPPED.fullmatch(info):
        return "skipped"
    if FILE.fullmatch(info) or info in DATA and not re.search(r"^\$ ", block["body"], re.MULTILINE):
        return "data"
    return f"a block `{info}` that no test runs: give it a mark of tests/docs/recorded.py, or skip=\"why\""


def main():
    pages = [pathlib.Path(name) for name in sys.argv[1:]] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    counts, wrong = collections.Counter(), []
    for path in pages:
        text = path.read_text(encoding="utf-8")
        if text.startswith(GENERATED):
            continue
        for block in BLOCK.finditer(text):
            found = kind(path, block)
            counts[found] += 1
            if " " in found:
                wrong.append(f"{path}:{text.count(chr(10), 0, block.start()) + 1}: {found}")
        rest = BLOCK.sub(lambda block: "x\n" * block[0].count("\n"), text)
        wrong += [f"{path}:{rest.count(chr(10), 0, hidden.start()) + 1}: a block that is indented, or in tildes: write ```"
                  for hidden in HIDDEN.finditer(rest)]
    print(*wrong, f"commands: of {len(pages)} pages {counts['run']} blocks are run, {counts['skipped']} say why not", sep="\n")
    if not sys.argv[1:] and counts["run"] < LEAST:
        sys.exit(f"commands: fewer than {LEAST} blocks were found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
