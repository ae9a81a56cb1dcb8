"""The .rpm and .tar.gz of a release build, lists of components, and checksums. packages_test.py BUILD_FOLDER
deb_test.py has more of the .deb."""
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

from layout import LINKS, SOURCE, expected_files, files_below, pack, run

BUILD = os.path.abspath(sys.argv[1])
KUBIST = os.path.join(BUILD, "cli/kubist")
EPOCH = 1700000000
SAID = run(KUBIST, "version", "--client")
VERSION = SAID.removeprefix("Client Version: v").strip()


class Rpm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.rpm = pack("RPM", BUILD, cls.folder, SOURCE_DATE_EPOCH=str(EPOCH))

    def ask(self, *words):
        return run("rpm", "--query", "--package", self.rpm, *words).splitlines()

    def test_contents(self):
        listed = run("sh", "-c", 'rpm2cpio "$1" | cpio --list --quiet', "sh", self.rpm).split()
        found = {os.path.normpath(path) for path in listed}
        files = expected_files(KUBIST, ".gz", zsh="site-functions")
        self.assertEqual(files - found, set())
        # Of folders only those that are kubist's; below, the files are all that there are.
        own = ("usr/share/doc/kubist", "usr/share/kubist")
        self.assertEqual({path for path in found - files if not path.startswith(own)}, set())
        root = os.path.join(self.folder, "root")
        os.mkdir(root)
        run("sh", "-c", 'rpm2cpio "$1" | cpio --extract --make-directories --quiet', "sh", self.rpm, cwd=root)
        self.assertEqual(files_below(root), files)
        self.assertEqual(run(os.path.join(root, "usr/bin/kubectl-kubist"), "version", "--client"), SAID)

    def test_what_it_says_of_itself(self):
        said, = self.ask("--queryformat", "%{name} %{version} %{license} %{arch} %{buildhost} %{buildtime}\n")
        self.assertEqual(said, f"kubist {VERSION} Apache-2.0 {os.uname().machine} kubist.invalid {EPOCH}")
        self.assertEqual(os.path.basename(self.rpm), f"kubist-{VERSION}-1.{os.uname().machine}.rpm")
        needed = {word for word in self.ask("--requires") if not word.startswith("rpmlib(")}
        self.assertTrue(needed)
        for word in needed:
            self.assertRegex(word, r"^(libc|libm|ld-linux-[-a-z0-9]+)\.so\.\d+\((GLIBC_[0-9.]+)?\)\(64bit\)$"
                                   r"|^rtld\(GNU_HASH\)$")
        self.assertEqual(self.ask("--recommends"), ["ca-certificates"])
        self.assertEqual(set(self.ask("--queryformat", "[%{fileusername} %{filegroupname}\n]")), {"root root"})
        self.assertEqual(self.ask("--scripts"), [])


