"""What earlier versions kept in clusters is what this one reads. compat_test.py KUBIST
tests/data/compat/VERSION has an object of every kind that VERSION had, with the status that it wrote, and what its agent
knew. compat_cluster_test.py has what needs an API server."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

KUBIST = sys.argv[1]
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data/compat"
VERSIONS = sorted(path for path in FOLDER.iterdir() if path.is_dir())


def validate(path):
    return subprocess.run([KUBIST, "validate", "-f", path], capture_output=True, text=True, timeout=60, check=False)


class Compatibility(unittest.TestCase):
    def test_every_object_is_taken(self):
        self.assertIn("0.1.0", [folder.name for folder in VERSIONS])
        for folder in VERSIONS:
            with self.subTest(version=folder.name):
                done = validate(folder)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_unknown_field_is_refused(self):
        for part in ("spec", "status"):
            with self.subTest(part=part), tempfile.TemporaryDirectory() as folder:
                text = (FOLDER / "0.1.0/project.yaml").read_text()
                path = pathlib.Path(folder, "project.yaml")
                path.write_text(text.replace(f"\n{part}:\n", f"\n{part}:\n  isNoField: 1\n"))
                done = validate(path)
                self.assertIn(f"{part}.isNoField: unknown field", done.stderr)

    def test_the_agent_takes_the_flags_of_older_versions(self):
        for folder in VERSIONS:
            for role, flags in json.loads((folder / "agent/contract.json").read_text())["flags"].items():
                printed = subprocess.run([KUBIST, "agent", role, "--help"], capture_output=True, text=True, timeout=60, check=True)
                known = set(re.findall(r"(?m)^ +(--[a-z0-9-]+)", printed.stdout))
                self.assertEqual(set(flags) - known, set(), f"{folder.name}, agent {role}")

    def test_every_kind_has_an_object(self):
        printed = subprocess.run([KUBIST, "init", "--print"], capture_output=True, text=True, timeout=60, check=True)
        present = set(re.findall(r"^    kind: (\w+)$", printed.stdout, re.MULTILINE))
        self.assertLessEqual({"Root", "DeployItem", "CanaryRelease"}, present)
        newest = max(VERSIONS, key=lambda folder: [int(part) for part in folder.name.split(".")])
        kept = [re.search(r"(?m)^kind: (\w+)$", file.read_text())[1] for file in newest.glob("*.yaml")]
        self.assertEqual(sorted(kept), sorted(present))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
