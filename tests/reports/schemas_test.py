"""Holds the reports of --report to the schemas that others publish. schemas_test.py KUBIST

JUnit: Jenkins' XSD (junit-10.xsd of its xUnit plugin), as pytest's source package carries it. SARIF: the JSON schema of
OASIS, as cfn-lint's source package carries it. Both are fetched from PyPI once, in these versions, into the cache of the
build. GitLab publishes what Code Quality takes as a table only (https://docs.gitlab.com/ci/testing/code_quality/): GITLAB says it.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

import jsonschema

KUBIST = os.path.abspath(sys.argv[1])
CACHE = pathlib.Path(os.environ.get("KUBIST_CACHE", "/var/cache/kubist")) / "schemas"
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SCHEMAS = {
    "junit-10.xsd": ("pytest==8.4.2", "testing/example_scripts/junit-10.xsd",
                     "a1a816f58d1bf95ebabf371994df0b9246dee66ea9572fbec4f9296f1b2c0ff6"),
    "sarif-2.1.0.json": ("cfn-lint==1.58.0", "test/fixtures/schemas/sarif/schema-2.1.0.json",
                         "bb34c1740b3464d1694c93750d2f1da3833e8d11feb311230251cef2f4cb1459"),
}
POSITION = {"type": "object", "required": ["line", "column"], "additionalProperties": False,
            "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}}}
GITLAB = {
    "type": "array",
    "items": {
        "type": "object", "additionalProperties": False,
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object", "required": ["path", "positions"], "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./).+"},
                    "positions": {"type": "object", "required": ["begin", "end"], "additionalProperties": False,
                                  "properties": {"begin": POSITION, "end": POSITION}}}}}},
}


def fetch(name):
    package, member, digest = SCHEMAS[name]
    path = CACHE / name
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
                            package.split("==", maxsplit=1)[0], "-d", folder, package], check=True)
            with tarfile.open(next(pathlib.Path(folder).glob("*.tar.gz"))) as archive:
                root = archive.getnames()[0].split("/")[0]
                path.write_bytes(archive.extractfile(f"{root}/{member}").read())
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        path.unlink()
        raise AssertionError(f"{name} of {package} is another than it was")
    return path


def inputs():
    """Name and text of each entry of tests/data/reports/broken.txt, and one that is valid."""
    text = (SOURCE / "tests/data/reports/broken.txt").read_text()
    for entry in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        head, body = entry.split("\n", 1)
        yield head, body
    yield "valid", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sarif = jsonschema.Draft7Validator(json.loads(fetch("sarif-2.1.0.json").read_text()))
        cls.gitlab = jsonschema.Draft7Validator(GITLAB)
        cls.junit = fetch("junit-10.xsd")

    def reports(self):
        """What it is about, and the text of its report in each form."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            cases = path / "cases.yaml"
            cases.write_text((SOURCE / "tests/data/policy-cases/team-labels.yaml").read_text().replace("team:", "tema:"))
            runs = [("policy test", ["policy", "test", str(SOURCE / "examples/policies"), str(cases)])]
            for name, text in inputs():
                file = path / f"{len(runs)}.yaml"
                file.write_text(text)
                runs.append((name, ["validate", "-f", str(SOURCE / "tests/data/reports/world.yaml"), "-f", str(file)]))
            runs.append(("a file that is missing", ["validate", "-f", str(path / "missing.yaml")]))
            for name, words in runs:
                forms = {form: path / f"report.{form}" for form in ("junit", "sarif", "gitlab")}
                flags = [f"--report={form}={file}" for form, file in forms.items()]
                subprocess.run([KUBIST, *words, *flags], check=False, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
                yield name, {form: file.read_text() for form, file in forms.items()}

    def check_junit(self, text):
        self.assertRegex(text, "<testcase ")
        # Two attributes of a case that readers know and Jenkins' schema does not.
        plain = re.sub(r'(<testcase [^>]*?)( file="[^"]*")?( line="\d+")?(/?>)', r"\1\4", text)
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", str(self.junit), "-"], input=plain, text=True,
                              check=False, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr + text)

    def test_reports(self):
        count = 0
        for name, reports in self.reports():
            with self.subTest(name):
                count += 1
                self.check_junit(reports["junit"])
                self.sarif.validate(json.loads(reports["sarif"]))
                self.gitlab.validate(json.loads(reports["gitlab"]))
        self.assertGreater(count, 30)

    def test_what_is_wrong_is_refused(self):
        with self.assertRaises(AssertionError):
            self.check_junit('<testsuite name="a" tests="1" failures="0"><testcase name="b"/></testsuite>')
        with self.assertRaises(jsonschema.ValidationError):
            self.sarif.validate({"version": "2.1.0", "runs": [{"results": []}]})
        with self.assertRaises(jsonschema.ValidationError):
            self.gitlab.validate([{"description": "a"}])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
