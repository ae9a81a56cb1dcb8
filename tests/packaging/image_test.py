"""The container images. image_test.py KUBIST [ARCH ROOT]
KUBIST is a release build's; for another architecture than this machine's ROOT is what scripts/sysroot prints."""
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

KUBIST = os.path.abspath(sys.argv[1])
MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
ARCH, ROOT = sys.argv[2:4] if len(sys.argv) > 2 else (MACHINE, "")
EMULATOR = {"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}[ARCH]
PACKAGING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../packaging")
IMAGE = os.path.join(PACKAGING, "image")
EPOCH = 1700000000
MAX_SIZE = 21_500_000  # of which kubist has 16.9 million


def make(out, *more, **options):
    foreign = ["--arch", ARCH, "--root", ROOT] if ROOT else []
    return subprocess.run([IMAGE, KUBIST, out, *foreign, *more], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}, **options)


def output_of(root, *command):
    """What a program prints that finds the libraries below `root`."""
    emulated = [EMULATOR, "-L", root] if ROOT else []
    return subprocess.run([*emulated, *command], capture_output=True, text=True, check=True,
                          env={"PATH": os.environ["PATH"]}).stdout


class Archive:
    """An OCI image layout, read as the specification says: every blob is what its descriptor says.
    With `arch` the layout is of an index, and the image is that one of it."""

    def __init__(self, path, arch=None):
        with tarfile.open(path) as tar:
            self.files = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
        assert json.loads(self.files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
        self.entry, = json.loads(self.files["index.json"])["manifests"]
        self.manifest = json.loads(self.blob(self.entry))
        if arch:
            own, = (one for one in self.manifest["manifests"] if one["platform"]["architecture"] == arch)
            self.manifest = json.loads(self.blob(own))
        self.config = json.loads(self.blob(self.manifest["config"]))
        layer, = self.manifest["layers"]
        assert layer["mediaType"] == "application/vnd.oci.image.layer.v1.tar+gzip"
        with tarfile.open(fileobj=io.BytesIO(self.blob(layer)), mode="r:gz") as tar:
            self.members = {member.name: member for member in tar.getmembers()}

    def blob(self, descriptor):
        data = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        assert len(data) == descriptor["size"]
        assert "sha256:" + hashlib.sha256(data).hexdigest() == descriptor["digest"]
        return data

    def unpack(self, folder):
        with tarfile.open(fileobj=io.BytesIO(self.blob(self.manifest["layers"][0])), mode="r:gz") as tar:
            tar.extractall(folder)


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.path = os.path.join(cls.folder, "kubist.tar")
        cls.made = make(cls.path)
        assert cls.made.returncode == 0, cls.made.stderr
        cls.image = Archive(cls.path)

    def test_what_it_says_of_itself(self):
        image = self.image
        self.assertEqual(self.made.stdout.strip(), image.entry["digest"])
        self.assertRegex(image.entry["annotations"]["org.opencontainers.image.ref.name"], r"^localhost/kubist:v\d")
        self.assertEqual((image.config["os"], image.config["architecture"]), ("linux", ARCH))
        self.assertEqual(image.config["created"], "2023-11-14T22:13:20Z")
        config = image.config["config"]
        self.assertEqual((config["User"], config["Entrypoint"]), ("65532:65532", ["/kubist"]))
        told = json.loads(output_of(ROOT, KUBIST, "version", "--client", "-o", "json"))
        labels = {name.removeprefix("org.opencontainers.image."): value for name, value in config["Labels"].items()}
        self.assertEqual("v" + labels["version"], told["clientVersion"]["gitVersion"])
        self.assertEqual((labels["title"], labels["licenses"]), ("kubist", "Apache-2.0"))
        self.assertEqual(image.manifest["annotations"],
                         {**config["Labels"], "org.opencontainers.image.created": image.config["created"]})

    def test_same_bytes_again(self):
        again = os.path.join(self.folder, "again.tar")
        done = make(again, cwd="/", umask=0o077)
        self.assertEqual(done.stdout, self.made.stdout, done.stderr)
        with open(self.path, "rb") as one, open(again, "rb") as two:
            self.assertEqual(one.read(), two.read())
        self.assertEqual({member.mtime for member in self.image.members.values()}, {EPOCH})
        self.assertEqual({(member.uid, member.gid, member.uname) for member in self.image.members.values()}, {(0, 0, "")})

    def test_holds_what_kubist_needs_and_no_more(self):
        files = {name for name, member in self.image.members.items() if member.isfile()}
        terms = {name for name in files if name.startswith("usr/share/doc/")}
        self.assertLessEqual({"usr/share/doc/kubist/LICENSE", "usr/share/doc/libc6/copyright"}, terms)
        plain = {"kubist", "tini", "etc/nsswitch.conf", "etc/ssl/certs/ca-certificates.crt"}
        libraries = {os.path.basename(name) for name in files - terms - plain}
        self.assertTrue(libraries <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, libraries)
        self.assertLessEqual(plain, files)
        self.assertEqual(self.image.members["tmp"].mode, 0o1777)
        self.assertLess(sum(member.size for member in self.image.members.values()), MAX_SIZE)
        self.assertLess(os.path.getsize(self.path), MAX_SIZE)

    def test_kubist_runs_with_what_is_in_it(self):
        root = os.path.join(self.folder, "root")
        self.image.unpack(root)
        linker, = (name for name in self.image.members if re.search(r"/ld-linux[^/]*$", name))
        folders = {os.path.dirname(f"{root}/{name}") for name in self.image.members if ".so." in name}
        start = [] if ROOT else [f"{root}/{linker}", "--inhibit-cache", "--library-path", ":".join(folders)]
        self.assertIn("v", output_of(root, *start, f"{root}/kubist", "version", "--client"))
        self.assertIn("tini version", output_of(root, f"{root}/tini", "--version"))

    def test_tools(self):
        path = os.path.join(self.folder, "tools.tar")
        done = make(path, "--helm", ROOT + "/bin/busybox", "--name", "registry.example.com/tools:1")
        self.assertEqual(done.returncode, 0, done.stderr)
        image = Archive(path)
        self.assertEqual(image.entry["annotations"]["org.opencontainers.image.ref.name"], "registry.example.com/tools:1")
        self.assertNotIn("Entrypoint", image.config["config"])
        self.assertEqual(image.config["config"]["User"], "65532:65532")
        links = {name: member.linkname for name, member in image.members.items() if member.issym()}
        self.assertEqual((links["bin/sh"], links["usr/local/bin/kubist"]), ("busybox", "/kubist"))
        self.assertEqual(image.members["usr/local/bin/helm"].mode, 0o755)
        self.assertIn("usr/share/doc/busybox-static/copyright", image.members)

    def test_refusals(self):
        out = os.path.join(self.folder, "refused.tar")
        other = "arm64" if ARCH == "amd64" else "amd64"
        for more, code, words in ((["--arch", other], 1, f"not for {other}"), (["--arch", "sparc"], 2, "invalid choice"),
                                  (["--helm", "/nowhere/helm"], 1, "no executable '/nowhere/helm'"),
                                  (["third"], 64, "packaging/image KUBIST OUT.tar"), (["--what"], 64, "--name NAME")):
            with self.subTest(more=more):
                done = make(out, *more)
                self.assertEqual(done.returncode, code)
                self.assertIn(words, done.stderr)
                self.assertFalse(os.path.exists(out))

    def test_index_of_two_architectures(self):
        one, two, both, again = (os.path.join(self.folder, f"index{at}.tar") for at in range(4))

        def join(*words):
            return subprocess.run([PACKAGING + "/oci-index", *words], capture_output=True, text=True, check=False)

        for path, arch in ((one, "amd64"), (two, "arm64")):
            subprocess.run([PACKAGING + "/oci-image", "registry.example.com/one:1", path, "--arch", arch, "--gzip",
                            f"LICENSE={PACKAGING}/../LICENSE"], check=True)
        done = join(both, one, two)
        self.assertEqual(done.returncode, 0, done.stderr)
        for arch in ("amd64", "arm64"):
            image = Archive(both, arch)
            self.assertEqual((done.stdout.strip(), image.config["architecture"]), (image.entry["digest"], arch))
            self.assertIn("registry.example.com/one:1", image.entry["annotations"].values())
            self.assertEqual(image.entry["mediaType"], "application/vnd.oci.image.index.v1+json")
            self.assertIn("LICENSE", image.members)
        join(again, one, two)
        with open(both, "rb") as first, open(again, "rb") as second:
            self.assertEqual(first.read(), second.read())
        for words, why in (((one, one), "one:1 for amd64, registry.example.com/one:1 for amd64"),
                           ((one, self.path), "are not of one image"), ((), "usage: oci-index")):
            done = join(os.path.join(self.folder, "refused.tar"), *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
