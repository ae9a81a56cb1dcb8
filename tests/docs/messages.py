"""Checks what the program says by the rules of the documents (style.py): its string literals in lib/ and cli/.

  messages.py [FILE...]

Literals that stand beside each other are one text. Those without a space are names or formats. Comments, includes, and
raw strings, which are code of other languages, are left out.
"""
import os
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
        for paragraph in text.split("\n\n") if " " in text.strip() else ():
            for sentence in style.sentences(" ".join(paragraph.split())):
                count += 1
                if style.length(sentence) > style.LONGEST:
                    found.append((line, f"a sentence of {style.length(sentence)} words: {sentence[:70]}..."))
                found += [(line, f'"{hit[0]}": {advice}: {sentence[:70]}') for pattern, advice in forbidden
                          if (hit := pattern.search(sentence))]
    return found, count


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    files = files or sorted(path for part in ("lib", "cli") for path in (style.ROOT / part).rglob("*.[ch]pp"))
    forbidden, wrong, total = style.words(), 0, 0
    for path in files:
        found, count = check(path, forbidden)
        total += count
        wrong += len(found)
        for line, message in found:
            print(f"{os.path.relpath(path, style.ROOT)}:{line}: {message}")
    if not forbidden or not total:
        sys.exit("messages: there is no word list, or no text")
    print(f"messages: {len(files)} files, {total} texts, {wrong} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
