"""Each number of docs/reference/limits.md is that of the constants which tests/docs/limits.tsv names. limits.py [ROOT]"""
import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "ms": 0.001, "s": 1, "min": 60,
         "years": 365 * 86400, "bytes": 1}
CLOCK = {"milliseconds": 0.001, "seconds": 1, "minutes": 60, "hours": 3600}
NUMBER = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)(?:[ ](KiB|MiB|GiB|bytes|years|min|ms|s)\b)?(?!\w)")


def blocks(page):
    """The rows of tables, items of lists and paragraphs of a page, each in one line."""
    for part in re.split(r"\n\n|\n(?=[|#] |- )", page):
        text = " ".join(part.split()).removeprefix("| ").removeprefix("- ").replace("**", "")
        if not text.startswith("#"):
            yield text


def numbers(text):
    """(as it is written, its value) of each number, in bytes or seconds where it has a unit."""
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)
    return [(found[0], float(found[1].replace(",", "")) * UNITS.get(found[2], 1)) for found in NUMBER.finditer(text)]


def value_of(text):
    """Of an initializer: a number, or those of a list in braces."""
    if text.startswith('"'):
        number, unit = re.fullmatch(r'"(\d+)(\w+)"', text).groups()
        return int(number) * UNITS[unit]
    text = re.sub(r"(?<=\d)'(?=\d)|(?<=\d)[UL]+\b|\bstd::(?:chrono::)?", "", text)
    text = re.sub(r"\bu?int\d*_t|\bsize_t", "", text)
    text = re.sub(r"\b(milliseconds|seconds|minutes|hours)\b", lambda unit: f"{CLOCK[unit[1]]} * ", text)
    if not re.fullmatch(r"[\d\s.*+/(){},<>-]+", text):
        raise ValueError(f"{text} is no expression of numbers")
    return eval(text.replace("{", "(").replace("}", ")"))  # pylint: disable=eval-used


def initializer(text):
    """Up to what ends it: a semicolon, or a comma or bracket that is none of its own."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "({") - (char in ")}")
        if depth < 0 or (depth == 0 and char in ";,"):
            return text[:at].strip()
    return text


def constant(source, name):
    """The values that a source gives to a name: one, as a rule."""
    for found in re.finditer(rf"(?:\bchrono::(\w+) )?(?<![\w.:]){re.escape(name)}(?: = |(?=\{{))", source):
        text = initializer(source[found.end():])
        unit = CLOCK.get(found[1], 1) if "chrono" not in text else 1
        yield value_of(text) * unit


def values(root, files, expression):
    """What the constants of a line of the table come to: each of these is the page's number."""
    known = {}
    used = set()
    for name in dict.fromkeys(re.findall(r"[A-Za-z_][\w.]*", expression)):
        for file in files:
            source = re.sub(r"//[^\n]*", "", (root / file).read_text(encoding="utf-8"))
            found = list(constant(source, name))
            if len(found) > 1 or known.get(name, found) != found and found:
                raise ValueError(f"{name} has several values")
            if found:
                known[name] = found
                used.add(file)
        if name not in known:
            raise ValueError(f"there is no constant {name}")
    for file in set(files) - used:
        raise ValueError(f"{file} has none of these constants")
    for name, found in known.items():
        expression = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", repr(found[0]), expression)
    result = eval(expression)  # pylint: disable=eval-used
    return result if isinstance(result, tuple) else (result,)


def judge(root, written, number, files, expression):
    if files == "-":
        return None
    try:
        found = values(root, files.split(), expression)
    except (OSError, ValueError, TypeError, SyntaxError) as error:
        return str(error)
    return None if set(found) == {number} else f"the page has {written}, {expression} in {files} is {found}"


def main():
    root = pathlib.Path(sys.argv[1]) if sys.argv[1:] else HERE.parents[1]
    page = (root / "docs/reference/limits.md").read_text(encoding="utf-8")
    table = collections.defaultdict(list)
    for line in (root / "tests/docs/limits.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            key, files, expression = line.split("\t")
            table[key].append((files, expression))
    wrong = []
    count = 0
    for text in blocks(page):
        keys = [key for key in table if text.startswith(key)]
        lines = table.pop(keys[0]) if len(keys) == 1 else []
        on_page = numbers(text)
        count += len(on_page)
        if len(lines) != len(on_page):
            wrong.append(f"{text[:60]}: {len(on_page)} numbers, and limits.tsv has {len(lines)} lines for them")
            continue
        for (written, number), (files, expression) in zip(on_page, lines):
            said = judge(root, written, number, files, expression)
            wrong += [f"{text[:60]}: {said}"] if said else []
    wrong += [f"limits.tsv: nothing in the page begins with: {key}" for key in table]
    print(*wrong, f"limits: {count} numbers, {len(wrong)} findings", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