class Tar(unittest.TestCase):
    def test_contents(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pack("TGZ", BUILD, folder)
            top = os.path.basename(package).removesuffix(".tar.gz") + "/"
            self.assertRegex(top, rf"^kubist-{VERSION}-linux-(amd64|arm64)/$")
            with tarfile.open(package) as tar:
                files = {one.name.removeprefix(top): one for one in tar.getmembers() if not one.isdir()}
        self.assertEqual(set(files), expected_files(KUBIST, ".gz"))
        self.assertEqual({name: files[name].linkname for name in LINKS}, dict.fromkeys(LINKS, "kubist"))


class SameBytes(unittest.TestCase):
    def test_packed_twice(self):
        for generator in ("DEB", "RPM", "TGZ"):
            digests = set()
            for zone in ("UTC", "Asia/Tokyo"):
                with tempfile.TemporaryDirectory() as folder:
                    packed = pack(generator, BUILD, folder, SOURCE_DATE_EPOCH=str(EPOCH), TZ=zone)
                    digests.add(hashlib.sha256(pathlib.Path(packed).read_bytes()).hexdigest())
            self.assertEqual(len(digests), 1, f"two packings by {generator} differ")


class Sbom(unittest.TestCase):
    """What packaging/sbom says; validate_sbom has the published rules of SPDX."""

    def of(self, file, *builds):
        run(SOURCE / "packaging/sbom", file, *builds, env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)})
        return json.loads(pathlib.Path(file + ".spdx.json").read_text())

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        path = os.path.join(self.folder, name)
        pathlib.Path(path).write_bytes(b"content")
        return path

    def related(self, document):
        """{(name, version): relationships} of what is in the document, but for kubist itself."""
        names = {one["SPDXID"]: (one["name"], one["versionInfo"]) for one in document["packages"]}
        self.assertEqual(len(names), len(document["packages"]))
        found = {}
        for one in document["relationships"]:
            self.assertIn(one["spdxElementId"], {"SPDXRef-DOCUMENT", *names})
            found.setdefault(names[one["relatedSpdxElement"]], set()).add(one["relationshipType"])
        self.assertEqual(set(found), set(names.values()))  # none is only listed
        return found

    def references(self, document, name):
        found = [one for one in document["packages"] if one["name"] == name]
        return [reference["referenceLocator"] for one in found for reference in one["externalRefs"]]

    def test_libraries_of_the_program(self):
        document = self.of(self.path("kubist_1_amd64.deb"), BUILD)
        found = {name: (version, types) for (name, version), types in self.related(document).items()}
        linked = {name for name, (_, types) in found.items() if "STATIC_LINK" in types}
        gcc = "gcc-" + run("g++", "-dumpversion").strip()
        self.assertEqual(linked, {"curl", "libarchive", "simdjson", "jsonnet", "jemalloc", "openssl", "nghttp2",
                                  "re2", "libyaml", "zlib", "glibc", gcc})
        headers = {name for name, (_, types) in found.items() if types == {"CONTAINS"}}
        self.assertEqual({re.sub(r"[0-9.]+$", "", name) for name in headers if not name.startswith("kubist")},
                         {"boost", "cli", "cpp-httplib", "nlohmann-json", "tl-expected"})
        installed = run("dpkg-query", "-W", "-f", "${source:Version}", "libssl-dev").strip()
        self.assertEqual(found["openssl"][0], installed)
        self.assertRegex(found["curl"][0], r"^\d+\.\d+.*-\d")
        self.assertEqual(self.references(document, "openssl"),
                         [f"pkg:deb/debian/openssl@{installed.replace('+', '%2B')}?arch=source"])

    def test_file_that_it_is_of(self):
        path = self.path("kubist-1.tgz")
        document = self.of(path)
        self.assertEqual(document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        package, = document["packages"]
        digest = hashlib.sha256(b"content").hexdigest()
        self.assertEqual(package["checksums"], [{"algorithm": "SHA256", "checksumValue": digest}])
        self.assertEqual(package["licenseDeclared"], "Apache-2.0")

    def test_image_of_tools(self):
        """A Go program is what has such a list of modules in it (Go's debug/buildinfo)."""
        helm = pathlib.Path(self.folder, "helm")
        modules = "path\thelm\nmod\thelm.sh/helm\tv3.1.0\th1:x=\n" + "".join(
            f"dep\texample.com/{name}\tv1.0.0+{name}\th1:x=\n" for name in ("one", "two", "three", "four"))
        self.assertGreater(len(modules), 128)
        listed = bytes([8, *b"go1.27.3", len(modules) & 127 | 128, len(modules) >> 7]) + modules.encode()
        mark = b"\xff Go buildinf:\x08\x02".ljust(32, b"\0")
        helm.write_bytes(pathlib.Path("/bin/busybox").read_bytes() + mark + listed)
        helm.chmod(0o755)
        image = os.path.join(self.folder, "kubist-tools-image-1.tar")
        run(SOURCE / "packaging/image", KUBIST, image, "--helm", helm)
        document = self.of(image, BUILD)
        found = {name: version for (name, version), types in self.related(document).items() if "CONTAINS" in types}
        self.assertLessEqual({"tini", "glibc", "ca-certificates", "busybox"}, set(found))
        self.assertEqual((found["stdlib"], found["helm.sh/helm"]), ("1.27.3", "v3.1.0"))
        self.assertEqual(self.references(document, "example.com/four"), ["pkg:golang/example.com/four@v1.0.0%2Bfour"])

    def test_what_it_cannot_know_is_refused(self):
        for words, why in (([self.path("kubist.zip")], "is nothing that a release ships"),
                           ([self.path("kubist.deb"), self.folder], "CMakeCache.txt")):
            done = subprocess.run([SOURCE / "packaging/sbom", *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)


class Checksums(unittest.TestCase):
    def test_sums_and_signature_of_a_throw_away_key(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("kubist-1.0.0.tgz", "kubist_1.0.0_amd64.deb", "tag-message"):
                pathlib.Path(folder, name).write_text(name)
            run(SOURCE / "packaging/checksums", folder, "1.0.0")
            sums = pathlib.Path(folder, "SHA256SUMS")
            self.assertEqual([line.split()[1] for line in sums.read_text().splitlines()],
                             ["kubist-1.0.0.tgz", "kubist_1.0.0_amd64.deb"])
            self.assertFalse(pathlib.Path(folder, "SHA256SUMS.asc").exists())
            keys = {**os.environ, "GNUPGHOME": os.path.join(folder, "keys")}
            os.mkdir(keys["GNUPGHOME"], 0o700)
            self.addCleanup(subprocess.run, ["gpgconf", "--homedir", keys["GNUPGHOME"], "--kill", "all"], check=False)
            name = "release@kubist.invalid"
            run("gpg", "--batch", "--passphrase", "", "--quick-gen-key", name, "ed25519", "sign", env=keys)
            run(SOURCE / "packaging/checksums", folder, "1.0.0", name, env=keys)
            verify = ("gpg", "--verify", sums.with_suffix(".asc"), sums)
            run(*verify, env=keys)
            sums.write_text(sums.read_text().replace("a", "b"))
            self.assertEqual(subprocess.run(verify, env=keys, capture_output=True, check=False).returncode, 1)
            missing = subprocess.run([SOURCE / "packaging/checksums", folder, "1.0.0", "nobody@kubist.invalid"],
                                     env=keys, capture_output=True, text=True, check=False)
            self.assertEqual(missing.returncode, 2)
            self.assertIn("No secret key", missing.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
