"""200 Clusters, ten of which say nothing: until the others are Ready under --watch, with and without the ten.

The 190 are proxy ports to two more API servers. Leaves the projects behind: it wants a cluster of its own, with
two targets, which is stopped at the end."""
import json, os, socket, subprocess, time

from harness import build, process, server
from scenarios.latency import Watch

NAME = f"kubist-bench-clusters-{os.getpid()}"
TARGETS, PORTS, DEAD = ("target1", "target2"), 95, 10
LIMIT = 1.1
CLUSTERS = "/apis/kubist.io/v1alpha1/namespaces/{}/clusters"
CLUSTER = os.path.join(build.ROOT, "tests/cluster/cluster")


def run(bench):
    bench.runner.run([bench.kubist, "init"])
    targets = [Target(bench, name) for name in TARGETS]
    silent = [Silent() for _ in range(DEAD)]
    live = {f"{target.name}-{index}": config for target in targets for index, config in enumerate(target.configs())}
    dead = {f"a-dead-{index}": targets[0].config(each.url) for index, each in enumerate(silent)}
    number = iter(range(1000))
    try:
        samples = process.by_turns({"ten dead": lambda: one(bench, next(number), live, {**dead, **live}),
                                    "none": lambda: one(bench, next(number), live, live)}, bench.rounds, warm_up=1)
    finally:
        for target in targets:
            target.end()
    bench.results.add(f"{len(live)} Clusters Ready, beside those that say nothing",
                      {name: process.summary(values) for name, values in samples.items()},
                      [("wall over none", process.ratio(samples["ten dead"], samples["none"]), LIMIT)])


def one(bench, number, live, clusters):
    """From the start of kubist to the moment in which a plain watch shows the last live one Ready."""
    name = f"{NAME}-{number}"
    make(bench, name, clusters)
    seen = Watch(bench.server, CLUSTERS.format(name))
    began = time.monotonic()
    watch = subprocess.Popen([bench.kubist, "reconcile", "Project/" + name, "--watch"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ready = max(seen.first(each, is_ready) for each in live)
    finally:
        watch.terminate()
        watch.wait()
    return process.Sample(ready - began, 0, 0)


def is_ready(cluster):
    return any(each["type"] == "Ready" and each["status"] == "True"
               for each in cluster.get("status", {}).get("conditions", []))


def make(bench, name, clusters):
    project = {"apiVersion": "kubist.io/v1alpha1", "kind": "Project", "metadata": {"name": name},
               "spec": {"allow": {"clusters": ["https://127.0.0.1:*"]}}}
    bench.server.create("/apis/kubist.io/v1alpha1/projects", [project])
    bench.runner.run([bench.kubist, "reconcile", "Project/" + name])
    bench.server.create(f"/api/v1/namespaces/{name}/secrets",
                        [{"metadata": {"name": each}, "stringData": {"value": json.dumps(config)}}
                         for each, config in clusters.items()])
    bench.server.create(CLUSTERS.format(name),
                        [{"apiVersion": "kubist.io/v1alpha1", "kind": "Cluster", "metadata": {"name": each},
                          "spec": {"kubeconfigSecretRef": {"name": each}, "istio": {"mode": "Ignore"}}}
                         for each in clusters])


class Target:
    """An API server with an account, and proxy ports before it."""

    def __init__(self, bench, name):
        self.name = name
        folder = os.path.join(bench.folder, name)
        os.mkdir(folder)
        path = subprocess.check_output([CLUSTER, "kubeconfig", name], text=True).strip()
        here = server.Server(bench.kubist, path, None, folder)
        self.view = here.view
        self.token = self.make_account(here)
        pki = os.path.join(os.path.dirname(os.path.dirname(path)), "pki", name)
        proxy = subprocess.check_output([CLUSTER, "faultproxy"], text=True).strip()
        self.proxy = subprocess.Popen([proxy, "--server", here.url, "--pki", pki, "--ports", str(PORTS)], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ports = json.loads(self.proxy.stdout.readline())["ports"]

    @staticmethod
    def make_account(here):
        here.namespace(NAME)
        accounts = f"/api/v1/namespaces/{NAME}/serviceaccounts"
        here.create(accounts, [{"metadata": {"name": "kubist"}}])
        rbac = "rbac.authorization.k8s.io"
        here.create(f"/apis/{rbac}/v1/clusterrolebindings",
                    [{"metadata": {"name": NAME},
                      "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": "cluster-admin"},
                      "subjects": [{"kind": "ServiceAccount", "name": "kubist", "namespace": NAME}]}])
        lasting = {"spec": {"expirationSeconds": 36000}}
        return here.request("POST", accounts + "/kubist/token", lasting)[1]["status"]["token"]

    def config(self, url):
        cluster = {**self.view["clusters"][0]["cluster"], "server": url}
        return {"apiVersion": "v1", "kind": "Config", "current-context": "it",
                "clusters": [{"name": "it", "cluster": cluster}],
                "users": [{"name": "it", "user": {"token": self.token}}],
                "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}

    def configs(self):
        return [self.config(f"https://127.0.0.1:{port}") for port in self.ports]

    def end(self):
        self.proxy.stdin.close()
        self.proxy.wait()


class Silent:
    """A server that takes connections, and says nothing on them."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"https://127.0.0.1:{self.socket.getsockname()[1]}"
