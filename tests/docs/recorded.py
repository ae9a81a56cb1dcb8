"""Runs the recorded commands of a document and compares what they print with what stands there.

  recorded.py KUBIST DOCUMENT [MARK]     KUBIST_TEST_ACCEPT=1 rewrites the output in the document

Blocks with the info string `console MARK` (default: run) are run in order, each line behind `$ ` by bash in one
temporary folder, in which `kubist` is KUBIST and examples/ and tests/ are the repository's; `yaml file=NAME` is written
there first. Output is stdout and stderr. Blocks of another mark than run are for a cluster: their output is stdout only,
and times, and how many writes there were where there were some, may differ.
"""
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"\b(?:\d+(?:\.\d+)?(?:ms|h|m|s))+\b")
WRITES = re.compile(r"\b[1-9]\d* writes?\b")


def comparable(output, mark):
    if mark == "run":
        return output
    # Columns are as wide as their widest time.
    return [re.sub(r" {2,}", "  ", WRITES.sub("N writes", TIME.sub("TIME", line))) for line in output.splitlines()]


def make_folder(folder, kubist):
    for name in ("examples", "tests"):
        (folder / name).symlink_to(SOURCE / name)
    program = folder / "bin/kubist"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(kubist)} "$@"\n')
    program.chmod(0o755)


def run(command, folder, mark):
    environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
    if mark == "run":
        environment["KUBECONFIG"] = f"{folder}/none"  # these need no cluster
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=300, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT if mark == "run" else None)
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def record(body, folder, mark):
    """The block's text with what its commands print now."""
    commands = re.findall(r"^\$ (.*)$", body, re.MULTILINE)
    if not commands:
        sys.exit("recorded: a block has no commands")
    return "".join(f"$ {command}\n{run(command, folder, mark)}" for command in commands)


def main():
    kubist, path = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    mark = sys.argv[3] if len(sys.argv) > 3 else "run"
    text = path.read_text()
    count, changes, pieces, end = 0, [], [], 0
    with tempfile.TemporaryDirectory(prefix="kubist-recorded-") as name:
        folder = pathlib.Path(name)
        make_folder(folder, kubist)
        for block in BLOCK.finditer(text):
            body = block["body"]
            if file := re.fullmatch(r"yaml file=(\S+)", block["info"]):
                (folder / file[1]).write_text(body)
            elif block["info"] == f"console {mark}":
                count += 1
                now = record(body, folder, mark)
                if comparable(now, mark) != comparable(body, mark):
                    changes += difflib.unified_diff(body.splitlines(), now.splitlines(), str(path), "printed now",
                                                    lineterm="")
                    pieces += [text[end:block.start("body")], now]
                    end = block.end("body")
    if not count:
        sys.exit(f"recorded: {path} has no block `console {mark}`")
    print("\n".join(changes) if changes else f"{path}: {count} blocks are as recorded")
    if changes and os.environ.get("KUBIST_TEST_ACCEPT"):
        path.write_text("".join(pieces) + text[end:])
    elif changes:
        sys.exit(1)


if __name__ == "__main__":
    main()
