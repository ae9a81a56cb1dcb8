"""Validates the manifests in documents: what a reader copies is what kubist takes.

  manifests.py KUBIST [FILE...]     without FILE: all of docs/

A `yaml` block counts whose documents all have a kind and metadata, and of which one is of kubist's or of landscaper's
group. The other ones are parts, inputs of functions, and other programs' files.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```yaml(?: file=\S+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OWN = re.compile(r"^apiVersion: (?:kubist\.io|landscaper\.gardener\.cloud)/", re.MULTILINE)
LEAST = 20  # blocks in docs/


def is_manifest(block):
    documents = re.split(r"^---$", block, flags=re.MULTILINE)
    whole = all(re.search(rf"^{field}:", document, re.MULTILINE) for document in documents
                for field in ("apiVersion", "kind", "metadata"))
    return whole and OWN.search(block) is not None


def problem(kubist, block):
    """What kubist says against it; empty: nothing."""
    done = subprocess.run([kubist, "validate", "-f", "-"], input=block, check=False, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr or f"exit code {done.returncode}"


def main():
    kubist = sys.argv[1]
    pages = [pathlib.Path(name) for name in sys.argv[2:]] or sorted((ROOT / "docs").rglob("*.md"))
    count = wrong = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            if not is_manifest(found[1]):
                continue
            count += 1
            if why := problem(kubist, found[1]):
                wrong += 1
                print(f"{page}:{text.count(chr(10), 0, found.start()) + 1}: {why}")
    print(f"manifests: {count} blocks of {len(pages)} pages, {wrong} are refused")
    if not problem(kubist, "apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {name: a}\nspec: {nosuch: 1}\n"):
        sys.exit("manifests: a field that does not exist is not refused")
    return 1 if wrong or count < (1 if len(sys.argv) > 2 else LEAST) else 0


if __name__ == "__main__":
    sys.exit(main())
