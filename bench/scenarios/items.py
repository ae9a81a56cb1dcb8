"""Many short script items in real pods, beside Jobs: with the same pod shape and Secrets, and bare.

Wants a node and kubist's image (bench/run sees to both), and a machine that does nothing else."""
import base64, concurrent.futures, os, time

from harness import process
from harness.server import writes

NAME = "kubist-bench-items"
IMAGE = "localhost/busybox:1"
AN_EXECUTION = 50  # items of one Execution
BATCH = "/apis/batch/v1/namespaces/"
RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/"


def run(bench):
    items = bench.items
    contenders = {"kubist": lambda: by_kubist(bench, items),
                  "jobs, same shape": lambda: by_jobs(bench, items, shaped=True),
                  "jobs, bare": lambda: by_jobs(bench, items, shaped=False)}
    values = process.by_turns(contenders, bench.rounds if bench.rounds < 3 else 1)
    figures = {name: process.summary([sample for sample, _ in rows]) for name, rows in values.items()}
    figures["kubist"]["writes"] = values["kubist"][-1][1]
    wall = {name: process.median([sample for sample, _ in rows]) for name, rows in values.items()}
    bench.results.add(f"{items} short script items", figures)
    bench.results.check([("times jobs of the same shape", wall["kubist"] / wall["jobs, same shape"], 1.3),
                         ("times bare jobs", wall["kubist"] / wall["jobs, bare"], 3),
                         ("peak in MB", figures["kubist"]["peak_mb"], 60)])


def by_kubist(bench, items):
    path = os.path.join(bench.folder, "items.yaml")
    documents = [f"apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata:\n  name: {NAME}\n"]
    for first in range(0, items, AN_EXECUTION):
        lines = [f"apiVersion: kubist.io/v1alpha1\nkind: Execution\nmetadata:\n  name: e{first}\n"
                 f"  namespace: {NAME}\nspec:\n  items:\n"]
        for index in range(first, min(first + AN_EXECUTION, items)):
            lines.append(f"  - {{name: i{index}, type: Script, image: '{IMAGE}', script: 'exit 0'}}\n")
        documents.append("".join(lines))
    with open(path, "w") as file:
        file.write("---\n".join(documents))
    bench.runner.run([bench.kubist, "init"])
    bench.runner.run([bench.kubist, "apply", "-f", path])
    try:
        with bench.server.counted("kubist") as verbs:
            sample = bench.runner.run([bench.kubist, "reconcile", "Project/" + NAME])
        return sample, writes(verbs)
    finally:
        bench.runner.run([bench.kubist, "delete", "project", NAME, "--without-uninstall"])


def by_jobs(bench, items, shaped):
    server = bench.server
    server.namespace(NAME)
    start = time.monotonic()
    def make(index):
        name = f"j{index}"
        if shaped:
            make_surroundings(server, name)
        server.create(BATCH + NAME + "/jobs", [job(name, shaped)], 1)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(make, range(items)))
    done = 0
    deadline = time.monotonic() + 1800
    while done < items:
        if time.monotonic() > deadline:
            raise RuntimeError(f"only {done} of {items} Jobs are done")
        time.sleep(0.25)
        _, listed = server.request("GET", BATCH + NAME + "/jobs")
        done = sum(1 for each in listed["items"] if each["status"].get("succeeded"))
    sample = process.Sample(time.monotonic() - start, 0, 0)
    server.remove("/api/v1/namespaces/" + NAME)
    return sample, 0


def make_surroundings(server, name):
    """What kubist makes for an item beside its pod."""
    secret = {"data": {"script": base64.b64encode(b"exit 0\n").decode()}}
    server.create("/api/v1/namespaces/" + NAME + "/secrets",
                  [{"metadata": {"name": f"{name}-{kind}"}, **secret} for kind in ("in", "out", "state")], 1)
    server.create("/api/v1/namespaces/" + NAME + "/serviceaccounts", [{"metadata": {"name": name}}], 1)
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "update", "patch"],
              "resourceNames": [name + "-out", name + "-state"]}]
    server.create(RBAC + NAME + "/roles", [{"metadata": {"name": name}, "rules": rules}], 1)
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    server.create(RBAC + NAME + "/rolebindings",
                  [{"metadata": {"name": name}, "roleRef": reference,
                    "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": NAME}]}], 1)


def job(name, shaped):
    spec = {"restartPolicy": "Never", "automountServiceAccountToken": False,
            "containers": [{"name": "workload", "image": IMAGE, "command": ["sh", "-c", "exit 0"]}]}
    if shaped:
        mount = [{"name": "in", "mountPath": "/in"}, {"name": "work", "mountPath": "/work"}]
        spec["serviceAccountName"] = name
        spec["volumes"] = [{"name": "in", "secret": {"secretName": name + "-in"}},
                           {"name": "state", "secret": {"secretName": name + "-state"}},
                           {"name": "work", "emptyDir": {}}]
        spec["containers"][0]["volumeMounts"] = mount
        spec["initContainers"] = [
            {"name": "restore", "image": IMAGE, "command": ["true"],
             "volumeMounts": mount + [{"name": "state", "mountPath": "/state"}]},
            {"name": "collect", "image": IMAGE, "restartPolicy": "Always", "volumeMounts": mount[1:],
             "command": ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"]}]
    return {"metadata": {"name": name}, "spec": {"template": {"spec": spec}}}
