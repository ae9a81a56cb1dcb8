#!/usr/bin/env python3
"""Times `kubist get` of many ConfigMaps against curl fetching the same reply (same URL, same Accept).

    tests/cluster/cluster exec bench/get.py --kubist PATH [--kubeconfig FILE] [--objects 20000]
                                            [--rounds 5] [--kubectl] [--keep]

Makes the objects once in a namespace of its own (kubist-bench-get) and removes it at the end unless
--keep is given. Prints medians of alternating whole processes, their ratio, and the peak memory.
"""
import argparse, base64, concurrent.futures, http.client, json, os, ssl, statistics, subprocess
import tempfile, threading, time

NS = "kubist-bench-get"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class Server:
    def __init__(self, kubeconfig, folder):
        view = json.loads(subprocess.check_output(
            ["kubectl", "--kubeconfig", kubeconfig, "config", "view", "--raw", "--minify",
             "--flatten", "-o", "json"]))
        cluster, user = view["clusters"][0]["cluster"], view["users"][0]["user"]
        self.url = cluster["server"]
        self.files = {}
        for name, data in (("ca", cluster["certificate-authority-data"]),
                           ("cert", user["client-certificate-data"]),
                           ("key", user["client-key-data"])):
            self.files[name] = os.path.join(folder, name)
            with open(self.files[name], "wb") as file:
                file.write(base64.b64decode(data))
        self.tls = ssl.create_default_context(cafile=self.files["ca"])
        self.tls.load_cert_chain(self.files["cert"], self.files["key"])
        self.local = threading.local()

    def request(self, method, path, body=None):
        if not hasattr(self.local, "connection"):
            host = self.url.split("//")[1]
            self.local.connection = http.client.HTTPSConnection(host, context=self.tls)
        self.local.connection.request(method, path, body and json.dumps(body),
                                      {"Content-Type": "application/json"})
        answer = self.local.connection.getresponse()
        text = answer.read()
        return answer.status, text

    def curl(self, path, accept):
        files = self.files
        return ["curl", "-sS", "-A", "kubist", "-H", "Accept: " + accept, "--cacert", files["ca"],
                "--cert", files["cert"], "--key", files["key"], "-o", "/dev/null", self.url + path]


def create(server, count):
    server.request("POST", "/api/v1/namespaces", {"metadata": {"name": NS}})
    status, text = server.request("GET", f"/api/v1/namespaces/{NS}/configmaps?limit=1")
    listed = json.loads(text)
    have = len(listed["items"]) + listed["metadata"].get("remainingItemCount", 0)
    if have >= count:
        return
    value = "x" * 1900

    def one(index):
        body = {"metadata": {"name": f"bench-{index:05}"}, "data": {"value": value}}
        status, text = server.request("POST", f"/api/v1/namespaces/{NS}/configmaps", body)
        if status not in (201, 409):
            raise RuntimeError(text)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(count)))


def timed(command):
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise RuntimeError(f"{command} ended with {status}")
    return seconds, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubist", required=True)
    parser.add_argument("--kubeconfig", default=os.environ.get("KUBECONFIG"))
    parser.add_argument("--objects", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kubectl", action="store_true", help="also time kubectl, once each")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.kubeconfig, folder)
        create(server, options.objects)
        path = f"/api/v1/namespaces/{NS}/configmaps"
        get = ["--kubeconfig", options.kubeconfig, "-n", NS, "get", "cm"]
        cases = [("table", [], server.curl(path + "?includeObject=None", TABLE)),
                 ("name", ["-o", "name"], server.curl(path, METADATA)),
                 ("json", ["-o", "json"], server.curl(path, "application/json")),
                 ("yaml", ["-o", "yaml"], server.curl(path, "application/json"))]
        print(f"{'':8}{'curl s':>8}{'kubist s':>10}{'ratio':>7}{'MB':>7}   kubectl")
        for name, flags, curl in cases:
            curls, ours = [], []
            for _ in range(options.rounds):
                curls.append(timed(curl))
                ours.append(timed([options.kubist] + get + flags))
            base = statistics.median(seconds for seconds, _ in curls)
            own = statistics.median(seconds for seconds, _ in ours)
            memory = max(megabytes for _, megabytes in ours)
            peer = ""
            if options.kubectl:
                seconds, megabytes = timed(["kubectl"] + get + flags)
                peer = f"{seconds:.2f} s, {megabytes:.0f} MB"
            print(f"{name:8}{base:8.2f}{own:10.2f}{own / base:7.2f}{memory:7.1f}   {peer}", flush=True)
        if not options.keep:
            server.request("DELETE", f"/api/v1/namespaces/{NS}")


if __name__ == "__main__":
    main()
