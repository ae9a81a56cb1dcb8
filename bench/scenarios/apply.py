"""1000 ConfigMaps by server-side apply, first and unchanged, near and 20 ms away."""
import collections, json, os

from harness import build, inputs, process
from harness.server import writes

NAMESPACE = "kubist-bench-apply"
COLLECTION = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
COUNT = 1000


def write_inputs(folder):
    """The same objects as YAML for kubist and kubectl and as a JSON array for the Go program."""
    yaml, array = os.path.join(folder, "objects.yaml"), os.path.join(folder, "objects.json")
    objects = list(inputs.config_maps(COUNT, NAMESPACE))
    inputs.write_yaml(yaml, objects)
    with open(array, "w") as file:
        json.dump(objects, file)
    return yaml, array


class Contender:
    """A program that applies; keeps its samples and the requests of its last run."""

    def __init__(self, bench, program, command, environment):
        self.bench, self.program = bench, program
        self.command, self.environment = command, environment
        self.samples = collections.defaultdict(list)
        self.requests = {}

    def round(self):
        self.bench.server.request("DELETE", COLLECTION + "?labelSelector=app%3Dbench")
        for step in ("first", "unchanged"):
            with self.bench.server.counted(self.program) as verbs:
                sample = self.bench.runner.run(self.command, self.environment)
            self.samples[step].append(sample)
            self.requests[step] = dict(verbs)

    def summary(self, step):
        requests = self.requests[step]
        return {**process.summary(self.samples[step]), "requests": sum(requests.values()),
                "writes": writes(requests)}


def contenders(bench, files, kubeconfig):
    yaml, array = files
    environment = {"KUBECONFIG": kubeconfig}

    return {"kubist": Contender(bench, "kubist", [bench.kubist, "apply", "-f", yaml], environment),
            "client-go 16": Contender(bench, "clientgo", [build.CLIENT_GO, "apply", "16", array], environment)}


def run(bench):
    files = write_inputs(bench.folder)
    bench.server.namespace(NAMESPACE)
    for delay in (0, 20):
        with bench.server.delayed(build.DELAY_PROXY, delay) as kubeconfig:
            programs = contenders(bench, files, kubeconfig)
            process.by_turns({name: program.round for name, program in programs.items()}, bench.rounds)
            if bench.kubectl and bench.slow:
                command = [bench.kubectl, "apply", "--server-side", "-f", files[0]]
                programs["kubectl"] = Contender(bench, "kubectl", command, {"KUBECONFIG": kubeconfig})
                programs["kubectl"].round()
        report(bench, delay, programs)
    bench.server.remove("/api/v1/namespaces/" + NAMESPACE)


def report(bench, delay, programs):
    ours, base = programs["kubist"], programs["client-go 16"]
    for step, most, seconds in (("first", 1.05, 1.6), ("unchanged", 0.15, 0.3)):
        checks = [("wall over client-go 16", process.ratio(ours.samples[step], base.samples[step]), most),
                  ("peak MB", ours.summary(step)["peak_mb"], 40)]
        if delay:
            checks.append(("wall in seconds", process.median(ours.samples[step]), seconds))
        if step == "unchanged":
            checks.append(("writes", ours.summary(step)["writes"], 0))
        bench.results.add(f"apply {COUNT}, {step}, {delay} ms away",
                          {name: program.summary(step) for name, program in programs.items()}, checks)
