"""The container images. image_test.py KUBIST (of the preset release)"""
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
IMAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../packaging/image")
EPOCH = 1700000000
MAX_SIZE = 20_000_000


def make(out, *more, **options):
    return subprocess.run([IMAGE, KUBIST, out, *more], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}, **options)


class Archive:
    """An OCI image layout, read as the specification says: every blob is what its descriptor says."""

    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.files = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
        assert json.loads(self.files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
        self.entry, = json.loads(self.files["index.json"])["manifests"]
        self.manifest = json.loads(self.blob(self.entry))
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
        machine = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
        self.assertEqual((image.config["os"], image.config["architecture"]), ("linux", machine))
        self.assertEqual(image.config["created"], "2023-11-14T22:13:20Z")
        config = image.config["config"]
        self.assertEqual((config["User"], config["Entrypoint"]), ("65532:65532", ["/kubist"]))
        told = json.loads(subprocess.run([KUBIST, "version", "--client", "-o", "json"], capture_output=True, check=True).stdout)
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
        done = subprocess.run([f"{root}/{linker}", "--inhibit-cache", "--library-path", ":".join(folders), f"{root}/kubist",
                               "version", "--client"], capture_output=True, text=True, check=True, env={})
        self.assertIn("v", done.stdout)

    def test_tools(self):
        path = os.path.join(self.folder, "tools.tar")
        done = make(path, "--helm", "/bin/busybox", "--name", "registry.example.com/tools:1")
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
        other = "arm64" if os.uname().machine == "x86_64" else "amd64"
        for more, code, words in ((["--arch", other], 1, f"not for {other}"), (["--arch", "sparc"], 2, "invalid choice"),
                                  (["--helm", "/nowhere/helm"], 1, "no executable '/nowhere/helm'"),
                                  (["third"], 64, "packaging/image KUBIST OUT.tar"), (["--what"], 64, "--name NAME")):
            with self.subTest(more=more):
                done = make(out, *more)
                self.assertEqual(done.returncode, code)
                self.assertIn(words, done.stderr)
                self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
