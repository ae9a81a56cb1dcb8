"""The man pages as man and mandoc see them. man_test.py KUBIST FOLDER_OF_WRITTEN_PAGES"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

KUBIST, WRITTEN = sys.argv[1:3]


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

    def all_pages(self):
        return [os.path.join(folder, page) for folder in (self.folder, WRITTEN) for page in sorted(os.listdir(folder))]

    def text_of(self, page):
        """As a reader sees it, on a terminal without colours, wide enough to break no example."""
        text = run("man", "-E", "UTF-8", "-l", os.path.join(self.folder, page),
                   env={**os.environ, "MANWIDTH": "400", "MANPAGER": "cat", "MAN_KEEP_FORMATTING": ""}).stdout
        return text.replace("\u2010", "-").replace("\u2212", "-")

    def test_every_command_has_one(self):
        expected = {"kubist.1"} | {page_of(command["path"]) for command in self.tree["commands"]}
        self.assertEqual(set(os.listdir(self.folder)), expected)

    def test_man_and_mandoc_find_no_fault(self):
        for path in self.all_pages():
            with self.subTest(page=os.path.basename(path)):
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
        for page in os.listdir(WRITTEN):
            name, section = page.rsplit(".", 1)
            self.assertIn(f"{name}({section})", text)

    def test_pages_refer_to_pages_that_exist(self):
        known = {os.path.basename(path) for path in self.all_pages()}
        for path in self.all_pages():
            with self.subTest(page=os.path.basename(path)), open(path, encoding="utf-8") as file:
                named = re.findall(r'^\.BR "?(kubist\S*?)"? \((\d)\)', file.read(), re.MULTILINE)
                self.assertTrue(named)
                self.assertLessEqual({f"{name}.{section}".replace("\\-", "-") for name, section in named}, known)

    def test_variables_are_documented(self):
        layers = pathlib.Path(WRITTEN).parent
        sources = "".join(file.read_text() for part in ("lib", "cli") for file in layers.glob(f"{part}/**/src/**/*.cpp"))
        read = set(re.findall(r'(?:environment|variable)\("([A-Z_]+)"', sources)) | set(
            re.findall(r'"(KUBIST_[A-Z_]+)"', sources))
        self.assertLessEqual({"KUBECONFIG", "KUBECACHEDIR", "NO_COLOR", "KUBIST_CONFIG", "KUBIST_AGENT_IMAGE"}, read)
        given, = re.findall(r"k_own_variables\{([^}]*)\}", sources)
        self.assertIn('"OPERATION"', given)
        for page, names in (("kubist-config.5", read), ("kubist-deployitems.7", re.findall(r'"(\w+)"', given))):
            words = re.findall(r"[A-Z_]+", pathlib.Path(WRITTEN, page).read_text())
            for name in names:
                with self.subTest(page=page, variable=name):
                    self.assertIn(name, words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
