"""tests/rights-exceptions.tsv: each line has a test case that there is, the rights that it needs, and why."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests" / "rights-exceptions.tsv"
CASE = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
RIGHT = "(controller|[a-z,*]+ [a-z0-9,./*-]+( in [a-z0-9-]+)?)"
RIGHTS = re.compile(f"administrator|{RIGHT}(; {RIGHT})*")


def cases():
    """Each case and the folder of its suite."""
    for path in (ROOT / "tests" / "integration").rglob("*_test.cpp"):
        for name in CASE.findall(path.read_text()):
            yield "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', name)).replace('\\"', '"'), path.parent.name


def wrong(lines):
    known = dict(cases())
    seen = set()
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not all(cells):
            yield f"{number}: not three cells: the test case, the rights, and why"
        elif cells[0] not in known:
            yield f"{number}: no test case is called {cells[0]}"
        elif not RIGHTS.fullmatch(cells[1]):
            yield f"{number}: neither administrator, controller nor VERB,VERB RESOURCE,RESOURCE.GROUP in NAMESPACE; ...: {cells[1]}"
        elif cells[0] in seen:
            yield f"{number}: a second line of {cells[0]}"
        seen.add(cells[0])


def main():
    found = list(wrong(TABLE.read_text().splitlines()))
    for each in found:
        print(f"tests/rights-exceptions.tsv:{each}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
