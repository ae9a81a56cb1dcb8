"""Checks what the program says by the rules of the documents (style.py): its string literals in lib/ and cli/.

  messages.py [FILE...]

Literals that stand beside each other are one text. Those without a space are names or formats. Comments, includes, and
raw strings, which are code of other languages, are left out.
"""
import pathlib
import re
import sys

import style

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|^\#[^\n]*|R"(\w*)\(.*?\)\1"|'(?:\\.|[^'\\\n])'|"((?:\\.|[^"\\\n])*)\"""",
                   re.DOTALL | re.MULTILINE)


def texts(source):
    """(line, text) of each literal, or literals side by side, of C++."""
    begin, parts, end = 0, [], 0
    for token in TOKEN.finditer(source):
        if token[2] is None:
            continue
        if parts and source[end:token.start()].strip():
            yield source.count("\n", 0, begin) + 1, "".join(parts)
            parts = []
        begin, end = begin if parts else token.start(), token.end()
        parts.append(token[2].replace("\\n", "\n").replace('\\"', '"'))
    if parts:
        yield source.count("\n", 0, begin) + 1, "".join(parts)


def check(path, forbidden):
    found, count = [], 0
    for line, text in texts(path.read_text(encoding="utf-8")):
        for paragraph in text.split("\n\n") if " " in text else ():
            for sentence in style.sentences(" ".join(paragraph.split())):
                count += 1
                found += [(line, message) for message in style.faults(sentence, forbidden)]
    return found, 0, count


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    files = files or sorted(path for part in ("lib", "cli") for path in (style.ROOT / part).rglob("*.[ch]pp"))
    return style.judge("messages", files, check)


if __name__ == "__main__":
    sys.exit(main())
