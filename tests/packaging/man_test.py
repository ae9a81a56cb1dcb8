"""The man pages as man and mandoc see them. man_test.py KUBIST"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

KUBIST = sys.argv[1]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, **options)


def page_of(path):
    return "-".join(["kubist", *path.split()]) + ".1"


class ManPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        run(KUBIST, "__dump-cli", "--man", cls.folder)
        cls.tree = json.loads(run(KUBIST, "__dump-cli").stdout)

    def text_of(self, page):
        """As a reader sees it, on a terminal without colours, wide enough to break no example."""
        text = run("man", "-E", "UTF-8", "-l", os.path.join(self.folder, page),
                   env={**os.environ, "MANWIDTH": "400", "MANPAGER": "cat", "MAN_KEEP_FORMATTING": ""}).stdout
        return text.replace("\u2010", "-").replace("\u2212", "-")

    def test_every_command_has_one(self):
        expected = {"kubist.1"} | {page_of(command["path"]) for command in self.tree["commands"]}
        self.assertEqual(set(os.listdir(self.folder)), expected)

    def test_man_and_mandoc_find_no_fault(self):
        for page in sorted(os.listdir(self.folder)):
            with self.subTest(page=page):
                path = os.path.join(self.folder, page)
                out = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path,
                          env={**os.environ, "MANROFFSEQ": "t"})
                self.assertEqual(out.stderr, "")
                lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path], capture_output=True, text=True,
                                      timeout=60, check=False).stdout
                faults = [line for line in lint.splitlines() if "missing date" not in line]  # none on purpose
                self.assertEqual(faults, [])

    def test_pages_say_all_that_the_record_says(self):
        for command in self.tree["commands"]:
            with self.subTest(command=command["path"]):
                text = self.text_of(page_of(command["path"]))
                self.assertIn(command["summary"], text)
                for flag in command["flags"]:
                    self.assertIn("--" + flag["name"], text)
                    self.assertIn(flag["help"], text)
                for example in command["examples"]:
                    self.assertIn(example["command"], text)
        text = self.text_of("kubist.1")
        for command in self.tree["commands"]:
            self.assertIn(page_of(command["path"]).removesuffix(".1"), text)
        for flag in self.tree["flags"]:
            self.assertIn("--" + flag["name"], text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
