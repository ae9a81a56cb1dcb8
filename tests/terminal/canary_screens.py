"""What stands on a terminal while a canary rolls back, at three widths. canary_screens.py KUBIST

The environment and the release are those of docs/learn/first-canary.md. Numbers are made equal: visitors come by chance.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import screens

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/learn/first-canary.md"
FILE = re.compile(r"^```yaml file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WIDTHS = (60, 80, 200)
ROWS = 24
# Where a longer number moves what follows, another part of the line is cut off.
MARGIN = 20
# Not those of names: v1, web-v2.
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.]\d+)?(?:e-\d+)?")


def comparable(screen, columns):
    screen = re.sub(r"(?<=a probability of) .*", "", screens.comparable(screen))  # a number, or more than one
    screen = NUMBER.sub("N", screen)
    screen = re.sub(r"^ *by N points .*\n", "", screen, flags=re.MULTILINE)  # where five windows were judged
    return "\n".join(line[:columns - MARGIN].rstrip() if re.search(r"\b(?:N|TIME)\b", line) else line
                     for line in screen.splitlines())


def write_files(folder):
    """The page's files, and the second version as its sed makes it."""
    for name, text in FILE.findall(PAGE.read_text(encoding="utf-8")):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    first = (folder / "env/web-v1.yaml").read_text(encoding="utf-8")
    lines = [line if "apiVersion" in line else line.replace("v1", "v2").replace('value: "0"', 'value: "20"')
             for line in first.splitlines()]
    (folder / "env/web-v2.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def last_words(name, columns):
    """What stands on a screen when the release is over, as far as its width shows it."""
    reason = "WorseThanS" if columns == min(WIDTHS) else "WorseThanStable +every"
    return [r"^ended 4$"] if name == "canary" else [f"CanaryRelease/web .*False +{reason}", "^Project/shop +True +False"]


def follow(kubist, folder):
    """The screens of who follows the release, and of who follows the tree, by name and width."""
    commands = {"canary": f"{kubist} canary status web -n shop --watch; echo ended $?; exec sleep 600",
                "canary-tree": f"{kubist} tree --watch"}
    opened = {}
    shown = {}
    try:
        for name, command in commands.items():
            for columns in WIDTHS:
                (folder / name).mkdir(exist_ok=True)
                opened[name, columns] = screens.Terminal(folder / name, columns, ROWS, command)
        for (name, columns), terminal in opened.items():
            shown[name, columns] = terminal.until(*last_words(name, columns))
    finally:
        for terminal in opened.values():
            terminal.close()
    return shown


def main():
    kubist = os.path.abspath(sys.argv[1])
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_files(folder)
        for words in (("init",), ("apply", "-f", folder / "env"), ("reconcile",)):
            subprocess.run([kubist, *words], check=True, capture_output=True)
        subprocess.run(["kubectl", "wait", "--for=condition=Available", "deployment/visitors", "-n", "shop-dev",
                        f"--timeout={screens.DEADLINE}s"], check=True, capture_output=True)
        with open(folder / "watch.log", "w", encoding="utf-8") as log:
            watch = subprocess.Popen([kubist, "reconcile", "--watch"], stdout=log, stderr=log)
        try:
            subprocess.run([kubist, "apply", "-f", folder / "release.yaml"], check=True, capture_output=True)
            for (what, columns), screen in follow(kubist, folder).items():
                wrong += screens.check(f"{what}-{columns}", screen, lambda text, c=columns: comparable(text, c))
        finally:
            watch.terminate()
            watch.wait()
            subprocess.run([kubist, "delete", "project", "shop", "--force-cleanup"], check=False, capture_output=True)
    print("\n".join(wrong), file=sys.stderr)
    print(f"canary screens: {len(WIDTHS)} widths")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
