"""Completion as the shells show it. completion_test.py bash|zsh|fish KUBIST; fails where that shell is not."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import api
import shells

SHELL, KUBIST = sys.argv[1:3]

# A line as typed, and all that its last word may become.
CANDIDATES = [
    ("kubist vers", {"version"}),
    ("kubist deployitem lo", {"logs"}),
    ("kubist config ", {"view", "get-contexts", "set-context", "use-context", "current-context"}),
    ("kubist -n team-a deploy", {"deployitem"}),
    ("kubist help expl", {"explain"}),
    ("kubist get --all-n", {"--all-namespaces"}),
    ("kubist version --out", {"--output"}),
    ("kubist reconcile --report j", {"json", "json=", "junit", "junit="}),
    ("kubist reconcile --report=j", {"--report=json", "--report=json=", "--report=junit", "--report=junit="}),
    ("kubist completion ", {"bash", "zsh", "fish"}),
    ("kubist get -n te", {"team-a", "team-b"}),
    ("kubist get --namespace=te", {"--namespace=team-a", "--namespace=team-b"}),
    ("kubist get p", {"pods", "projects"}),
    ("kubist explain clusterr", {"clusterroles"}),
    ("kubist get pods -n team-a web", {"web-0", "web-1"}),
    ("kubist -n team-a describe pods/web", {"pods/web-0", "pods/web-1"}),
    ("kubist get clusterroles system:", {"system:admin", "system:node"}),
    ("kubist get --context ad", {"admin@prod:eu"}),
    ("kubist get --context=admin@", {"--context=admin@prod:eu"}),
    ("kubist config use-context han", {"hangs"}),
    ("kubist tree -n team-a Project/s", {"Project/shop"}),
    ("kubist tree Pro", {"Project/"}),
    ("kubist get -f man", {"manifest.yaml"}),
    ("kubist get --filename=man", {"--filename=manifest.yaml"}),
]
# What TAB makes of a line: a space behind what is complete, none where more follows.
TYPED = [
    ("kubist vers", "kubist version "),
    ("kubist tree Pro", "kubist tree Project/"),
    ("kubist get --namespace=oth", "kubist get --namespace=other "),
    ("kubist get clusterroles system:n", "kubist get clusterroles system:node "),
    ("kubist get -f man", "kubist get -f manifest.yaml "),
]
# Clusters that do not answer: nothing is offered, soon, and nothing is said.
SILENT = ["hangs", "refuses", "plugin", "none-such"]


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="kubist-completion-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        hanging, cls.listener = api.serve_nothing()
        cls.addClassCleanup(cls.listener.close)
        home = api.serve()
        servers = {"home": home, "admin@prod:eu": home, "slow": home.replace("127.0.0.1", "localhost"),
                   "hangs": hanging, "refuses": "http://127.0.0.1:1"}
        config = os.path.join(cls.folder, "config")
        shells.write(config, api.kubeconfig(servers, shutil.which("sleep")))
        shells.write(os.path.join(cls.folder, "manifest.yaml"), "")
        cls.environment = {"HOME": cls.folder, "KUBECONFIG": config, "TERM": "xterm", "LC_ALL": "C.UTF-8",
                           "PATH": os.path.dirname(KUBIST) + ":" + os.environ["PATH"]}
        script = cls.run_kubist("completion", SHELL).stdout
        path = shells.write(os.path.join(cls.folder, "script"), script)
        cls.shell = shells.SHELLS[SHELL](path, cls.folder, cls.environment)
        cls.addClassCleanup(cls.shell.close)

    @classmethod
    def run_kubist(cls, *words, timeout=60):
        return subprocess.run([KUBIST, *words], env=cls.environment, capture_output=True, text=True, timeout=timeout,
                              check=True)

    def test_candidates(self):
        for line, expected in CANDIDATES:
            with self.subTest(line=line):
                self.assertEqual(self.shell.candidates(line), expected)

    def test_tab(self):
        if self.shell.press is None:
            self.skipTest("no terminal")
        for line, expected in TYPED:
            with self.subTest(line=line):
                self.assertEqual(self.shell.press(line + shells.TAB), expected)

    def test_clusters_that_do_not_answer(self):
        for context in SILENT:
            for words in (["pods", "web"], [""], ["-n", "te"]):
                with self.subTest(context=context, words=words):
                    # It gives up after 1.5 s; what has no such limit waits for 30 s at least.
                    out = self.run_kubist("__complete", "--", "get", "--context", context, *words, timeout=25)
                    self.assertEqual((out.stdout, out.stderr), ("", ""))

    def test_commands_are_completed_where_the_cluster_is_silent(self):
        self.assertEqual(self.shell.candidates("kubist --context hangs vers"), {"version"})


if __name__ == "__main__":
    if shutil.which(SHELL) is None:
        sys.exit(f"no {SHELL} here: scripts/packages --test installs it")
    unittest.main(argv=sys.argv[:1])
