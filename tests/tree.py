"""What the tests of scripts that check the tree share: a small tree, changed and judged."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "scripts"


class TreeTest(unittest.TestCase):
    SCRIPT, TREE = "", {}

    def run_on(self, files):
        """What the script says of a tree with these files, their text by path."""
        with tempfile.TemporaryDirectory(prefix="kubist-tree-") as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, SCRIPTS / self.SCRIPT, folder], text=True, check=False,
                                  capture_output=True)

    def check(self, changes, *said):
        """The tree with these files fails with these lines and no others, or passes where there are none."""
        done = self.run_on({**self.TREE, **changes})
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(said), done.stderr)
        self.assertEqual(done.returncode, 1 if said else 0, done.stderr)
