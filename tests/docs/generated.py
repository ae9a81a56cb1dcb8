"""The generated pages of docs/reference are what kubist writes. generated.py KUBIST

A kind's page also gets the shortest object of that kind in examples/. With KUBIST_TEST_ACCEPT=1 it writes the pages
anew, and removes those that kubist no longer writes.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/reference"
MARK = "<!-- Generated from "


def pages_in(folder):
    """The text of each generated page by its path in that folder."""
    texts = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    return {name: text for name, text in texts.items() if text.startswith(MARK)}


def examples():
    """The shortest object of each kind in examples/, as a section of its page."""
    found = {}
    for path in sorted(set((ROOT / "examples").rglob("*.yaml")) - {ROOT / "examples/deployitems/mock.yaml"}):
        for text in re.split(r"^---.*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            text = re.sub(r"\A(?:#.*\n|\n)+", "", text).rstrip() + "\n"
            if kind := re.match(r"apiVersion: (?:kubist\.io|landscaper\.gardener\.cloud)/.*\nkind: (\w+)\n", text):
                section = f"\n## Example\n\nFrom `{path.relative_to(ROOT)}`:\n\n```yaml\n{text}```\n"
                name = f"kinds/{kind[1].lower()}.md"
                found[name] = min(found.get(name, section), section, key=lambda each: each.count("\n"))
    if len(found) < 15:
        sys.exit(f"generated: examples of {len(found)} kinds only: {sorted(found)}")
    return found


def written(kubist):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([kubist, "__dump-cli", "--reference", folder], check=True, timeout=60)
        pages = pages_in(pathlib.Path(folder))
    for name, section in examples().items():
        pages[name] = pages[name].replace("\n## spec\n", f"{section}\n## spec\n", 1)
    return pages


def main():
    expected, present = written(sys.argv[1]), pages_in(PAGES)
    if len(expected) < 50:
        sys.exit(f"generated: kubist wrote {len(expected)} pages only")
    if os.environ.get("KUBIST_TEST_ACCEPT") == "1":
        for name in present.keys() - expected.keys():
            (PAGES / name).unlink()
        for name, text in expected.items():
            (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
            (PAGES / name).write_text(text, encoding="utf-8")
        return 0
    wrong = sorted(name for name in expected.keys() | present.keys() if expected.get(name) != present.get(name))
    for name in wrong:
        before, after = (pages.get(name, "").splitlines(keepends=True) for pages in (present, expected))
        sys.stdout.writelines(difflib.unified_diff(before, after, f"docs/reference/{name}", "as kubist writes it", n=1))
    print(f"generated: {len(expected)} pages, {len(wrong)} differ"
          + (": KUBIST_TEST_ACCEPT=1 ctest -R unit.reference renews them" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
