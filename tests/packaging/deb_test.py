"""The .deb and `cmake --install` of a release build. deb_test.py BUILD_FOLDER [ARCH ROOT]
BUILD_FOLDER is of the preset release; for arm64 that of release-arm64, and ROOT is what scripts/sysroot prints."""
import gzip
import json
import os
import re
import stat
import sys
import tempfile
import unittest

from layout import LINKS, SOURCE, expected_files, files_below, pack, run

BUILD, ARCH, ROOT = (os.path.abspath(sys.argv[1]), *sys.argv[2:4], None, None)[:3]
EMULATOR = ["qemu-aarch64-static", "-L", ROOT] if ROOT else []
LIBC = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.root = os.path.join(cls.folder, "root")
        cls.deb = pack("DEB", BUILD, cls.folder)
        run("dpkg-deb", "-x", cls.deb, cls.root)
        cls.kubist = os.path.join(cls.root, "usr/bin/kubist")

    def field(self, name):
        return run("dpkg-deb", "-f", self.deb, name).strip()

    def test_control(self):
        version = json.loads(run(*EMULATOR, self.kubist, "version", "--client", "-o", "json"))["clientVersion"]["gitVersion"]
        architecture = ARCH or run("dpkg", "--print-architecture").strip()
        self.assertEqual(self.field("Package"), "kubist")
        self.assertEqual("v" + self.field("Version"), "v" + version.removeprefix("v"))
        self.assertEqual(self.field("Architecture"), architecture)
        self.assertEqual(os.path.basename(self.deb), f"kubist_{self.field('Version')}_{architecture}.deb")
        self.assertRegex(self.field("Depends"), r"^libc6 \(>= [0-9.]+\)$")
        self.assertRegex(self.field("Maintainer"), r"^.+ <.+@.+>$")
        summary, *text = self.field("Description").split("\n")
        self.assertLessEqual(len(summary), 80)
        self.assertTrue(text)
        self.assertGreater(int(self.field("Installed-Size")), 1000)

    def test_files_lie_where_debian_expects_them(self):
        self.assertEqual(files_below(self.root),
                         expected_files(self.kubist, ".gz", emulator=EMULATOR) - {"usr/share/doc/kubist/LICENSE"}
                         | {"usr/share/lintian/overrides/kubist"})

    def test_owners_and_modes(self):
        for line in run("dpkg-deb", "-c", self.deb).splitlines():
            mode, owner, _, _, _, path = line.split(None, 5)
            with self.subTest(path=path):
                self.assertEqual(owner, "root/root")
                if mode.startswith("l"):
                    self.assertIn(path, {f"./{link} -> kubist" for link in LINKS})
                    continue
                runs = mode.startswith("d") or path == "./usr/bin/kubist"
                self.assertEqual(mode[1:], "rwxr-xr-x" if runs else "rw-r--r--")

    def test_checksums(self):
        control = os.path.join(self.folder, "control")
        run("dpkg-deb", "-e", self.deb, control)
        sums = os.path.join(control, "md5sums")
        run("md5sum", "--check", "--strict", sums, cwd=self.root)
        with open(sums, encoding="utf-8") as file:
            self.assertEqual({line.split(None, 1)[1].strip() for line in file}, files_below(self.root) - LINKS)
        self.assertEqual(stat.S_IMODE(os.stat(sums).st_mode), 0o644)

    def test_binary_runs_and_needs_only_libc(self):
        self.assertIn("kubist COMMAND", run(*EMULATOR, self.kubist, "help", env={"PATH": os.environ["PATH"]}))
        dynamic = run("readelf", "-d", self.kubist)
        self.assertLessEqual(set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)), LIBC)
        self.assertIn("DYN (Position-Independent Executable file)", run("readelf", "-h", self.kubist))
        self.assertNotIn(".debug_info", run("readelf", "-SW", self.kubist))
        self.assertNotIn(".symtab", run("readelf", "-SW", self.kubist))
        with open(self.kubist, "rb") as file:
            program = file.read()
        for path in (str(SOURCE), "/.build-"):  # this checkout, and the folders of scripts/deps
            self.assertFalse(path.encode() in program, f"a path of the build is in the binary: {path}")

    def test_completions_are_the_programs_own(self):
        for shell, path in (("bash", "bash-completion/completions/kubist"), ("zsh", "zsh/vendor-completions/_kubist"),
                            ("fish", "fish/vendor_completions.d/kubist.fish")):
            with open(os.path.join(self.root, "usr/share", path), encoding="utf-8") as file:
                self.assertEqual(file.read(), run(*EMULATOR, self.kubist, "completion", shell))

    def test_compressed_pages_and_changelog(self):
        for path in files_below(self.root):
            if path.endswith(".gz"):
                with self.subTest(path=path), open(os.path.join(self.root, path), "rb") as file:
                    head = file.read(10)
                    self.assertEqual(head[3:8], b"\0" * 5)  # no name and no time: reproducible
                    file.seek(0)
                    self.assertTrue(gzip.decompress(file.read()))
        with gzip.open(os.path.join(self.root, "usr/share/doc/kubist/changelog.gz"), "rt") as file:
            self.assertTrue(file.readline().startswith(f"kubist ({self.field('Version')}) "))
        page = os.path.join(self.root, "usr/share/man/man1/kubist-get.1.gz")
        self.assertIn("kubist get", run("man", "-E", "UTF-8", "-l", page, env={**os.environ, "MANPAGER": "cat"}))

    def test_notices_of_all_libraries(self):
        with open(os.path.join(self.root, "usr/share/doc/kubist/third-party-notices"), encoding="utf-8") as file:
            notices = re.split(r"^======== (\S+)$", file.read(), flags=re.MULTILINE)[1:]
        self.assertEqual(len(notices), 2 * 14)
        for package, notice in zip(notices[::2], notices[1::2]):
            with self.subTest(package=package):
                self.assertRegex(notice, "(?i)copyright")

    def test_install_for_distributors(self):
        root = os.path.join(self.folder, "destdir")
        run("cmake", "--install", BUILD, "--prefix", "/usr", env={**os.environ, "DESTDIR": root})
        kubist = os.path.join(root, "usr/bin/kubist")
        self.assertEqual(files_below(root), expected_files(kubist, "", emulator=EMULATOR))

    def test_components_are_listed_as_spdx_wants_it(self):
        run(SOURCE / "packaging/sbom", self.deb, BUILD)
        run(SOURCE / "tests/packaging/validate_sbom", self.deb + ".spdx.json")

    def test_lintian_finds_nothing_but_what_has_a_reason(self):
        if ROOT:
            self.skipTest("the package for amd64 is the same but for the program")
        # An override that hides nothing is a finding as well.
        found = run("lintian", "--no-cfg", "--allow-root", "--profile", "debian", "--pedantic", "--display-info",
                    "--tag-display-limit", "0", "--fail-on", "none", self.deb)
        self.assertEqual(found, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
