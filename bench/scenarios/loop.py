"""10,000 objects under `kubist reconcile --watch`: the first pass over what is unchanged, idleness, 200 changes of specs.

A change counts from the moment at which the API server received it to the one at which it received kubist's first
write to that object. Leaves the objects behind: it wants a cluster of its own, which is stopped at the end."""
import collections, datetime, json, os, statistics, subprocess, time

from harness import process
from harness.server import WRITES, writes

NAME = "kubist-bench-loop"
PROJECTS, PLACES = 20, 25  # virtual clusters of each project
CHANGES = 200
ITEMS = "/apis/landscaper.gardener.cloud/v1alpha1/namespaces/{}/deployitems/{}"
TICK = os.sysconf("SC_CLK_TCK")


def run(bench):
    items = write_tree(os.path.join(bench.folder, "loop.yaml"), bench.nodes)
    bench.runner.run([bench.kubist, "init"])
    bench.runner.run([bench.kubist, "apply", "-f", os.path.join(bench.folder, "loop.yaml")])
    first = bench.runner.run([bench.kubist, "reconcile"])
    bench.results.add(f"{bench.nodes} objects, first", {"kubist": process.summary([first])})
    unchanged(bench)
    with open(os.path.join(bench.folder, "watch.log"), "w") as log:
        watch = subprocess.Popen([bench.kubist, "reconcile", "--watch"], stdout=log, stderr=log)
        try:
            quiet(bench)
            idle(bench, watch)
            change(bench, items)
            if watch.poll() is not None:
                raise RuntimeError(f"kubist ended with exit code {watch.returncode}")
        finally:
            watch.kill()
            watch.wait()


def write_tree(path, count):
    """Projects with the home cluster and virtual clusters, and manifest items evenly in these; the items."""
    documents, items = [], []
    for project in (f"{NAME}-{index}" for index in range(PROJECTS)):
        documents += [("Project", "", project, {"home": {"namespaces": [project + "-*"]}}),
                      ("Cluster", project, "local", {"home": True})]
        documents += [("VirtualCluster", project, f"v{index}",
                       {"clusterRef": {"name": "local"}, "namespace": f"{project}-v{index}", "create": True})
                      for index in range(PLACES)]
    for index in range(count - len(documents)):
        items.append((f"{NAME}-{index % PROJECTS}", f"i{index}", f"v{index // PROJECTS % PLACES}"))
    with open(path, "w") as file:
        for kind, namespace, name, spec in documents:
            metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
            file.write("---\n" + json.dumps({"apiVersion": "kubist.io/v1alpha1", "kind": kind,
                                             "metadata": metadata, "spec": spec}) + "\n")
        for item in items:
            file.write("---\n" + json.dumps(manifest_item(*item, "0")) + "\n")
    return items


def manifest_item(project, name, place, value):
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"value": value}}
    return {"apiVersion": "landscaper.gardener.cloud/v1alpha1", "kind": "DeployItem",
            "metadata": {"name": name, "namespace": project},
            "spec": {"type": "kubist.io/manifest", "target": {"name": place},
                     "config": {"manifests": [{"policy": "manage", "manifest": config_map}]}}}


def unchanged(bench):
    """One pass beside curl, which fetches the same lists one after the other."""
    start = os.path.getsize(bench.server.audit)
    bench.runner.run([bench.kubist, "reconcile"])
    paths = [event["requestURI"] for event in events(bench, start) if event["verb"] == "list"]
    accept = "application/json"
    command = bench.server.curl(paths[0], accept)
    for path in paths[1:]:
        command += ["-o", "/dev/null", bench.server.url + path]
    with bench.server.counted("kubist") as verbs:
        values = process.by_turns({"kubist": lambda: bench.runner.run([bench.kubist, "reconcile"])}, bench.rounds)
    curl = [bench.runner.run(command) for _ in range(bench.rounds)]
    bench.results.add(f"{bench.nodes} objects, unchanged",
                      {"kubist": {**process.summary(values["kubist"]),
                                  "requests": sum(verbs.values()) // bench.rounds, "writes": writes(verbs)},
                       "curl": {**process.summary(curl), "requests": len(paths)}},
                      [("wall over curl", process.ratio(values["kubist"], curl), 2), ("writes", writes(verbs), 0)])


def events(bench, start):
    """kubist's requests that the audit log notes from there on."""
    with open(bench.server.audit, "rb") as log:
        log.seek(start)
        for line in log:
            event = json.loads(line)
            if event.get("userAgent", "").startswith("kubist/") and event["stage"] == "ResponseComplete":
                yield event


def is_upkeep(event):
    return event["verb"] == "watch" or event.get("objectRef", {}).get("resource") == "leases"


def quiet(bench):
    """Waits until kubist has sent nothing for 5 s but what it sends all the time."""
    deadline = time.monotonic() + 600
    while True:
        start = os.path.getsize(bench.server.audit)
        time.sleep(5)
        if start and all(is_upkeep(event) for event in events(bench, start)):
            return
        if time.monotonic() > deadline:
            raise RuntimeError("kubist does not come to rest")


def usage(watch):
    """Seconds of CPU and the resident memory in MB."""
    with open(f"/proc/{watch.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{watch.pid}/status") as file:
        resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
    return (int(fields[11]) + int(fields[12])) / TICK, resident / 1024


def idle(bench, watch):
    start, (before, _) = os.path.getsize(bench.server.audit), usage(watch)
    time.sleep(bench.idle)
    after, resident = usage(watch)
    other = collections.Counter(f"{event['verb']} {event['requestURI']}"
                                for event in events(bench, start) if not is_upkeep(event))
    share = 100 * (after - before) / bench.idle
    bench.results.add(f"idle for {bench.idle} s",
                      {"kubist": process.summary([process.Sample(bench.idle, after - before, resident)])},
                      [("resident MB", resident, 60), ("percent of a core", share, 0.5),
                       ("requests but watches and leases", sum(other.values()), 0)])
    for each, count in other.most_common(10):
        print(f"    {count} x {each}")


def change(bench, items):
    """Specs one after the other; when the API server had each, and when kubist's first write to it."""
    start = os.path.getsize(bench.server.audit)
    chosen = items[::max(1, len(items) // CHANGES)][:CHANGES]
    for item in chosen:
        path = ITEMS.format(item[0], item[1])
        _, live = bench.server.request("GET", path)
        live["spec"] = manifest_item(*item, "1")["spec"]
        status, answer = bench.server.request("PUT", path, live)
        if status != 200:
            raise RuntimeError(f"PUT {path}: {answer.get('message')}")
        time.sleep(0.1)
    quiet(bench)
    asked, written = {}, {}
    with open(bench.server.audit, "rb") as log:
        log.seek(start)
        for line in log:
            event = json.loads(line)
            if event["stage"] != "ResponseComplete" or event["verb"] not in WRITES:
                continue
            path = event["requestURI"].split("?")[0].removesuffix("/status")
            at = seconds(event["requestReceivedTimestamp"])
            book = written if event["userAgent"].startswith("kubist/") else asked
            book[path] = min(at, book.get(path, at))
    paths = [ITEMS.format(project, name) for project, name, _ in chosen]
    latencies = sorted(1000 * (written[path] - asked[path]) for path in paths)
    bench.results.add(f"{len(paths)} changes of specs, until the first write",
                      {"kubist": process.summary([process.Sample(each / 1000, 0, 0) for each in latencies])},
                      [("median in ms", statistics.median(latencies), 100),
                       ("95 % in ms", latencies[int(0.95 * len(latencies))], 250)])


def seconds(stamp):
    return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()
