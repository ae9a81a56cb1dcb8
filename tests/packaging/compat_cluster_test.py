"""A cluster as an earlier version left it: this one upgrades its kinds, reads all, and writes nothing anew.
compat_cluster_test.py KUBIST, beside a test cluster. tests/data/compat/record says what each version's files are."""
import base64
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import yaml

KUBIST = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDER = SOURCE / "tests/data/compat"
VERSIONS = sorted(path for path in FOLDER.iterdir() if path.is_dir())
CRD = "customresourcedefinition.apiextensions.k8s.io"
ITEMS = "deployitems.landscaper.gardener.cloud"
AGAIN = ("deployitem", "reconcile", "work-count", "-n", "compat", "--force", "--timeout=2m")
ETCD = "http://127.0.0.1:2379/v3/kv/"
KEPT = re.compile(r"/registry/(?!leases/|events/).*/compat(-dev|-note)?(/|$)")


def run(*words, given=None, good=(0,), **variables):
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, **variables})
    assert done.returncode in good, f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def kubist(*words):
    return run(KUBIST, *words)


def kubectl(*words, objects=None):
    given = None if objects is None else json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    return run("kubectl", *words, *(() if given is None else ("-f", "-")), given=given)


def exports(item):
    return kubist("deployitem", "exports", item, "-n", "compat", "--show")


def live(objects):
    return json.loads(kubectl("get", "-o", "json", objects=objects))["items"]


def content(objects):
    return {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]):
            (each["spec"], each.get("status")) for each in objects}


def create(objects):
    """With their statuses, which a create does not take."""
    kubectl("create", objects=[{key: part for key, part in each.items() if key != "status"} for each in objects])
    kubectl("replace", "--subresource=status", objects=[each for each in objects if "status" in each])


def etcd(call, **body):
    """Keys and values are bytes in base64."""
    data = {name: base64.b64encode(part.encode()).decode() if isinstance(part, str) else part for name, part in body.items()}
    with urllib.request.urlopen(ETCD + call, json.dumps(data).encode(), timeout=30) as answer:
        return json.load(answer)


def store(recorded):
    """Into etcd, as the earlier version left it: with the same uids, generations and managed fields."""
    home = json.loads(kubectl("get", "namespace", "kube-system", "-o", "json"))["metadata"]["uid"]
    texts = {each["key"]: json.dumps(each["value"]) for each in recorded["objects"]}
    renamed = {recorded["homeUid"]: home}
    for mark in re.findall(recorded["homeUid"] + r'/[^"]+', "".join(texts.values())):
        renamed[manager(mark)] = manager(mark.replace(recorded["homeUid"], home))
    for key, text in texts.items():
        etcd("put", key=key, value=re.sub("|".join(renamed), lambda old: renamed[old[0]], text))


def manager(mark):
    """The field manager of who has that mark (kubist.io/owner), which begins with the home cluster's uid."""
    return "kubist-" + hashlib.sha256(mark.encode()).hexdigest()[:10]


def agent_image(name, flags):
    """An image with an agent that knows these flags only, and does with them what the present one does."""
    known = "|".join(flags["restore"] + flags["collect"])
    with tempfile.TemporaryDirectory() as folder:
        script, archive = pathlib.Path(folder, "kubist"), os.path.join(folder, "image.tar")
        script.write_text("#!/bin/busybox sh\nfor word; do\n  case ${word%%=*} in\n"
                          f"    {known}) ;;\n    --*) echo \"error: unknown flag $word\" >&2; exit 64 ;;\n  esac\ndone\n"
                          'exec /program "$@"\n')
        script.chmod(0o755)
        run(SOURCE / "packaging/oci-image", name, archive, "--entrypoint", "/kubist", "--busybox", "/bin/busybox",
            "--libraries-of", KUBIST, f"kubist={script}", f"program={KUBIST}", "tini=/usr/bin/tini-static")
        run(SOURCE / "tests/cluster/cluster", "images", archive)
    return {"KUBIST_AGENT_IMAGE": name}


def revisions():
    """When each object of the recorded project was last written, as etcd counts."""
    found = etcd("range", key="/registry/", range_end="/registry0", keys_only=True)["kvs"]
    keys = {base64.b64decode(each["key"]).decode(): each["mod_revision"] for each in found}
    return {key: revision for key, revision in keys.items() if KEPT.match(key)}


