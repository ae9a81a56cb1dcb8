"""From the moment a plain watch of a namespace shows that a label of it is gone to the one in which it
shows it again, under `kubist reconcile --watch` while 16 scripts run and a policy hangs."""
import json, os, subprocess, time

from harness import process
from scenarios.latency import IMAGE, Watch

NAME = "kubist-bench-drift"
SCRIPTS = 16
KEPT = "istio-injection"
TARGET_MS = 1000
PODS = f"/api/v1/namespaces/{NAME}-dev/pods"


def run(bench):
    bench.runner.run([bench.kubist, "init"])
    bench.runner.run([bench.kubist, "apply", "-f", written(bench)])
    program = os.path.join(bench.folder, "hang")
    with open(program, "w") as file:
        file.write("#!/bin/sh\nexec sleep 3000\n")
    os.chmod(program, 0o700)
    config = os.path.join(bench.folder, "config.yaml")
    with open(config, "w") as file:
        file.write(f"exec:\n  hang: {{program: {program}, timeout: 3000s}}\n")
    watch = subprocess.Popen([bench.kubist, "reconcile", "project", NAME, "--watch"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env={**os.environ, "KUBIST_CONFIG": config})
    try:
        wait(lambda: running(bench) == SCRIPTS, f"{SCRIPTS} running pods")
        seen = Watch(bench.server, "/api/v1/namespaces")
        samples = [process.Sample(one(bench, seen), 0, 0) for _ in range(4 * bench.rounds)]
        if watch.poll() is not None or running(bench) != SCRIPTS:
            raise RuntimeError("the scripts did not run all the time")
        began = time.monotonic()
        watch.terminate()
        code = watch.wait(60)
        ended = process.Sample(time.monotonic() - began, 0, 0)
    finally:
        watch.kill()
        watch.wait()
    bench.results.add(f"a label that is gone comes back, {len(samples)} times",
                      {"kubist": process.summary(samples)},
                      [("median in ms", 1000 * process.median(samples), TARGET_MS)])
    bench.results.add("SIGTERM", {"kubist": process.summary([ended])},
                      [("seconds", ended.wall, 5), ("exit code is 143", code != 143, 0)])


def written(bench):
    documents = [("Project", "", NAME, {"home": {"namespaces": [NAME + "-*"]}}),
                 ("Cluster", NAME, "local", {"home": True})]
    for name in ("dev", "other", "stuck"):
        spec = {"clusterRef": {"name": "local"}, "namespace": f"{NAME}-{name}", "create": True}
        if name == "stuck":
            spec["policies"] = [{"name": NAME}]
        documents.append(("VirtualCluster", NAME, name, spec))
    for index in range(SCRIPTS):
        item = {"name": "run", "type": "Script", "image": IMAGE, "script": "sleep 3000", "timeout": "1h"}
        documents.append(("Execution", NAME, f"s{index}",
                          {"virtualClusterRef": {"name": "dev"}, "items": [item]}))
    documents.append(("ClusterPolicyDefinition", "", NAME, {"runtime": {"exec": "hang"}}))
    path = os.path.join(bench.folder, "drift.yaml")
    with open(path, "w") as file:
        for kind, namespace, name, spec in documents:
            metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
            file.write("---\n" + json.dumps({"apiVersion": "kubist.io/v1alpha1", "kind": kind,
                                             "metadata": metadata, "spec": spec}) + "\n")
    return path


def wait(holds, what):
    deadline = time.monotonic() + 300
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError(f"no {what}")
        time.sleep(0.2)


def running(bench):
    pods = bench.server.request("GET", PODS)[1].get("items", [])
    return sum(each["status"].get("phase") == "Running" for each in pods)


def one(bench, seen):
    """Seconds, of one label that somebody takes away."""
    name = f"{NAME}-other"
    path = "/api/v1/namespaces/" + name
    _, live = bench.server.request("GET", path)
    labels = {key: value for key, value in live["metadata"]["labels"].items() if key != KEPT}
    live["metadata"]["labels"] = labels
    status, taken = bench.server.request("PUT", path, live)
    if status != 200:
        raise RuntimeError(f"PUT {path}: {taken.get('message')}")
    version = int(taken["metadata"]["resourceVersion"])
    gone = seen.first(name, lambda each: int(each["metadata"]["resourceVersion"]) == version)
    back = seen.first(name, lambda each: int(each["metadata"]["resourceVersion"]) > version
                      and KEPT in each["metadata"]["labels"])
    return back - gone
