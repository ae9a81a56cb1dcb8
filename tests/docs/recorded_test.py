"""recorded.py fails where a page is not as it runs, and says so."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RECORDED = pathlib.Path(__file__).with_name("recorded.py")
KUBIST = """#!/bin/sh
case $1 in
  wait) echo "waiting for web-5d9f7c6b84-x2x7z" >&2; echo "3 writes in $2, 4.5 ms"; exit "${3:-0}" ;;
  *) echo "$@" ;;
esac
"""


class RecordedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = pathlib.Path(folder.name) / "learn/page.md"
        self.page.parent.mkdir()
        self.kubist = pathlib.Path(folder.name) / "fake"
        self.kubist.write_text(KUBIST)
        self.kubist.chmod(0o755)
        (self.page.parent.parent / "config").write_text("a secret\n")

    def check(self, code, text, *said, mark="cluster", accept="", minutes="\nThis takes about 10 minutes.\n"):
        self.page.write_text(text + minutes)
        environment = {**os.environ, "KUBIST_TEST_ACCEPT": accept, "KUBIST_TEST_COSTS": "",
                       "KUBECONFIG": str(self.page.parent.parent / "config")}
        done = subprocess.run([sys.executable, RECORDED, self.kubist, self.page, mark], env=environment, check=False,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout)
        for words in said:
            self.assertIn(words, done.stdout)

    def test_output(self):
        self.check(0, "```console cluster\n$ kubist get a\nget a\n```\n", "blocks: 1 run")
        self.check(1, "```console cluster\n$ kubist get a\nget b\n```\n", "-get b", "+get a")
        self.check(1, "text only\n", "no block `console cluster`")
        self.check(1, "```console cluster\nget a\n```\n", "no commands")

    def test_what_may_differ(self):
        text = "```console cluster\n$ kubist wait 1.5s\nwaiting for web-c94d8b6f5-2bcdf\n1 write in 17s, 125.0 ms\n```\n"
        self.check(0, text)
        self.check(1, text.replace("cluster", "run"), "+3 writes in 1.5s, 4.5 ms", mark="run")
        self.check(0, "```console cluster\n$ kubist wait 2s\n...\n9 writes in 3s, 1 ms\n```\n")
        self.check(1, "```console cluster\n$ kubist wait 2s\n...\n```\n```console cluster\n$ kubist wait 2s\n...\nno\n```\n", "-no")

    def test_accept(self):
        text = "```console cluster\n$ kubist wait 2s\n...\n9 writes in 3s, 1 ms\n$ kubist get a\n```\nend\n"
        self.check(0, text, "+get a", accept="1")
        text = text.replace("get a\n", "get a\nget a\n")
        self.assertTrue(self.page.read_text().startswith(text))
        self.check(0, text)

    def test_scripts(self):
        self.check(0, "```sh cluster\nX=a\nkubist get $X > out\n```\n```console cluster\n$ cat out\nget a\n```\n", "2 run")
        self.check(1, "```sh cluster\nkubist wait 2s 3\nkubist get\n```\n", "ended with 3")
        self.check(0, "```sh cluster exit=3\nkubist wait 2s 3\n```\n")
        self.check(1, "```sh cluster exit=3\nkubist get\n```\n", "ended with 0")
        self.check(1, "```sh run\nkubist get\n```\n", "is never run")

    def test_exit_codes(self):
        self.check(1, "```console cluster\n$ kubist wait 2s 3\n...\n```\n", "ended with 3: say exit=3")
        self.check(0, "```console cluster exit=3\n$ kubist wait 2s 3\n...\n$ kubist get\nget\n```\n")
        self.check(1, "```console cluster exit=3\n$ kubist get\nget\n```\n", "no command of this block ends with 3")

    def test_pipes(self):
        self.check(1, "```console cluster\n$ kubist wait 2s 3 2>&1 | tail -n 1\n...\n```\n", "ended with 3: say exit=3")
        self.check(1, "```sh cluster\nkubist wait 2s 3 | cat\nkubist get\n```\n", "ended with 3")
        self.check(0, "```console cluster\n$ yes | head -n 1\ny\n```\n")

    def test_no_page(self):
        for words in ([], ["cluster"], ["run"]):
            done = subprocess.run([sys.executable, RECORDED, self.kubist, *words], check=False, text=True, capture_output=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("recorded: no page is named", done.stderr)

    def test_minutes(self):
        text = "```console cluster\n$ kubist get a\nget a\n```\n"
        self.check(1, text, "it does not say", minutes="")
        self.check(1, text, "its commands took 0 s", minutes="This takes\nabout 0 minutes.")
        self.check(0, text, minutes="This takes\nabout 1 minutes.")

    def test_blocks_that_are_never_run(self):
        run = "```console cluster\n$ kubist get a\nget a\n```\n"
        for block in ("```sh\nls\n```\n", "```\nls\n```\n", "```console istio\n$ ls\n```\n", '```sh skip=""\nls\n```\n'):
            self.check(1, run + block, "is never run")
        for block in ("text\n\n    ls\n", "~~~\nls\n~~~\n", "- item\n  ```sh\n  ls\n  ```\n"):
            self.check(1, run + block, "indented, or in tildes")
        self.check(0, run + '```sh skip="no kind"\nls\n```\n```text\nls\n```\n', "1 skipped: no kind")

    def test_files_and_steps(self):
        flow = ("```yaml file=a/b/flow.yaml\njobs:\n  all:\n    env: {A: '1'}\n    steps:\n      - uses: x/y\n"
                "      - {run: 'kubist get $A $B', env: {B: '${{ secrets.KUBECONFIG }}'}}\n```\n")
        self.check(0, flow + "```text steps=a/b/flow.yaml\nget 1 a secret\n```\n")
        self.check(1, flow + "```text steps=a/b/flow.yaml\nget 2\n```\n", "+get 1 a secret")
        self.check(1, flow.replace("get", "wait 1s 3 #") + "```text steps=a/b/flow.yaml\n```\n", "ended with 3")
        self.check(1, flow.replace("secrets.KUBECONFIG", "inputs.x") + "```text steps=a/b/flow.yaml\n```\n", "no expression")

    def test_what_runs_in_the_background_ends(self):
        left = self.page.parent / "pid"
        self.check(0, f"```console cluster\n$ sleep 1000 > log 2>&1 & echo $! > {left}\n```\n")
        self.assertFalse(pathlib.Path(f"/proc/{left.read_text().strip()}/cwd").exists())


if __name__ == "__main__":
    unittest.main()
