"""The statements of the two documents that kubist comes from, and the tests that hold each.

A test carries the statements that it shows in its description: `doctest::description("seed 1.4: ...")`.
Without arguments: fails where docs/project/seeds.md is not what the tests say, or a statement has no test. --write: writes it.
"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "project" / "seeds.md"

# In the documents' own words, shortened.
STATEMENTS = {
    "1.1": "Executors run on each individual resource and keep their desired state and current state aligned.",
    "1.2": "The default executor for clusters verifies the status of Istio ...",
    "1.3": "... and, if needed, installs it.",
    "1.4": "Every executor triggers all executors for the children, until the whole hierarchy has been traversed.",
    "1.5": "All policies of a resource run sequentially; each takes the output of the previous one as its input.",
    "1.6": "Policies implement different approaches to canary releasing ...",
    "1.7": "... and experiments.",
    "1.8": "The resource's YAML specifies the executor and the policies that are used.",
    "1.9": "Additional parameters customize the behaviour.",
    "1.10": "Entirely custom executors and policies can be defined by the users.",
    "2.1": "There are 3 execution types: Container, Script and Templates.",
    "2.2": "Execution types are translated into a DeployItem.",
    "2.3": "Deployers communicate through the DeployItem; other deployers can be used.",
    "2.4": "The example of a DeployItem, as it is written.",
    "2.5": "For a container or script DeployItem a dedicated pod executes its configuration.",
    "2.6": "The imports are synced to the pod's file system by a Secret.",
    "2.7": "A sidecar collects EXPORT_PATH as soon as the workload has finished, and writes the export Secret.",
    "2.8": "The directory STATE is tarred and persisted as secret data.",
    "2.9": "In the future: volumes.",
    "2.10": "Each deployer persists and manages the state of its items.",
    "2.11": "Execution is idempotent: items may be processed several times.",
    "2.12": "By default there are 2 Deployers: Container and Script.",
    "2.13": "Other Deployers can be used with the templates execution type, that templates such DeployItems.",
    "2.14": "Imports and exports are synced between the deployer and the landscaper via Secrets.",
}

CASE = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\*\s*doctest::description\("seed ([^:"]+):')


def tests():
    """(statement, file, name of the test) of each description."""
    for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
        for name, numbers in CASE.findall(path.read_text()):
            plain = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', name)).replace('\\"', '"')
            for number in numbers.split(","):
                yield number.strip(), path.relative_to(ROOT), plain


def page(found):
    lines = [
        "# The founding documents, statement by statement",
        "",
        "kubist comes from two documents: one about executors and policies (1), one about DeployItems (2). Each statement",
        "has at least one test that shows it on a real API server, or in memory where that is enough. `tests/docs/seeds.py",
        "--write` makes this page from the tests.",
    ]
    for number, statement in STATEMENTS.items():
        lines += ["", f"## {number}", "", f"> {statement}", ""]
        for path, name in sorted(found.get(number, [])):
            lines += textwrap.wrap(f"- `{path}`: `{name}`", 120, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def main():
    found = {}
    for number, path, name in tests():
        if number not in STATEMENTS:
            sys.exit(f"{path}: there is no statement {number}")
        found.setdefault(number, []).append((str(path), name))
    missing = [number for number in STATEMENTS if number not in found]
    if missing:
        sys.exit(f"no test shows statement {', '.join(missing)}")
    text = page(found)
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit(f"{PAGE} is not what the tests say: run {sys.argv[0]} --write")
    print(f"{len(STATEMENTS)} statements, {sum(map(len, found.values()))} tests")


if __name__ == "__main__":
    main()