class Upgrade(unittest.TestCase):
    maxDiff = None

    def install_kinds_of(self, folder):
        """Without the columns of Projects, so that there is something to upgrade while no kind has changed."""
        kinds = gzip.decompress((folder / "cluster/crds.yaml.gz").read_bytes()).decode()
        self.addCleanup(kubist, "init")
        run("kubectl", "apply", "--server-side", "--force-conflicts", "--field-manager=kubist", "-f", "-", given=kinds)
        kubectl("patch", CRD, "projects.kubist.io", "--type=json", "-p",
                '[{"op": "remove", "path": "/spec/versions/0/additionalPrinterColumns"}]')

    def columns(self):
        return kubectl("get", CRD, "projects.kubist.io", "-o", "jsonpath={.spec.versions[0].additionalPrinterColumns}")

    def upgrade(self):
        planned = kubist("init", "--dry-run=server")
        self.assertIn(f"{CRD}/projects.kubist.io configured (server dry run)", planned)
        self.assertEqual(self.columns(), "")
        kubist("init")
        self.assertIn("READY", self.columns().upper())
        again = [line for line in kubist("init").splitlines() if not line.endswith(" unchanged")]
        self.assertEqual(again, [])

    def check_objects(self, objects):
        """As they were, and such as the new kinds take them anew: an update would pass what has not changed."""
        names = {each["kind"]: each["metadata"]["name"] for each in objects}
        for kind, name in names.items():
            self.assertIn(name, kubist("get", kind, "-A", "-o", "name"))
        kubectl("delete", "--wait=true", objects=objects)
        create(objects)

    def check_kept(self, recorded):
        tree = kubist("tree", "Project/compat")
        for name in ("Cluster/here", "VirtualCluster/dev", "Execution/work", "DeployItem/settings"):
            self.assertIn(name, tree)
        before = revisions()
        self.assertLessEqual({each["key"] for each in recorded["objects"]}, set(before))
        planned = kubist("reconcile", "Project/compat", "--dry-run=server", "--detailed-exitcode")
        self.assertIn("; 0 writes", planned)
        self.assertIn("; 0 writes", kubist("reconcile", "Project/compat"))
        self.assertEqual(revisions(), before)

    def check_inventory(self):
        """What was applied with an inventory is known by it: nothing is applied again, and what is gone is pruned."""
        apply = ("apply", "-n", "compat", "--inventory", "applied", "--prune", "-f")
        said = kubist(*apply, FOLDER / "applied.yaml", "--dry-run=server")
        self.assertEqual({line.split()[1] for line in said.splitlines()}, {"unchanged"})
        first = (FOLDER / "applied.yaml").read_text(encoding="utf-8").partition("\n---\n")[0]
        self.assertRegex(run(KUBIST, *apply, "-", given=first), r"configmap/goes (pruned|deleted)")

    def check_work_goes_on(self):
        """Only what changes is written; what ran before gets its state back."""
        kubectl("patch", ITEMS, "settings", "-n", "compat", "--type=json", "-p",
                '[{"op": "replace", "path": "/spec/config/manifests/0/data/favourite", "value": "green"}]')
        kubist("reconcile", "Project/compat", "--timeout=2m")
        self.assertIn("green", kubectl("get", "configmap", "colours", "-n", "compat-dev", "-o", "jsonpath={.data}"))
        self.assertIn("favourite: green", exports("settings"))
        self.assertIn("count: 4711", exports("work-count"))
        kubist(*AGAIN)
        self.assertIn("count: 4712", exports("work-count"))

    def check_older_agent(self, flags):
        """Beside the workloads of this version: its flags are enough, and one that lacks some is told."""
        run(KUBIST, *AGAIN, **agent_image("localhost/kubist-older:1", flags))
        self.assertIn("count: 4713", exports("work-count"))
        lacking = {role: [flag for flag in names if flag != "--tini"] for role, names in flags.items()}
        run(KUBIST, *AGAIN, good=(1,), **agent_image("localhost/kubist-older:2", lacking))
        said = kubectl("get", ITEMS, "work-count", "-n", "compat", "-o", "jsonpath={.status.lastError.message}")
        self.assertIn("error: unknown flag --tini=/tini; its image is of an older kubist", said)
        self.assertIn("count: 4713", exports("work-count"))

    def check(self, folder):
        self.install_kinds_of(folder)
        objects = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))]
        recorded = json.loads((folder / "cluster/objects.json").read_text(encoding="utf-8"))
        namespaces = sorted({each["metadata"].get("namespace") for each in objects} - {None})
        spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in namespaces]
        self.addCleanup(kubectl, "delete", "--timeout=1m", "--ignore-not-found", objects=objects + spaces)
        kubectl("create", objects=spaces)
        create(objects)
        before = content(live(objects))
        store(recorded)
        self.addCleanup(kubectl, "delete", "executordefinitions.kubist.io", "compat-note", "--ignore-not-found")
        self.addCleanup(run, KUBIST, "delete", "project", "compat", "--timeout=1m", good=(0, 1, 3))
        self.upgrade()
        self.assertEqual(content(live(objects)), before)
        self.check_objects(objects)
        self.assertEqual(content(live(objects)), before)
        kubectl("delete", "--wait=true", objects=objects)
        self.check_kept(recorded)
        self.check_inventory()
        self.check_work_goes_on()
        self.check_older_agent(json.loads((folder / "agent/contract.json").read_text(encoding="utf-8"))["flags"])

    def test_cluster_of_each_version(self):
        for folder in VERSIONS:
            start = time.monotonic()
            with self.subTest(version=folder.name):
                self.check(folder)
                self.doCleanups()
            print(f"{folder.name}: {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
