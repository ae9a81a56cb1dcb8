"""A whole tree on the API server: reconciled first, and again with nothing to do.

Leaves the tree behind: it wants a cluster of its own, which is stopped at the end."""
import os

from harness import process
from harness.server import writes

PROJECTS = 20
NAME = "kubist-bench-tree"


def write_tree(path, nodes):
    """A root, projects with the home cluster each, and virtual clusters evenly below them."""
    documents = ["kind: Root\nmetadata:\n  name: root\nspec: {}\n"]  # a Root has this name
    for project in range(PROJECTS):
        name = f"{NAME}-{project}"
        documents.append(f"kind: Project\nmetadata:\n  name: {name}\nspec:\n  home:\n"
                         f"    namespaces: [\"{name}-*\"]\n")
        documents.append(f"kind: Cluster\nmetadata:\n  name: local\n  namespace: {name}\n"
                         "spec:\n  home: true\n")
    for index in range(nodes - len(documents)):
        name = f"{NAME}-{index % PROJECTS}"
        documents.append(f"kind: VirtualCluster\nmetadata:\n  name: v{index}\n  namespace: {name}\n"
                         f"spec:\n  clusterRef:\n    name: local\n  namespace: {name}-v{index}\n"
                         "  create: true\n")
    with open(path, "w") as file:
        for document in documents:
            file.write("---\napiVersion: kubist.io/v1alpha1\n" + document)


def run(bench):
    path = os.path.join(bench.folder, "tree.yaml")
    write_tree(path, bench.nodes)
    for step, arguments in (("install", ["init"]), ("apply", ["apply", "-f", path]),
                            ("reconcile, first", ["reconcile"])):
        measure(bench, step, arguments, 1)
    samples, verbs = measure(bench, "reconcile, unchanged", ["reconcile"], bench.rounds)
    bench.results.check([("wall in seconds", process.median(samples), 2), ("writes", writes(verbs), 0)])


def measure(bench, step, arguments, rounds):
    with bench.server.counted("kubist") as verbs:
        samples = [bench.runner.run([bench.kubist] + arguments) for _ in range(rounds)]
    bench.results.add(f"tree of {bench.nodes} nodes, {step}",
                      {"kubist": {**process.summary(samples), "requests": sum(verbs.values()) // rounds,
                                  "writes": writes(verbs)}})
    return samples, verbs
