"""scripts/release on a small copy of a checkout, whose packaging/make builds nothing. release_test.py SOURCE_FOLDER"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
CHANGELOG = """# Changelog

## 0.3.0 - 2026-01-02

### Added

- What 0.3.0 brought.
"""
LONG = "Added `kubist frobnicate`, which " + "does more than fits into one line, and " * 4 + "ends."


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for folder in ("scripts", "changes.d", "packaging"):
            (self.root / folder).mkdir()
        make = self.root / "packaging/make"
        make.write_text('#!/bin/sh\necho "made by $*"\ngrep -o "kubist VERSION [0-9.]*" "${0%/*}/../CMakeLists.txt" > "$1/SHA256SUMS"\n')
        make.chmod(0o755)
        shutil.copy2(SOURCE / "scripts/release", self.root / "scripts/release")
        shutil.copy2(SOURCE / "changes.d/README.md", self.root / "changes.d/README.md")
        (self.root / ".gitignore").write_text("/build/\n")
        text, count = re.subn(r"(?m)^(project\(kubist VERSION )\S+", r"\g<1>0.3.0",
                              (SOURCE / "CMakeLists.txt").read_text())
        self.assertEqual(count, 1)
        (self.root / "CMakeLists.txt").write_text(text)
        (self.root / "CHANGELOG.md").write_text(CHANGELOG)
        (self.root / "changes.d/add-frobnicate.md").write_text(LONG + "\n")
        (self.root / "changes.d/fix-crash.md").write_text("`get` no longer\ncrashed.\n")
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        command = ["git", "-c", "user.name=test", "-c", "user.email=test@example.invalid", *words]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "A step")

    def release(self, *words):
        return subprocess.run([self.root / "scripts/release", *words], capture_output=True, text=True, timeout=60, check=False)

    def refused(self, why, *words):
        done = self.release(*words)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(why, done.stderr)

    def test_dry_run_shows_all_and_changes_nothing(self):
        done = self.release("0.4.0", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^==> tag-message\nkubist 0\.4\.0\n\nAdded:\n\n- Added `kubist frobnicate`")
        self.assertRegex(done.stdout, r"(?m)^## 0\.4\.0 - \d{4}-\d\d-\d\d\n\n### Added\n")
        self.assertIn("==> SHA256SUMS\nkubist VERSION 0.4.0\n", done.stdout)
        self.assertEqual(self.git("status", "--porcelain", "--ignored"), "")

    def test_packages_are_of_the_version_or_left_out(self):
        out = self.root / "build/release-0.4.0"
        for words, more in (([], ""), (["--no-arm64"], " --no-arm64"), (["--sign", "A1"], " --sign A1"),
                            (["--no-packages"], None)):
            with self.subTest(words=words):
                done = self.release("0.4.0", *words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(f"made by {out}{more}\n" in done.stderr, more is not None, done.stderr)
                self.assertEqual(sorted(os.listdir(out)), ["SHA256SUMS", "tag-message"][more is None:])
                self.git("checkout", "-q", ".")

    def test_packages_go_into_a_folder_without_others_of_the_version(self):
        """The real packaging/make, which a key that nobody has ends before it builds."""
        version = re.search(r"(?m)^project\(kubist VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        out = self.root / f"build/release-{version}"

        keys = self.root / "keys"
        keys.mkdir(0o700)

        def make():
            done = subprocess.run([SOURCE / "packaging/make", out, "--sign", "nobody@example.invalid"],
                                  capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, "GNUPGHOME": str(keys)})
            self.assertEqual(done.returncode, 1, done.stderr)
            return done.stderr

        self.assertIn("gpg has no secret key nobody@example.invalid", make())
        (out / f"kubist_{version}_amd64.deb").write_text("")
        self.assertIn(f"has files of version {version} already", make())

    def test_sets_version_and_collects_fragments(self):
        done = self.release("0.4.0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("git tag -a v0.4.0 -F build/release-0.4.0/tag-message", done.stdout)
        self.assertIn("project(kubist VERSION 0.4.0 ", (self.root / "CMakeLists.txt").read_text())
        self.assertEqual(os.listdir(self.root / "changes.d"), ["README.md"])
        text = (self.root / "CHANGELOG.md").read_text()
        self.assertEqual([line for line in text.splitlines() if len(line) > 120], [])
        self.assertEqual(re.findall(r"(?m)^##+ .*?(?= - 2|$)", text),
                         ["## 0.4.0", "### Added", "### Fixed", "## 0.3.0", "### Added"])
        self.assertIn("- `get` no longer crashed.\n\n## 0.3.0 - 2026-01-02\n", text)
        self.assertTrue(text.endswith("- What 0.3.0 brought.\n"))
        message = (self.root / "build/release-0.4.0/tag-message").read_text()
        self.assertTrue(message.startswith("kubist 0.4.0\n\nAdded:\n"))
        self.assertNotIn("\n#", message)
        self.assertNotIn("0.3.0", message)

    def test_a_section_that_is_written_already_gets_the_date_and_the_fragments(self):
        (self.root / "CHANGELOG.md").write_text(CHANGELOG.replace("2026-01-02", "unreleased"))
        self.commit()
        self.refused("CHANGELOG.md has 0.3.0 as unreleased", "0.4.0")
        done = self.release("0.3.0")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.root / "CHANGELOG.md").read_text()
        self.assertRegex(text, r"## 0\.3\.0 - \d{4}-\d\d-\d\d\n\n### Added\n\n- What 0\.3\.0 brought\.\n\n### Added\n")
        self.assertTrue(text.endswith("### Fixed\n\n- `get` no longer crashed.\n"))

    def test_refusals_change_nothing(self):
        self.refused("is no version", "v0.4")
        self.refused("0.2.9 is older than 0.3.0", "0.2.9")
        self.refused("says that 0.3.0 is released", "0.3.0")
        self.assertEqual(self.git("status", "--porcelain", "--ignored"), "")
        (self.root / "changes.d/fragment.md").write_text("Something.\n")
        self.refused("the checkout has changes", "0.4.0")
        self.commit()
        self.refused("fragment.md: a name in changes.d begins with", "0.4.0")
        self.git("rm", "-q", "changes.d/fragment.md", "changes.d/add-frobnicate.md", "changes.d/fix-crash.md")
        self.commit()
        self.refused("nothing to release", "0.4.0")

    def test_this_checkout_can_be_released(self):
        """Its change log, its version and its fragments are as the script wants them."""
        shutil.copy2(SOURCE / "CMakeLists.txt", self.root)
        shutil.copy2(SOURCE / "CHANGELOG.md", self.root)
        for file in (SOURCE / "changes.d").glob("*.md"):
            shutil.copy2(file, self.root / "changes.d")
        self.commit()
        text = (SOURCE / "CHANGELOG.md").read_text()
        version, date = re.search(r"(?m)^## (\S+) - (\S+)$", text).groups()
        done = self.release(version if date == "unreleased" else "999.0.0", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
