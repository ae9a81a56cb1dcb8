"""What users can name is on a page under docs/. orphans.py KUBIST

Kinds and commands are on a page that is written by hand: a list of them explains nothing. Each field of a kind's schema
is on the page of its kind. Flags and reasons are on generated pages only, many of them: these are made of the same
tables as the program is, and unit.reference compares them. Variables are held to by named.py.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = "<!-- Generated from "
LEAST_FIELDS = 4  # of each kind


def kinds():
    table = (ROOT / "lib/resources/src/kinds.cpp").read_text(encoding="utf-8")
    return re.findall(r'\{"([A-Z][A-Za-z]+)",\s*"[a-z]+",\s*k_\w+_group', table)


def fields(schema):
    """The names of all fields of a schema, on all levels."""
    found = set(schema.get("properties", {}))
    for part in [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]:
        found |= fields(part) if isinstance(part, dict) else set()
    return found


def without_page(kubist, kind):
    """How many fields the kind has, and those that its page does not name."""
    printed = subprocess.run([kubist, "explain", kind.lower(), "--offline", "-o", "jsonschema"], capture_output=True,
                             check=True, timeout=60).stdout
    page = (ROOT / f"docs/reference/kinds/{kind.lower()}.md").read_text(encoding="utf-8")
    parts = json.loads(printed)["properties"]
    names = fields(parts["spec"]) | fields(parts["status"])
    return len(names), [f"docs/reference/kinds/{kind.lower()}.md does not name the field {name}"
                        for name in sorted(names) if f"`{name}`" not in page]


def main():
    kubist = sys.argv[1]
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))]
    by_hand = "\n".join(text for text in texts if not text.startswith(GENERATED))
    done = subprocess.run([kubist, "__dump-cli"], capture_output=True, check=True, timeout=60)
    commands = sorted({command["path"].split()[0] for command in json.loads(done.stdout)["commands"]})
    checks = {  # what it is: its names, the least number of them, how pages name it
        "kind": (kinds(), 16, r"\b{}s?\b"),
        "command": (commands, 30, r"\bkubist(?: -n \S+)? {}\b|`{}\b"),
    }
    count, orphans = 0, []
    for what, (names, least, pattern) in checks.items():
        if len(names) < least:
            sys.exit(f"orphans: only {len(names)} {what}s were found: {names}")
        count += len(names)
        orphans += [f"no page names the {what} {name}" for name in names
                    if not re.search(pattern.replace("{}", re.escape(name)), by_hand)]
    for kind in kinds():
        number, missing = without_page(kubist, kind)
        if number < LEAST_FIELDS:
            sys.exit(f"orphans: only {number} fields of {kind} were found")
        count += number
        orphans += missing
    print(*orphans, f"orphans: {count} names, {len(orphans)} on no page", sep="\n")
    return 1 if orphans else 0


if __name__ == "__main__":
    sys.exit(main())
