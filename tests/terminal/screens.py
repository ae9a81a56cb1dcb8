"""Runs kubist in a real terminal (tmux) beside a test cluster, and compares what stands on the screen.

  screens.py KUBIST     KUBIST_TEST_ACCEPT=1 writes tests/terminal/screens anew

A screen is taken as soon as it has the words that are waited for. Times, run ids and suffixes are made equal.
"""
import itertools
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
DEADLINE = 120
ENVIRONMENT = """\
apiVersion: kubist.io/v1alpha1
kind: Project
metadata: {name: screens}
---
apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: home, namespace: screens}
spec: {home: true}
---
apiVersion: kubist.io/v1alpha1
kind: VirtualCluster
metadata: {name: dev, namespace: screens}
spec: {clusterRef: {name: home}, namespace: screens-dev}
---
apiVersion: kubist.io/v1alpha1
kind: Execution
metadata: {name: migrate, namespace: screens}
spec:
  virtualClusterRef: {name: dev}
  items:
    - {name: schema, type: Script, image: "localhost/busybox:1", script: "sleep 600"}
---
apiVersion: kubist.io/v1alpha1
kind: Execution
metadata: {name: users, namespace: screens}
spec:
  virtualClusterRef: {name: dev}
  items:
    - {name: create, type: Script, image: "localhost/busybox:1", script: "echo no space is left >&2; exit 7"}
"""


