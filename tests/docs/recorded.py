"""Runs the commands of documents and compares what they print with what stands there.

  recorded.py KUBIST DOCUMENT... [MARK]     KUBIST_TEST_ACCEPT=1 rewrites the output in the document

Blocks with the info string `console MARK [exit=N]` (default: run) are run in order, each line behind `$ ` by bash in one
temporary folder, in which `kubist` is KUBIST and examples/ and tests/ are the repository's. A block `sh MARK [exit=N]` is
run as one script, and what it prints is not compared. `yaml file=NAME` is written there first; `text steps=NAME` is what
the shell steps of that workflow print. A line `...` stands for any lines. Commands end with 0; with exit=N one or more
end with N; a command before a `|` counts, too. Output is stdout and stderr.

Blocks of another mark than run are for a cluster: what differs from run to run (alike.py) may differ. Those of mark
quickstart are compared by stdout only. The first page of the others begins on a cluster without kubist, and the last one
leaves such a cluster. A page of docs/learn has no other block than these, `text`, and those with skip="why", and says how
many minutes its reader needs: no fewer than its commands. For another page tests/docs/prepare.sh does first what its
reader has done before.
"""
import collections
import contextlib
import difflib
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from alike import as_said

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"\w+ file=(\S+)")
MINUTES = re.compile(r"\bThis\s+takes\s+about\s+(\d+)\s+minutes\b")
HIDDEN = re.compile(r"^(?:~~~|[ \t]+```|[ \t]+~~~)|(?<=\n\n)(?: {4}|\t)", re.MULTILINE)
PIPE_CLOSED = 128 + signal.SIGPIPE


def spent():
    """Seconds of the clock, of this process and of its children."""
    return [time.monotonic()] + [sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]


