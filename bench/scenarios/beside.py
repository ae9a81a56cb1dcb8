"""This kubist beside another one (--beside PROGRAM), by turns: what a change costs.

Each tree has names of its own, so that both programs find the same work. Leaves the trees behind:
it wants a cluster of its own, which is stopped at the end."""
import collections, dataclasses, json, os, subprocess

from harness import process
from harness.server import writes
from scenarios import apply, get

# Of each tree: projects, virtual clusters, and manifest items, which are written as the project's account.
SHAPES = [(20, 280, 0), (5, 40, 200), (1, 1, 1000)]
LIMIT = 1.05


def run(bench):
    programs = {"kubist": bench.kubist, "beside": bench.beside}
    commands(bench, programs, "start", ["version", "--client"], bench.rounds * 6)
    measure_plan(bench)
    bench.runner.run([bench.kubist, "init"])
    measure_apply(bench, programs)
    get.prepare(bench)
    for form in ("table", "json"):
        flags = [] if form == "table" else ["-o", form]
        commands(bench, programs, f"get {bench.objects}, {form}",
                 ["-n", get.NAMESPACE, "get", "configmaps"] + flags, bench.rounds)
    bench.server.remove("/api/v1/namespaces/" + get.NAMESPACE)
    for shape in SHAPES:
        measure_trees(bench, programs, shape)


def commands(bench, programs, case, arguments, rounds):
    samples = process.by_turns(
        {name: lambda program=program: bench.runner.run([program] + arguments)
         for name, program in programs.items()}, rounds, warm_up=1)
    report(bench, case, samples)


def measure_plan(bench):
    """By each build's bench_cases, which says how many milliseconds the plan itself took."""
    def one(cases):
        plan = [cases, "plan", str(bench.nodes), "1"]
        milliseconds = float(subprocess.check_output(plan))
        return dataclasses.replace(bench.runner.run(plan), wall=milliseconds / 1000)

    report(bench, f"plan of {bench.nodes} nodes",
           process.by_turns({name: lambda program=program: one(program)
                             for name, program in bench.cases_of.items()}, bench.rounds, warm_up=1))


def report(bench, case, samples, requests=None):
    figures = {name: {**process.summary(values), **(requests or {}).get(name, {})}
               for name, values in samples.items()}
    checks = [(what + " over beside", process.ratio(samples["kubist"], samples["beside"], field), LIMIT)
              for what, field in (("wall", "wall"), ("CPU", "cpu"))]
    bench.results.add(case, figures, checks)


def measure_apply(bench, programs):
    yaml, _ = apply.write_inputs(bench.folder)
    bench.server.namespace(apply.NAMESPACE)
    contenders = {name: apply.Contender(bench, "kubist", [program, "apply", "-f", yaml], {})
                  for name, program in programs.items()}
    process.by_turns({name: each.round for name, each in contenders.items()}, bench.rounds, warm_up=1)
    for step in ("first", "unchanged"):
        report(bench, f"apply {apply.COUNT}, {step}",
               {name: each.samples[step][1:] for name, each in contenders.items()})
    bench.server.remove("/api/v1/namespaces/" + apply.NAMESPACE)


def measure_trees(bench, programs, shape):
    steps = ("first", "unchanged")
    samples, requests = {step: collections.defaultdict(list) for step in steps}, {}
    count = 0

    def one(name):
        nonlocal count
        count += 1
        tree = Tree(bench.folder, f"bench-{shape[2]}-{count}", *shape)
        bench.runner.run([programs[name], "apply", "-f", tree.path])
        for step in steps:
            with bench.server.counted("kubist") as verbs:
                sample = bench.runner.run([programs[name], "reconcile", "project"] + tree.projects)
            if count > len(programs):  # the first ones fill caches
                samples[step][name].append(sample)
            requests.setdefault(step, {})[name] = {"requests": sum(verbs.values()), "writes": writes(verbs)}

    process.by_turns({name: lambda name=name: one(name) for name in programs}, bench.rounds, warm_up=1)
    for step in steps:
        report(bench, f"tree of {shape[1]} virtual clusters, {shape[2]} manifest items, {step}",
               samples[step], requests[step])


class Tree:
    """Projects on the home cluster; manifest items in each virtual cluster."""

    def __init__(self, folder, name, projects, clusters, items):
        self.path = os.path.join(folder, name + ".yaml")
        self.projects = [f"{name}-{index}" for index in range(projects)]
        objects = [{"kind": "Root", "metadata": {"name": "root"}, "spec": {}}]
        for project in self.projects:
            objects += [{"kind": "Project", "metadata": {"name": project},
                         "spec": {"home": {"namespaces": [project + "-*"]}}},
                        {"kind": "Cluster", "metadata": {"name": "local", "namespace": project},
                         "spec": {"home": True}}]
        for index in range(clusters):
            objects += self.virtual_cluster(self.projects[index % projects], index, items // clusters)
        with open(self.path, "w") as file:
            for each in objects:
                file.write("---\n" + json.dumps({"apiVersion": "kubist.io/v1alpha1", **each}) + "\n")

    @staticmethod
    def virtual_cluster(project, index, items):
        name = f"v{index}"
        made = [{"apiVersion": "kubist.io/v1alpha1", "kind": "VirtualCluster",
                 "metadata": {"name": name, "namespace": project},
                 "spec": {"clusterRef": {"name": "local"}, "namespace": f"{project}-{name}", "create": True}}]
        for item in range(items):
            wish = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"made-{item}"},
                    "data": {"key": "value"}}
            made.append({"apiVersion": "landscaper.gardener.cloud/v1alpha1", "kind": "DeployItem",
                         "metadata": {"name": f"{name}-{item}", "namespace": project},
                         "spec": {"type": "kubist.io/manifest", "target": {"name": name},
                                  "config": {"manifests": [{"policy": "manage", "manifest": wish}]}}})
        return made