class Terminal:
    """A tmux server of its own, with one window."""

    numbers = itertools.count()

    def __init__(self, folder, columns, rows, command):
        self.socket = str(folder / f"tmux-{next(self.numbers)}")  # the server before may still be ending
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), "-s", "s", command)

    def tmux(self, *words):
        return subprocess.run(["tmux", "-f", "/dev/null", "-S", self.socket, *words], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "s").rstrip("\n") + "\n"

    def until(self, *words):
        """The first screen on which all these patterns are."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            shown = self.screen()
            if all(re.search(word, shown, re.MULTILINE) for word in words):
                return shown
            time.sleep(0.1)
        sys.exit(f"screens: {words} was not on the screen within {DEADLINE} s:\n{shown}")

    def keys(self, *names):
        self.tmux("send-keys", "-t", "s", *names)

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False, stderr=subprocess.DEVNULL)


def comparable(screen):
    """Without what differs between two runs; a column is as wide as its widest cell, so blanks count once."""
    screen = re.sub(r"\b\d+(?:m\d+)?s\b", "TIME", screen)
    screen = re.sub(r"\brun [a-z0-9]{10}\b", "run ID", screen)
    screen = re.sub(r"\b(migrate-schema|users-create)-[a-z0-9]{6,}", r"\1-ID", screen)
    return re.sub(r" {2,}", "  ", re.sub(r" +$", "", screen, flags=re.MULTILINE))


def check(name, screen, alike=comparable):
    """What is wrong with a screen, or nothing; `alike` takes away in what two may differ."""
    golden = HERE / "screens" / f"{name}.txt"
    if os.environ.get("KUBIST_TEST_ACCEPT"):
        golden.write_text(screen, encoding="utf-8")
        return []
    if alike(golden.read_text(encoding="utf-8")) == alike(screen):
        return []
    return [f"{name}: expected\n{golden.read_text(encoding='utf-8')}\nbut the screen was\n{screen}"]


def follow(kubist, folder, columns, patterns, flag="--force"):
    """The screen of a run that goes on, and the one after it was interrupted."""
    terminal = Terminal(folder, columns, 20, f"{kubist} reconcile Project/screens {flag}; echo ended $?; exec sleep 600")
    try:
        live = terminal.until(*patterns)
        terminal.keys("C-c")
        return live, terminal.until("^ended 130$")
    finally:
        terminal.close()


def colours(kubist, folder):
    """What is wrong with the colours: on a terminal, where nobody wants them, and piped."""
    wrong = []
    for command, coloured in ((f"{kubist} tree", True), (f"NO_COLOR=1 {kubist} tree", False),
                              (f"{kubist} tree --color=never", False), (f"TERM=dumb {kubist} tree", False),
                              (f"{kubist} tree | cat", False), (f"{kubist} tree --color=always | cat", True)):
        terminal = Terminal(folder, 80, 20, f"sh -c '{command}; echo ended; exec sleep 600'")
        try:
            terminal.until("Project/screens", "^ended$")
            shown = terminal.tmux("capture-pane", "-e", "-p", "-t", "s")
            if ("\033[3" in shown) != coloured:
                wrong.append(f"{command}: colours were expected: {coloured}\n{shown}")
        finally:
            terminal.close()
    return wrong


def refused_deletion(kubist, folder):
    """What is wrong with the question before a project goes: any answer but yes leaves it."""
    terminal = Terminal(folder, 80, 20, f"{kubist} delete project screens; echo ended $?; exec sleep 600")
    try:
        terminal.until("^Project/screens: the namespaces", "Type yes to go on:")
        terminal.keys("y", "Enter")
        terminal.until("not confirmed", "^ended 5$")
    finally:
        terminal.close()
    left = subprocess.run([kubist, "get", "project", "screens", "-o", "jsonpath={.metadata.deletionTimestamp}"],
                          check=True, capture_output=True, text=True).stdout
    return [f"the project was deleted at {left}"] if left else []


def bytes_at_terminal(command):
    """What a command writes to a terminal, before one has read it."""
    end, side = pty.openpty()
    with subprocess.Popen(command, stdout=side, stdin=subprocess.DEVNULL) as running:
        os.close(side)
        written = b""
        try:
            while piece := os.read(end, 65536):
                written += piece
        except OSError:  # nobody writes any more
            pass
    os.close(end)
    if running.returncode != 0:
        sys.exit(f"screens: {command} ended with {running.returncode}:\n{written}")
    return written.decode()


def objects_that_steer(kubist):
    """Which commands let an object's annotation drive the terminal, or do not show it."""
    mark = "\x1b]0;owned\a\x9b2J\u202e"
    for words in (["create", "configmap", "steers"], ["annotate", "configmap", "steers", f"mark={mark}"]):
        subprocess.run([kubist, *words], check=True, capture_output=True)
    get = ["get", "configmap", "steers", "-o"]
    wrong = []
    for words in ([*get, "jsonpath={.metadata.annotations.mark}"], [*get, "custom-columns=M:.metadata.annotations.mark"],
                  [*get, "json"], [*get, "yaml"], ["get", "--raw", "/api/v1/namespaces/default/configmaps/steers"],
                  ["describe", "configmap", "steers"], ["annotate", "configmap", "steers", "--list"]):
        shown = bytes_at_terminal([kubist, *words])
        if "owned" not in shown or any(sign in shown for sign in "\x1b\a\x9b\u202e"):
            wrong.append(f"kubist {' '.join(words)} wrote to a terminal: {shown!r}")
    piped = subprocess.run([kubist, *get, "jsonpath={.metadata.annotations.mark}"], check=True, capture_output=True)
    if piped.stdout.decode() != mark:
        wrong.append(f"a pipe got {piped.stdout!r}")
    subprocess.run([kubist, "delete", "configmap", "steers"], check=True, capture_output=True)
    return wrong


def main():
    kubist = os.path.abspath(sys.argv[1])
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "env.yaml").write_text(ENVIRONMENT, encoding="utf-8")
        subprocess.run([kubist, "init"], check=True, capture_output=True)
        subprocess.run([kubist, "apply", "-f", folder / "env.yaml"], check=True, capture_output=True)
        try:
            for columns in (60, 80, 200):
                waits = r"Execution/migrate .*runs .*waiting for " + ("t" if columns == 60 else "the workload of pod s")
                live, after = follow(kubist, folder, columns, (waits, r"Execution/users .*failed"))
                wrong += check(f"reconcile-{columns}", live)
                if re.search(r"\d+ running|^.+Project/screens +(?:ready|Ready)", after, re.MULTILINE):
                    wrong.append(f"of the picture something stayed after the run:\n{after}")
            follow(kubist, folder, 80, (r"Execution/users .*failed", r"^\d+ of 5 done"), "--watch")
            wrong += colours(kubist, folder) + objects_that_steer(kubist) + refused_deletion(kubist, folder)
        finally:
            subprocess.run([kubist, "delete", "project", "screens", "--force-cleanup"], check=False, capture_output=True)
    print("\n".join(wrong), file=sys.stderr)
    print("screens: 3 widths, --watch, 6 ways of colours, an object that steers, a question")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
