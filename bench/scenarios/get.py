"""20,000 ConfigMaps of 2 KB, against curl fetching the same reply (same URL, same Accept)."""
from harness import process

NAMESPACE = "kubist-bench-get"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
VALUE = "x" * 1900


def prepare(bench):
    path = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
    bench.server.create("/api/v1/namespaces", [{"metadata": {"name": NAMESPACE}}])
    if bench.server.count(path) < bench.objects:
        bench.server.create(path, ({"metadata": {"name": f"bench-{index:05}"}, "data": {"value": VALUE}}
                                   for index in range(bench.objects)))
    return path


def run(bench):
    path = prepare(bench)
    cases = [("table", [], path + "?includeObject=None", TABLE, 40),
             ("name", ["-o", "name"], path, METADATA, 40),
             ("json", ["-o", "json"], path, "application/json", 80),
             ("yaml", ["-o", "yaml"], path, "application/json", 80)]
    for name, flags, url, accept, megabytes in cases:
        get = ["-n", NAMESPACE, "get", "configmaps"] + flags
        commands = {"kubist": [bench.kubist] + get, "curl": bench.server.curl(url, accept)}
        samples = process.by_turns(
            {program: lambda command=command: bench.runner.run(command)
             for program, command in commands.items()}, bench.rounds, warm_up=1)
        if bench.kubectl and bench.slow:
            samples["kubectl"] = [bench.runner.run([bench.kubectl] + get)]
        figures = {program: process.summary(values) for program, values in samples.items()}
        bench.results.add(f"get {bench.objects}, {name}", figures,
                          [("wall over curl", process.ratio(samples["kubist"], samples["curl"]), 1.3),
                           ("peak MB", figures["kubist"]["peak_mb"], megabytes)])
    if not bench.keep:
        bench.server.remove("/api/v1/namespaces/" + NAMESPACE)
