"""The page of --report html of a run on a cluster, in a browser. page_test.py KUBIST

Names and texts of the run are what an attacker would write: <script>, an image with a handler. They are text.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zlib

import schemas_test

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from browser import Browser  # noqa: E402 (of tests/support)

KUBIST = os.path.abspath(sys.argv[1])
FORMS = ("junit", "sarif", "gitlab")
WIDTHS = (400, 1200)  # pixels: a phone, a desk
EVIL = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
PASSWORD = "correct-horse-battery"
LINKS = "[...document.querySelectorAll('[href],[src],script,iframe,object,embed,form')].length"
ENVIRONMENT = [
    {"apiVersion": "kubist.io/v1alpha1", "kind": "Project", "metadata": {"name": "page"}},
    {"apiVersion": "kubist.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "home", "namespace": "page"},
     "spec": {"home": True}},
    {"apiVersion": "kubist.io/v1alpha1", "kind": "VirtualCluster", "metadata": {"name": "dev", "namespace": "page"},
     "spec": {"clusterRef": {"name": "home"}, "namespace": "page-dev"}},
    {"apiVersion": "kubist.io/v1alpha1", "kind": "CanaryRelease", "metadata": {"name": "web", "namespace": "page"},
     "spec": {"virtualClusterRef": {"name": "dev"}, "destination": "web", "stable": "v1", "canary": "v2",
              "routes": ["web"]}},
    {"apiVersion": "landscaper.gardener.cloud/v1alpha1", "kind": "DeployItem",
     "metadata": {"name": "settings", "namespace": "page"},
     "spec": {"type": "kubist.io/manifest", "target": {"name": "dev"}, "config": {"manifests": [
         {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"greeting": EVIL}},
         {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "stringData": {"password": PASSWORD}}]}}},
    {"apiVersion": "kubist.io/v1alpha1", "kind": "Execution", "metadata": {"name": "migrate", "namespace": "page"},
     "spec": {"virtualClusterRef": {"name": "dev"}, "items": [
         {"name": "schema", "type": "Script", "image": "localhost/busybox:1", "env": [{"name": "TEXT", "value": EVIL}],
          "script": 'echo "$TEXT" >&2; exit 7'}]}},
    {"apiVersion": "kubist.io/v1alpha1", "kind": "Execution", "metadata": {"name": "later", "namespace": "page"},
     "spec": {"suspend": True, "items": [{"name": "a", "type": "Script", "image": "localhost/busybox:1", "script": "true"}]}},
]
HISTORY = [{"at": "2026-11-27T09:00:00Z", "attempt": 1, "state": "Progressing", "weight": 10},
           {"at": "2026-11-27T09:05:00Z", "attempt": 1, "state": "Progressing", "weight": 50},
           {"at": "2026-11-27T09:06:00Z", "attempt": 1, "state": "RolledBack", "weight": 0,
            "reason": "WorseThanStable", "message": EVIL}]


def kubist(*words, **more):
    return subprocess.run([KUBIST, *words], check=False, text=True, capture_output=True, **more)


def has_lines(png):
    """Has a picture more than one colour? A row that is as the one above is zeros behind PNG's filter, so a
    page of one colour has no more than two kinds of rows."""
    height, data, at = int.from_bytes(png[20:24], "big"), b"", 8
    while at < len(png):
        size = int.from_bytes(png[at:at + 4], "big")
        data += png[at + 8:at + 8 + size] if png[at + 4:at + 8] == b"IDAT" else b""
        at += size + 12
    rows = zlib.decompress(data)
    length = len(rows) // height
    return len({rows[at + 1:at + length] for at in range(0, len(rows), length)}) > 2


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.addClassCleanup(kubist, "delete", "project", "page", "--force-cleanup")
        cls.browser = cls.enterClassContext(Browser())

    def made(self, name, *words):
        page = self.folder / name
        done = kubist(*words, "--report", f"html={page}", *(f"--report={form}={self.folder / form}" for form in FORMS))
        self.assertTrue(page.exists(), done.stderr)
        return done, page

    def check(self, page, *texts):
        """Opens the page at each width: it is whole, says nothing on the console, and has these texts."""
        for width in WIDTHS:
            for dark in (False, True):
                self.browser.open(page.as_uri(), width=width, dark=dark)
                # What is folded has to fit, too.
                self.browser.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
                self.assertEqual(self.browser.errors, [])
                self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)
                self.assertEqual(self.browser.value(LINKS), 0)
                self.assertRegex(self.browser.value("document.title"), "^kubist ")
                shown = self.browser.value("document.body.innerText")
                for text in texts:
                    self.assertIn(text, shown)
                colour = self.browser.value("getComputedStyle(document.body).backgroundColor")
                self.assertEqual(colour == "rgb(255, 255, 255)", not dark, colour)
            shot = pathlib.Path(os.environ.get("KUBIST_TEST_SHOTS") or self.folder) / f"{page.stem}-{width}.png"
            self.browser.screenshot(str(shot))
            self.assertTrue(has_lines(shot.read_bytes()), f"{shot} shows nothing")

    def check_others(self):
        """The same run in the forms that others read, by their schemas."""
        schemas_test.Schemas.setUpClass()
        schemas = schemas_test.Schemas()
        junit, sarif, gitlab = ((self.folder / form).read_text(encoding="utf-8") for form in FORMS)
        schemas.check_junit(junit)
        for state in ("failure", "skipped"):
            self.assertIn(f"<{state} ", junit)
        schemas.sarif.validate(json.loads(sarif))
        self.assertIn("WorkloadFailed", [rule["id"] for rule in json.loads(sarif)["runs"][0]["tool"]["driver"]["rules"]])
        schemas.gitlab.validate(json.loads(gitlab))
        self.assertGreater(len(json.loads(gitlab)), 0)

    def test_a_run(self):
        self.assertEqual(kubist("init").returncode, 0)
        env = self.folder / "env.yaml"
        env.write_text("\n---\n".join(json.dumps(each) for each in ENVIRONMENT), encoding="utf-8")
        applied = kubist("apply", "-f", str(env))
        self.assertEqual(applied.returncode, 0, applied.stderr)
        subprocess.run(["kubectl", "patch", "canaryrelease.kubist.io", "web", "-n", "page", "--subresource=status",
                        "--type=merge", "-p", json.dumps({"status": {"state": "RolledBack", "history": HISTORY}})],
                       check=True, capture_output=True)
        done, page = self.made("run.html", "reconcile", "project", "page", "--timeout", "60s")
        self.assertIn(done.returncode, (1, 3), done.stderr)
        self.check(page, "What went wrong", "Execution/page/migrate", "WorkloadFailed", "exited with code 7",
                   "VirtualCluster/dev", "Waited for", "create v1 ConfigMap/page-dev/settings", EVIL, "+  greeting:")
        self.assertNotIn(PASSWORD, page.read_text(encoding="utf-8"))
        self.assertIn("***", page.read_text(encoding="utf-8"))
        self.check_others()
        self.assertGreater(self.browser.value("document.querySelectorAll('svg.bar rect.work').length"), 3)
        box = self.browser.value("(b => [b.width, b.height])(document.querySelector('svg.chart').getBoundingClientRect())")
        self.assertGreater(min(box), 80)
        self.assertEqual(self.browser.value("document.querySelectorAll('svg.chart circle').length"), 3)
        self.assertIn(EVIL, self.browser.value("document.querySelector('svg.chart circle.failed').textContent"))

    def test_input_that_is_refused(self):
        file = self.folder / f"{EVIL.replace('/', '')}.yaml"
        file.write_text("apiVersion: kubist.io/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: b}\nspec: {hom: true}\n",
                        encoding="utf-8")
        done, page = self.made("refused.html", "validate", "-f", str(file))
        self.assertEqual(done.returncode, 1)
        self.check(page, "What went wrong", EVIL.replace("/", ""), 'did you mean "home"?')

    def test_a_page_that_fails_is_seen(self):
        page = self.folder / "wide.html"
        page.write_text("<!doctype html><title>kubist x</title><p style='width: 3000px'>x<script>1</script>", encoding="utf-8")
        with self.assertRaises(AssertionError):
            self.check(page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
