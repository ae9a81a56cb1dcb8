"""The generated pages of docs/reference are what kubist writes. generated.py KUBIST

With KUBIST_TEST_ACCEPT=1 it writes them anew, and removes those that kubist no longer writes.
"""
import difflib
import os
import pathlib
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


def written(kubist):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([kubist, "__dump-cli", "--reference", folder], check=True, timeout=60)
        return pages_in(pathlib.Path(folder))


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
