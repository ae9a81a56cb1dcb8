"""The least of an API server that completion asks: discovery in its old form, and lists of metadata."""
import http.server
import json
import socket
import threading

RESOURCES = {
    "v1": {"namespaces": False, "pods": True, "configmaps": True},
    "rbac.authorization.k8s.io/v1": {"clusterroles": False},
    "kubist.io/v1alpha1": {"projects": True},
}
KINDS = {"namespaces": "Namespace", "pods": "Pod", "configmaps": "ConfigMap",
         "clusterroles": "ClusterRole", "projects": "Project"}
NAMES = {
    "/api/v1/namespaces": ["team-a", "team-b", "other"],
    "/api/v1/namespaces/team-a/pods": ["web-0", "web-1", "job"],
    "/apis/rbac.authorization.k8s.io/v1/clusterroles": ["system:admin", "system:node", "view"],
    "/apis/kubist.io/v1alpha1/namespaces/team-a/projects": ["shop"],
}


def resource_list(version):
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": [
        {"name": name, "singularName": "", "kind": KINDS[name], "namespaced": namespaced,
         "verbs": ["get", "list"]} for name, namespaced in RESOURCES[version].items()]}


def answer(path):
    if path == "/api":
        return {"kind": "APIVersions", "versions": ["v1"]}
    if path == "/apis":
        groups = [version for version in RESOURCES if "/" in version]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
            {"name": version.split("/")[0],
             "versions": [{"groupVersion": version, "version": version.split("/")[1]}],
             "preferredVersion": {"groupVersion": version, "version": version.split("/")[1]}}
            for version in groups]}
    version = path.removeprefix("/apis/").removeprefix("/api/")
    if version in RESOURCES:
        return resource_list(version)
    if path in NAMES:
        return {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": {},
                "items": [{"metadata": {"name": name}} for name in NAMES[path]]}
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = answer(self.path.split("?")[0])
        text = json.dumps(body or {"kind": "Status", "status": "Failure", "code": 404}).encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


def serve():
    """Starts it; returns its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def serve_nothing():
    """A server that takes connections and never answers; returns its address and its socket."""
    listener = socket.create_server(("127.0.0.1", 0))
    return f"http://127.0.0.1:{listener.getsockname()[1]}", listener


def kubeconfig(servers, plugin):
    """One context for each of `servers`, and one for "slow" whose credentials come from a program."""
    text = "apiVersion: v1\nkind: Config\ncurrent-context: home\nclusters:\n"
    text += "".join(f"- name: {name}\n  cluster: {{server: '{server}'}}\n" for name, server in servers.items())
    text += "contexts:\n"
    text += "".join(f"- name: {name}\n  context: {{cluster: '{name}', user: nobody}}\n" for name in servers)
    text += "- name: plugin\n  context: {cluster: slow, user: plugin}\n"
    return text + f"""users:
- name: nobody
  user: {{}}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: {plugin}
      args: ['60']
      interactiveMode: Never
"""
