"""The reasons in the sources are those of the registry (cli/reasons), both ways.

  reasons.py [--list]     --list prints each reason with the places that give it

A reason is a CamelCase literal where the sources pass one: an argument of the functions in CALLS, what is assigned
to a reason, a constant, a condition. What is only compared with a reason is none.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORD = re.compile(r'"([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)"')
# Functions, and types with values in braces, that take a reason; and which of their arguments it is, counted from 0.
CALLS = {
    "bad_import": {1}, "decide": {2}, "denied": {0, 2}, "end": {1}, "fail": {2, 3}, "failed": {0, 1}, "finish": {0},
    "fire": {1}, "free_or_block": {2}, "hold_for": {1}, "import_error": {0, 1}, "in_progress": {0}, "invalid": {1},
    "let_go": {1}, "make": {2}, "make_error": {3}, "move_to": {1}, "next_wave": {0}, "no_window": {0},
    "nothing": {0}, "outcome_of": {3}, "pause": {1}, "progress": {2}, "refused": {0}, "removal_running": {0},
    "running": {1}, "say": {0}, "set_outcome": {1}, "settle": {2}, "stay": {0}, "stop": {0}, "unfit": {0},
    "unknown": {0}, "waiting": {0, 2}, "with_default_reason": {1}, "with_reason": {1},
    "word": {0, 1}, "worsen": {1},
    "CallCheck{": {1}, "Condition{": {2}, "condition{": {2}, "Judgement{": {1}, "WindowCheck{": {1},
}
STATEMENT = re.compile(r"(?:[rR]eason|\bk_\w+) =\s[^;]*$")
# Tables, and values in braces without a name before them.
TABLES = re.compile(
    r'\{(?:ErrorKind|Phase|Action|Outcome|CallCheck::Outcome|Status)::\w+,(?: Truth::\w+,)*\s*("[^;}]*?")[,}]|'
    r'\{"reason",([^;}]*)\}|\{0, ("\w+"),|\badd\(\{("\w+"),|"\w+", "(?:True|False|Unknown)", ("\w+")[,}]|'
    r'"(?:True|False)" : "(?:True|False)",[^;{}]*\? ("\w+") : ("\w+"),|\.reason = ("\w+"),|'
    r'\{"\w+", ("Less\w+"),|one_of\(reason, (\{[^}]*\})|\breason == ("OOMKilled")|'
    r'\breturn \{(?:true|false), (?:true|false), ("\w+"),|: ("NotEstablished");|'
    r'(?:case \d+|default):\s+return (?:[^;{}]*\? )?("\w+"(?: : "\w+")?);|return ("Unauthorized");', re.DOTALL)
ADVICE = re.compile(r'\bRow\{"([a-z0-9-]+)')
# What stands in such places and is no reason: operations and phases of DeployItems, kinds, words of reports.
OTHERS = {
    "CanaryRelease", "ClusterPolicyDefinition", "CollectExports", "DeleteFailed", "ExecutorDefinition", "Experiment",
    "Init", "InitDelete", "PolicyDefinition", "PolicyRun", "RestoreState", "RunWorkload", "SaveState", "SchedulePod",
    "Settings", "Skipped", "SpecBehind", "StartPod", "TrafficRoute",
}


def without_comments(text):
    """The text with comments and raw strings blanked, so that each position stays."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\''

    def blank(found):
        return found[0] if found[0][0] == '"' else re.sub(r"[^\n]", " ", found[0])

    return re.sub(pattern, blank, text, flags=re.DOTALL)


def place(text, at):
    """Where a literal at that position stands: (function, number of the argument, what is before it)."""
    depth = number = 0
    for i in range(at - 1, -1, -1):
        char = text[i]
        if char in ")]" or (char == "}" and re.match(r"\s*[,)}]|\s*$", text[i + 1:at])):
            depth += 1
        elif depth:
            depth -= char in "([{"
        elif char == ",":
            number += 1
        elif char in ";}" or (char == "{" and re.search(r"(?:\)|\bconst|\belse|\bnamespace[\w: ]*)\s*$", text[:i])):
            return "", 0, text[i + 1:at]
        elif char in "([{":
            name = re.search(r"(\w*)\s*$", text[:i])[1]
            return name + (char if char != "(" else ""), number, text[i + 1:at]
    return "", 0, text[:at]


def reasons_of(path, text):
    """(reason, position) of each that a source gives."""
    text = without_comments(text)
    blank = re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda found: '"' + "_" * (len(found[0]) - 2) + '"', text)
    for found in WORD.finditer(text):
        function, number, before = place(blank, found.start())
        compared = re.search(r"[=!]=\s*$", before)
        if number in CALLS.get(function, ()) or (not function and STATEMENT.search(before) and not compared):
            yield found[1], found.start()
    for table in TABLES.finditer(text):
        for group in filter(None, table.groups()):
            yield from ((word, table.start()) for word in WORD.findall(group))
    for code in ADVICE.finditer(text) if path.name == "advice.cpp" else ():
        yield "".join(part.capitalize() for part in code[1].split("-")), code.start()


def given():
    """Each reason of the sources with the places that give it."""
    places = collections.defaultdict(list)
    for path in sorted(path for folder in ("lib", "cli") for path in (ROOT / folder).rglob("*.[ch]pp")):
        text = path.read_text(encoding="utf-8")
        for reason, at in reasons_of(path, text):
            places[reason].append(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, at) + 1}")
    return places


def registered():
    """Each reason of the registry with its file."""
    files = {}
    for path in sorted((ROOT / "cli/reasons").glob("*.yaml")):
        for reason in re.findall(r"^  (\w+):$", path.read_text(encoding="utf-8"), re.MULTILINE):
            if reason in files:
                sys.exit(f"reasons: {reason} is in {files[reason]} and in {path.name}")
            files[reason] = path.name
    return files


def main():
    places, files = given(), registered()
    if sys.argv[1:] == ["--list"]:
        for reason, where in sorted(places.items()):
            print(reason, *dict.fromkeys(where))
        return 0
    wrong = [f"{places[reason][0]}: {reason} is not in cli/reasons: what it means, and what to do"
             for reason in sorted(places.keys() - files.keys() - OTHERS)]
    wrong += [f"cli/reasons/{files[reason]}: no source gives {reason}"
              for reason in sorted(files.keys() - places.keys())]
    wrong += [f"tests/docs/reasons.py: OTHERS has {reason}, which no source has" for reason in OTHERS - places.keys()]
    print(*wrong, f"reasons: {len(files)} in the registry, {len(wrong)} findings", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
