"""Flux's benchmark "mean time to production": 1,000 applications of a Deployment with 0 replicas, a ServiceAccount,
a Service and an Ingress, each a manifest item, until all are ready. Beside a client-go program that sends the same
writes with 16 workers and waits for nothing: what it sends is what kubist left on the cluster.

Leaves the projects behind: it wants a cluster of its own, which is stopped at the end."""
import json, os

from harness import build, process
from harness.server import writes

APPS = 1000
NAME = "kubist-bench-mttp"
ITEMS = "/apis/landscaper.gardener.cloud/v1alpha1/namespaces/{}/deployitems"
APPLY, MERGE, JSON_PATCH = (f"application/{kind}" for kind in
                            ("apply-patch+yaml", "merge-patch+json", "json-patch+json"))


def manifests(name):
    labels = {"app.kubernetes.io/name": name}
    container = {"name": "podinfod", "image": "localhost/podinfo:1", "command": ["./podinfo", "--port=9898"],
                 "ports": [{"name": "http", "containerPort": 9898, "protocol": "TCP"}],
                 "resources": {"limits": {"memory": "256Mi"}, "requests": {"cpu": "1m", "memory": "16Mi"}}}
    backend = {"service": {"name": name, "port": {"number": 9898}}}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "labels": labels}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "labels": labels},
         "spec": {"type": "ClusterIP", "selector": labels,
                  "ports": [{"name": "http", "port": 9898, "protocol": "TCP", "targetPort": "http"}]}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels},
         "spec": {"replicas": 0, "selector": {"matchLabels": labels},
                  "template": {"metadata": {"labels": labels},
                               "spec": {"serviceAccountName": name, "containers": [container]}}}},
        {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name, "labels": labels},
         "spec": {"ingressClassName": "none", "rules": [{"host": name + ".example.com", "http": {
             "paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}]}}]


def item(project, name):
    wishes = [{"policy": "manage", "manifest": manifest} for manifest in manifests(name)]
    return {"apiVersion": "landscaper.gardener.cloud/v1alpha1", "kind": "DeployItem",
            "metadata": {"name": name, "namespace": project},
            "spec": {"type": "kubist.io/manifest", "target": {"name": "apps"}, "config": {"manifests": wishes}}}


def surroundings(project):
    kubist = {"apiVersion": "kubist.io/v1alpha1"}
    return [{**kubist, "kind": "Project", "metadata": {"name": project},
             "spec": {"home": {"namespaces": [project + "-*"]}, "items": {"serviceAccounts": ["app-*"]}}},
            {**kubist, "kind": "Cluster", "metadata": {"name": "local", "namespace": project}, "spec": {"home": True}},
            {**kubist, "kind": "VirtualCluster", "metadata": {"name": "apps", "namespace": project},
             "spec": {"clusterRef": {"name": "local"}, "namespace": project + "-apps"}}]


class Bed:
    """A project that stands, and its applications, which nobody has made yet."""

    def __init__(self, bench, name):
        self.bench, self.name = bench, name
        self.apply("surroundings", surroundings(name))
        bench.runner.run([bench.kubist, "reconcile", "Project/" + name])
        self.apply("apps", [item(name, f"app-{index}") for index in range(APPS)])

    def apply(self, what, objects):
        path = os.path.join(self.bench.folder, f"{self.name}-{what}.yaml")
        with open(path, "w") as file:
            file.write("".join("---\n" + json.dumps(each) + "\n" for each in objects))
        self.bench.runner.run([self.bench.kubist, "apply", "-f", path])

    def reconcile(self):
        with self.bench.server.counted("kubist") as verbs:
            sample = self.bench.runner.run([self.bench.kubist, "reconcile", "Project/" + self.name])
        return sample, {"requests": sum(verbs.values()), "writes": writes(verbs)}

    def items(self):
        return self.bench.server.request("GET", ITEMS.format(self.name))[1]["items"]

    def send(self, model):
        """The writes of kubist, as the project that it made shows them, for this one."""
        path = os.path.join(self.bench.folder, self.name + "-chains.json")
        with open(path, "w") as file:
            json.dump([self.chain(mine, theirs) for mine, theirs in zip(self.items(), model.items())], file)
        with self.bench.server.counted("clientgo") as verbs:
            sample = self.bench.runner.run([build.CLIENT_GO, "send", "16", path])
        return sample, {"requests": sum(verbs.values()), "writes": writes(verbs)}

    def chain(self, mine, theirs):
        name, status = mine["metadata"]["name"], theirs["status"]
        own = f"{ITEMS.format(self.name)}/{name}"
        taken_up = {key: value for key, value in status.items() if key not in ("providerStatus", "jobIDFinished")}
        taken_up["providerStatus"] = {"managedResources": status["providerStatus"]["managedResources"]}
        finalizers = {"op": "add", "path": "/metadata/finalizers", "value": theirs["metadata"]["finalizers"]}

        def patch(path, kind, body, query):
            return {"method": "PATCH", "path": f"{path}?{query}", "type": kind, "body": body}
        merges = [patch(own + "/status", MERGE, {"status": part}, "fieldManager=kubist-status")
                  for part in (taken_up, status)]
        applied = [patch(self.path_of(each), APPLY, self.marked(each, theirs), "fieldManager=clientgo&force=true")
                   for each in manifests(name)]
        return [merges[0], patch(own, JSON_PATCH, [finalizers], "fieldManager=kubist-status"),
                *applied, merges[1]]

    def path_of(self, each):
        group = "/api/" if each["apiVersion"] == "v1" else "/apis/"
        plural = {"Ingress": "ingresses"}.get(each["kind"], each["kind"].lower() + "s")
        return (f"{group}{each['apiVersion']}/namespaces/{self.name}-apps/{plural}/{each['metadata']['name']}")

    @staticmethod
    def marked(each, theirs):
        marks = {"kubist.io/managed-by-item": theirs["metadata"]["uid"], "app.kubernetes.io/managed-by": "kubist"}
        metadata = {**each["metadata"], "labels": {**each["metadata"]["labels"], **marks}}
        return {**each, "metadata": metadata}


def run(bench):
    bench.runner.run([bench.kubist, "init"])
    samples, figures, unchanged = {"kubist": [], "client-go 16": []}, {}, []
    for number in range(bench.rounds):
        model = Bed(bench, f"{NAME}-{number}")
        sample, figures["kubist"] = model.reconcile()
        samples["kubist"].append(sample)
        sample, again = model.reconcile()
        unchanged.append(sample)
        sample, figures["client-go 16"] = Bed(bench, f"{NAME}-{number}-go").send(model)
        samples["client-go 16"].append(sample)
    bench.results.add(f"mttp: {APPS} applications of 4 objects, first",
                      {name: {**process.summary(values), **figures[name]} for name, values in samples.items()},
                      [("wall over client-go 16", process.ratio(*samples.values()), 2)])
    bench.results.add("mttp, unchanged", {"kubist": {**process.summary(unchanged), **again}},
                      [("writes", again["writes"], 0)])
