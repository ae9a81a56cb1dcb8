"""A whole tree on the API server: reconciled first, beside a client-go program that sends the same writes with 16
workers and waits for nothing, and again with nothing to do. What client-go sends is what the audit log notes of
kubist's first run, but for Leases, in a tree of other names.

Leaves the trees behind: it wants a cluster of its own, which is stopped at the end."""
import json, os, re, time

from harness import build, process
from harness.server import writes

PROJECTS = 20
METHODS = {"create": "POST", "update": "PUT", "patch": "PATCH"}
NAMES = {"kubist": "kubist-bench-tree", "client-go": "kubist-bench-copy"}


def write_tree(path, name, nodes):
    """A root, projects with the home cluster each, and virtual clusters evenly below them."""
    documents = ["kind: Root\nmetadata:\n  name: root\nspec: {}\n"]  # a Root has this name
    for project in range(PROJECTS):
        own = f"{name}-{project}"
        documents.append(f"kind: Project\nmetadata:\n  name: {own}\nspec:\n  home:\n"
                         f"    namespaces: [\"{own}-*\"]\n")
        documents.append(f"kind: Cluster\nmetadata:\n  name: local\n  namespace: {own}\n"
                         "spec:\n  home: true\n")
    for index in range(nodes - len(documents)):
        own = f"{name}-{index % PROJECTS}"
        documents.append(f"kind: VirtualCluster\nmetadata:\n  name: v{index}\n  namespace: {own}\n"
                         f"spec:\n  clusterRef:\n    name: local\n  namespace: {own}-v{index}\n"
                         "  create: true\n")
    with open(path, "w") as file:
        for document in documents:
            file.write("---\napiVersion: kubist.io/v1alpha1\n" + document)


def run(bench):
    nodes = bench.nodes
    bench.runner.run([bench.kubist, "init"])
    apply(bench, NAMES["kubist"])
    with bench.server.noted("kubist") as events:
        first, verbs = measure(bench, f"tree of {nodes} nodes, first", ["reconcile"], 1)
    requests = sum(verbs.values()) * 1000 / nodes
    await_quiet(bench, nodes)
    samples, verbs = measure(bench, f"tree of {nodes} nodes, unchanged", ["reconcile"], bench.rounds)
    bench.results.check([("wall in seconds", process.median(samples), 2), ("writes", writes(verbs), 0),
                         ("requests", sum(verbs.values()) / bench.rounds, 40)])
    apply(bench, NAMES["client-go"])
    sent = send(bench, chains_of(events))
    bench.results.add("the same writes", {"client-go 16": process.summary(sent)},
                      [("wall of kubist over client-go 16", process.ratio(first, sent), 1.3),
                       ("requests of kubist", requests, 5300)])


def apply(bench, name):
    path = os.path.join(bench.folder, name + ".yaml")
    write_tree(path, name, bench.nodes)
    measure(bench, f"{name}, apply", ["apply", "-f", path], 1)


def measure(bench, case, arguments, rounds):
    with bench.server.counted("kubist") as verbs:
        samples = [bench.runner.run([bench.kubist] + arguments) for _ in range(rounds)]
    bench.results.add(case, {"kubist": {**process.summary(samples), "requests": sum(verbs.values()) // rounds,
                                        "writes": writes(verbs)}})
    return samples, verbs


def await_quiet(bench, namespaces):
    """Kubernetes' controllers put an account and a ConfigMap into each new namespace."""
    deadline = time.monotonic() + 300
    while bench.server.count("/api/v1/configmaps") < namespaces * 0.9 and time.monotonic() < deadline:
        time.sleep(0.5)
    time.sleep(3)


def send(bench, chains):
    path = os.path.join(bench.folder, "chains.json")
    with open(path, "w") as file:
        json.dump(list(chains.values()), file)
    return [bench.runner.run([build.CLIENT_GO, "send", "16", path])]


def chains_of(events):
    """By virtual cluster, or else project: the writes of one go one after the other."""
    chains = {}
    for event in events:
        resource = event.get("objectRef", {}).get("resource", "")
        if event["verb"] not in METHODS or resource == "leases" or resource.endswith("reviews"):
            continue
        if "requestObject" not in event:
            raise RuntimeError("the audit log has no bodies: the cluster must be started with CLUSTER_AUDIT_BODIES=1")
        text = json.dumps({"path": event["requestURI"], "body": without_identity(event["requestObject"])})
        write = json.loads(text.replace(*NAMES.values()))
        write["method"] = METHODS[event["verb"]]
        write["type"] = type_of(write)
        chains.setdefault(chain_of(write), []).append(write)
    return chains


def without_identity(body):
    """The other tree's objects have uids and versions of their own."""
    if isinstance(body, list):
        return [without_identity(part) for part in body if not (isinstance(part, dict) and part.get("op") == "test")]
    if isinstance(body, dict):
        return {key: without_identity(part) for key, part in body.items()
                if key not in ("uid", "resourceVersion", "ownerReferences")}
    return body


def type_of(write):
    if isinstance(write["body"], list):
        return "application/json-patch+json"
    applied = "kind" in write["body"]  # merges say no more than what they change
    return "application/apply-patch+yaml" if applied else "application/merge-patch+json"


def chain_of(write):
    body = write["body"] if isinstance(write["body"], dict) else {}
    text = write["path"].split("?")[0] + "/" + body.get("metadata", {}).get("name", "")
    found = re.search(r"\bv\d+\b", text) or re.search(NAMES["client-go"] + r"-\d+", text)
    return found.group() if found else ""
