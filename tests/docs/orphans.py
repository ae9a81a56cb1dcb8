"""What users can name is on a page under docs/. orphans.py KUBIST

Kinds and commands are on a page that is written by hand: a list of them explains nothing. Flags and reasons are on
any page. Variables are held to by named.py.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = "<!-- Generated from "


def kinds():
    table = (ROOT / "lib/resources/src/kinds.cpp").read_text(encoding="utf-8")
    return re.findall(r'\{"([A-Z][A-Za-z]+)",\s*"[a-z]+",\s*k_\w+_group', table)


def reasons():
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "cli/reasons").glob("*.yaml"))]
    return [reason for text in texts for reason in re.findall(r"^  (\w+):$", text, re.MULTILINE)]


def main():
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))]
    by_hand, pages = "\n".join(text for text in texts if not text.startswith(GENERATED)), "\n".join(texts)
    done = subprocess.run([sys.argv[1], "__dump-cli"], capture_output=True, check=True, timeout=60)
    program = json.loads(done.stdout)
    commands = sorted({command["path"].split()[0] for command in program["commands"]})
    flags = sorted({flag["name"] for part in [program, *program["commands"]] for flag in part["flags"]})
    checks = {  # what it is: its names, the least number of them, the pages, how they name it
        "kind": (kinds(), 16, by_hand, r"\b{}s?\b"),
        "command": (commands, 30, by_hand, r"\bkubist(?: -n \S+)? {}\b|`{}\b"),
        "flag": (flags, 150, pages, r"--{}\b"),
        "reason": (reasons(), 300, pages, r"\b{}\b"),
    }
    count, orphans = 0, []
    for what, (names, least, text, pattern) in checks.items():
        if len(names) < least:
            sys.exit(f"orphans: only {len(names)} {what}s were found: {names}")
        count += len(names)
        orphans += [f"no page names the {what} {name}" for name in names
                    if not re.search(pattern.replace("{}", re.escape(name)), text)]
    print(*orphans, f"orphans: {count} names, {len(orphans)} on no page", sep="\n")
    return 1 if orphans else 0


if __name__ == "__main__":
    sys.exit(main())
