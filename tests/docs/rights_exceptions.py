"""tests/rights-exceptions.tsv: each line has a test case of a suite that runs kubist with the printed rights, the
rights that it needs besides, and why."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests" / "rights-exceptions.tsv"
CALLER = ROOT / "tests" / "integration" / "executors" / "caller.cpp"
CASE = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
RIGHT = "(controller|[a-z,*]+ [a-z0-9,./*-]+( in [a-z0-9-]+)?)"
RIGHTS = re.compile(f"administrator|{RIGHT}(; {RIGHT})*")


def suites():
    """The folders of k_suites."""
    found = re.search(r"k_suites\{([^}]*)\}", CALLER.read_text())
    return [ROOT / "tests" / name for name in re.findall(r'"/([^"]*)/"', found[1])]


def program(path):
    """The one that has the cases of that file."""
    if path.parent.name != "e2e":
        return f"integration_{path.parent.name}"
    stem = path.stem.removesuffix("_test")
    made = (ROOT / "tests" / "CMakeLists.txt").read_text()
    beside = re.search(rf"target_sources\((\w+) PRIVATE e2e/{stem}_test\.cpp\)", made)
    return beside[1] if beside else f"e2e_{stem}"


def cases():
    """Each case of these suites, and its program."""
    for folder in suites():
        for path in folder.rglob("*_test.cpp"):
            for name in CASE.findall(path.read_text()):
                yield "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', name)).replace('\\"', '"'), program(path)


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
            yield f"{number}: no test case of a suite in k_suites is called {cells[0]}"
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