class Page:
    """One document, its folder, and what is to be changed in it."""

    def __init__(self, kubist, path, mark, folder):
        self.path, self.mark, self.folder, self.begin = path, mark, folder, spent()
        self.cluster = mark not in ("run", "quickstart")
        self.learn = path.resolve().parent.name == "learn" and self.cluster  # install.md has no cluster
        self.text = path.read_text()
        self.counts, self.changes, self.pieces, self.end = collections.Counter(), [], [], 0
        for name in ("examples", "tests") if not self.learn else ():
            (folder / name).symlink_to(SOURCE / name)
        self.calls = folder / ".calls"
        self.add_program("kubist", kubist)
        if mark != "run":
            self.add_program("kubectl", "kubectl")

    def add_program(self, name, program):
        """NAME in the folder's PATH; it counts how often it is called."""
        path = self.folder / ".bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\necho {name} >> {self.calls}\nPATH=${{PATH#*:}} exec {shlex.quote(program)} "$@"\n')
        path.chmod(0o755)

    def run(self, command, more=None):
        environment = {**os.environ, "PATH": f"{self.folder}/.bin:{os.environ['PATH']}",
                       "BASH_ENV": f"{self.folder}/.variables", **(more or {})}
        if self.mark == "run":
            environment["KUBECONFIG"] = f"{self.folder}/none"  # these need no cluster
        if self.learn:
            environment["KUBIST_AGENT_IMAGE"] = ""  # the page names it
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=self.folder, env=environment, timeout=600,
                              check=False, text=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              stderr=None if self.mark == "quickstart" else subprocess.STDOUT)
        # The reader of a pipe may have enough: `kubectl logs --follow | grep -m 1`.
        code = 0 if done.returncode == PIPE_CLOSED else done.returncode
        return code, "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())

    def fail(self, message):
        sys.exit("\n".join([*self.changes, f"recorded: {self.path}: {message}"]))

    def run_console(self, info, body):
        """The block's text with what its commands print now."""
        parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
        if parts[0] or len(parts) == 1:
            self.fail(f"a block has no commands, or begins with output:\n{body}")
        wanted = int(info.partition(" exit=")[2] or 0)
        codes, text = [], ""
        for command, said in zip(parts[1::2], parts[2::2]):
            code, now = self.run(command)
            codes.append(code)
            if code not in (0, wanted):
                self.fail(f"$ {command}\n{now}ended with {code}: say exit={code} behind `console {self.mark}`")
            text += f"$ {command}\n{said if as_said(said, now, self.mark) else now}"
        if wanted not in codes:
            self.fail(f"no command of this block ends with {wanted}:\n{body}")
        return text

    def run_script(self, info, body):
        code, now = self.run(body)
        if code != int(info.partition(" exit=")[2] or 0):
            self.fail(f"{body}{now}ended with {code}")

    def run_steps(self, name, body):
        """What the shell steps of a workflow of GitHub Actions print, run as there."""
        import yaml  # python3-yaml, which no other page needs
        flow, now = yaml.safe_load((self.folder / name).read_text()), ""
        secret = pathlib.Path(os.environ["KUBECONFIG"]).read_text()
        for job in flow["jobs"].values():
            for step in job["steps"]:
                more = {key: str(value).replace("${{ secrets.KUBECONFIG }}", secret) for key, value in
                        {**flow.get("env", {}), **job.get("env", {}), **step.get("env", {})}.items()}
                if "${{" in f"{more}{step.get('run')}":
                    self.fail(f"{name}: this test knows no expression but secrets.KUBECONFIG: {step}")
                code, printed = self.run(step["run"], more) if "run" in step else (0, "")
                now += printed
                if code:
                    self.fail(f"{name}: {step['run']}\n{printed}ended with {code}")
        return body if as_said(body, now, self.mark) else now

    def write(self, name, body):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(body)

    def prepare(self):
        """On a cluster the page's files are there, so that what the reader has made of them before can be made."""
        for block in BLOCK.finditer(self.text) if self.cluster else ():
            if file := FILE.fullmatch(block["info"]):
                self.write(file[1], block["body"])
        code, now = self.run(f"set -u; . {SOURCE}/tests/docs/prepare.sh {self.mark}/{self.path.stem}")
        if code:
            self.fail(f"prepare.sh {self.mark}/{self.path.stem}: ended with {code}:\n{now}")

    def run_block(self, block):
        info, body = block["info"], block["body"]
        now = body
        if file := FILE.fullmatch(info):
            self.write(file[1], body)
        elif re.fullmatch(rf"console {self.mark}(?: exit=\d+)?", info):
            self.counts["run"] += 1
            now = self.run_console(info, body)
        elif re.fullmatch(rf"sh {self.mark}(?: exit=\d+)?", info):
            self.counts["run"] += 1
            self.run_script(info, body)
        elif steps := re.fullmatch(r"text steps=(\S+)", info):
            self.counts["run"] += 1
            now = self.run_steps(steps[1], body)
        elif skip := re.fullmatch(r'\w+ skip="([^"]+)"', info):
            self.counts[f"skipped: {skip[1]}"] += 1
        elif self.learn and info != "text":
            self.fail(f'a block "{info}" is never run: say `console {self.mark}`, file=, text, or skip="why"')
        if now != body:
            self.changes += difflib.unified_diff(body.splitlines(), now.splitlines(), str(self.path), "printed now",
                                                 lineterm="")
            self.pieces += [self.text[self.end:block.start("body")], now]
            self.end = block.end("body")

    def check_minutes(self):
        """The commands alone, which a test runs at once, are much faster than a reader: a slow machine passes, too."""
        seconds, said = time.monotonic() - self.begin[0], MINUTES.search(self.text)
        if not said:
            self.fail('it does not say "This takes about N minutes"')
        if seconds > 60 * int(said[1]):
            self.fail(f'"{said[0]}", it says, but its commands took {seconds:.0f} s')

    def run_blocks(self):
        if self.learn and (hidden := HIDDEN.search(BLOCK.sub("", self.text))):
            self.fail(f"a block that is indented, or in tildes, is never run: ...{hidden.string[hidden.start():][:60]!r}")
        for block in BLOCK.finditer(self.text):
            self.run_block(block)
        if not self.counts["run"]:
            self.fail(f"no block `console {self.mark}` or `sh {self.mark}`")

    def clean(self):
        """Programs that the page left in the background end, and what would disturb others goes."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (process / "cwd").readlink() == self.folder:
                    os.kill(int(process.name), signal.SIGKILL)
        self.run("[ ! -e .clean ] || . ./.clean")

    def note_costs(self):
        """As tests/unit/main.cpp does, for scripts/test-times."""
        calls = self.calls.read_text().split()
        seconds, *cpu = (now - begin for now, begin in zip(spent(), self.begin))
        with open(os.environ["KUBIST_TEST_COSTS"], "a", encoding="utf-8") as out:
            out.write("\t".join(map(str, (os.environ.get("KUBIST_TEST_ENTRY", "recorded"), seconds, *cpu,
                                          calls.count("kubectl"), calls.count("kubist"), 0, 0, 0, self.path.name))) + "\n")


def remove_kubist(kubist):
    """The cluster as it was before any kubist."""
    for words in (["delete", "projects", "--all", "--timeout=120s"], ["uninstall", "--force"]):
        subprocess.run([kubist, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=False)


def run_page(kubist, path, mark):
    """False: the page says otherwise than its commands."""
    with tempfile.TemporaryDirectory(prefix="kubist-recorded-") as name:
        page = Page(kubist, path, mark, pathlib.Path(name))
        try:
            if not page.learn and mark != "quickstart":
                page.prepare()
            page.run_blocks()
            if page.learn:
                page.check_minutes()
            if os.environ.get("KUBIST_TEST_COSTS"):
                page.note_costs()
        finally:
            if page.cluster:
                page.clean()
    counts = ", ".join(f"{count} {what}" for what, count in page.counts.items())
    print("\n".join([*page.changes, f"{path}: blocks: {counts}; {time.monotonic() - page.begin[0]:.0f} s"]), flush=True)
    if page.changes and os.environ.get("KUBIST_TEST_ACCEPT"):
        path.write_text("".join(page.pieces) + page.text[page.end:])
        return True
    return not page.changes


def main():
    kubist, *names = sys.argv[1:]
    kubist = os.path.abspath(kubist)
    mark = names.pop() if names and not names[-1].endswith(".md") else "run"
    if not names:
        sys.exit(f"recorded: no page is named: recorded.py KUBIST DOCUMENT... [{mark}]")
    cluster = mark not in ("run", "quickstart")
    try:
        if cluster:
            remove_kubist(kubist)
        same = [run_page(kubist, pathlib.Path(name), mark) for name in names]
    finally:
        if cluster:
            remove_kubist(kubist)
    sys.exit(0 if all(same) else 1)


if __name__ == "__main__":
    main()
