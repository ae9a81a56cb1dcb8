"""From the moment a plain watch of the pod shows the workload's container terminated, to the one in
which a plain watch of the DeployItem shows phase Succeeded, with the exports readable."""
import http.client, json, os, threading, time

from harness import process

NAME = "kubist-bench-latency"
IMAGE = "localhost/busybox:1"
ITEMS = {"short": 1, "long": 20}  # seconds that the workload runs
PODS = f"/api/v1/namespaces/{NAME}/pods"
DEPLOY_ITEMS = f"/apis/landscaper.gardener.cloud/v1alpha1/namespaces/{NAME}/deployitems"
TARGET_MS = 300


def run(bench):
    prepare(bench)
    try:
        pods, items = Watch(bench.server, PODS), Watch(bench.server, DEPLOY_ITEMS)
        latencies = {name: [] for name in ITEMS}
        for index in range(4 * bench.rounds):  # 20 of the usual 5 rounds
            name = "long" if index % 4 == 3 else "short"
            latencies[name].append(process.Sample(one(bench, name, pods, items), 0, 0))
        bench.results.add(f"end of a workload to Succeeded, {4 * bench.rounds} runs",
                          {f"{name} ({ITEMS[name]} s)": process.summary(samples)
                           for name, samples in latencies.items()})
        every = [sample for samples in latencies.values() for sample in samples]
        bench.results.check([("median in ms", 1000 * process.median(every), TARGET_MS)])
    finally:
        bench.runner.run([bench.kubist, "delete", "project", NAME, "--without-uninstall"])


def prepare(bench):
    lines = [f"apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata: {{name: {NAME}}}\n---\n"
             f"apiVersion: kubist.io/v1alpha1\nkind: Execution\nmetadata: {{name: e, namespace: {NAME}}}\n"
             "spec:\n  items:\n"]
    for name, seconds in ITEMS.items():
        lines.append(f"  - {{name: {name}, type: Script, image: '{IMAGE}', "
                     f"script: 'sleep {seconds}; date +\"at: %s\" > $EXPORT_PATH', "
                     "exports: [{name: at, public: true}]}\n")
    path = os.path.join(bench.folder, "latency.yaml")
    with open(path, "w") as file:
        file.write("".join(lines))
    bench.runner.run([bench.kubist, "init"])
    bench.runner.run([bench.kubist, "apply", "-f", path])
    bench.runner.run([bench.kubist, "reconcile", "Project/" + NAME])


def one(bench, name, pods, items):
    """Seconds, of one forced run."""
    item = next(each["metadata"]["name"] for each in bench.server.request("GET", DEPLOY_ITEMS)[1]["items"]
                if name in each["metadata"]["name"])
    bench.runner.run([bench.kubist, "deployitem", "reconcile", item, "-n", NAME, "--force"])
    status = bench.server.request("GET", f"{DEPLOY_ITEMS}/{item}")[1]["status"]
    job, pod = status["jobID"], status["providerStatus"]["pod"]
    ended = pods.first(pod, workload_ended)
    done = items.first(item, lambda each: each["status"].get("phase") == "Succeeded"
                       and each["status"].get("jobIDFinished") == job)
    return done - ended


def workload_ended(pod):
    return any(each["name"] == "workload" and "terminated" in each["state"]
               for each in pod["status"].get("containerStatuses", []))


class Watch:
    """A plain watch; when it told of what."""

    def __init__(self, server, path):
        self.events = []
        self.changed = threading.Condition()
        connection = http.client.HTTPSConnection(server.url.split("//")[1], context=server.tls)
        version = server.request("GET", path)[1]["metadata"]["resourceVersion"]
        connection.request("GET", f"{path}?watch=1&resourceVersion={version}", headers={"User-Agent": "bench"})
        answer = connection.getresponse()
        threading.Thread(target=self.read, args=(answer,), daemon=True).start()

    def read(self, answer):
        for line in answer:
            now = time.monotonic()
            with self.changed:
                self.events.append((now, json.loads(line)["object"]))
                self.changed.notify_all()

    def first(self, name, holds):
        """When it first told of that object being so."""
        deadline = time.monotonic() + 60
        with self.changed:
            while True:
                for at, each in self.events:
                    if each["metadata"]["name"] == name and holds(each):
                        return at
                if not self.changed.wait(deadline - time.monotonic()):
                    raise RuntimeError(f"{name} was never seen so")
