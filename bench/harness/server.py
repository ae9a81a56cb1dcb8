"""The API server under test: requests to prepare it, curl's arguments, its audit log, a delay line."""
import base64, collections, concurrent.futures, contextlib, http.client, json, os, ssl, subprocess
import threading, time

WRITES = ("create", "update", "patch", "delete", "deletecollection")


class Server:
    def __init__(self, kubist, kubeconfig, audit, folder):
        view = json.loads(subprocess.check_output(
            [kubist, "--kubeconfig", kubeconfig, "config", "view", "--raw", "--minify", "-o", "json"]))
        self.view, self.audit, self.folder = view, audit, folder
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
        for attempt in (1, 2):
            if not hasattr(self.local, "connection"):
                host = self.url.split("//")[1]
                self.local.connection = http.client.HTTPSConnection(host, context=self.tls)
            try:
                self.local.connection.request(method, path, body and json.dumps(body),
                                              {"Content-Type": "application/json", "User-Agent": "bench"})
                answer = self.local.connection.getresponse()
                return answer.status, json.loads(answer.read())
            except http.client.RemoteDisconnected:  # it was idle for too long
                del self.local.connection
                if attempt == 2:
                    raise

    def create(self, path, objects, workers=8):
        """Creates what is not there yet."""
        def one(item):
            status, answer = self.request("POST", path, item)
            if status not in (201, 409):
                raise RuntimeError(f"POST {path}: {answer.get('message')}")
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(one, objects))

    def count(self, path):
        _, listed = self.request("GET", path + "?limit=1")
        return len(listed["items"]) + listed["metadata"].get("remainingItemCount", 0)

    def remove(self, path, timeout=600):
        self.request("DELETE", path)
        deadline = time.monotonic() + timeout
        while self.request("GET", path)[0] != 404:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{path} is still there after {timeout} s")
            time.sleep(0.2)

    def namespace(self, name):
        """Makes it, and waits for what the controllers put into every namespace."""
        path = "/api/v1/namespaces/" + name
        self.create("/api/v1/namespaces", [{"metadata": {"name": name}}])
        deadline = time.monotonic() + 60
        for made in ("/configmaps/kube-root-ca.crt", "/serviceaccounts/default"):
            while self.request("GET", path + made)[0] != 200 and time.monotonic() < deadline:
                time.sleep(0.1)

    def curl(self, path, accept):
        # The name counts: the API server indents what it sends to curl.
        files = self.files
        return ["curl", "-sS", "--fail", "-A", "kubist", "-H", "Accept: " + accept, "--cacert",
                files["ca"], "--cert", files["cert"], "--key", files["key"], "-o", "/dev/null",
                self.url + path]

    @contextlib.contextmanager
    def counted(self, program):
        """Counts by verb the requests that the audit log notes of a program meanwhile. A question
        about the caller's rights is a "review": its verb is create, but nothing is created."""
        verbs = collections.Counter()
        with self.noted(program) as events:
            yield verbs
        for event in events:
            review = event.get("objectRef", {}).get("resource", "").endswith("reviews")
            verbs["review" if review else event["verb"]] += 1

    @contextlib.contextmanager
    def noted(self, program):
        """What the audit log notes of a program meanwhile: the list is filled at the end."""
        events = []
        start = os.path.getsize(self.audit)
        yield events
        with open(self.audit, "rb") as log:
            log.seek(start)
            events += [event for event in map(json.loads, log)
                       if event["stage"] == "ResponseComplete"
                       and event.get("userAgent", "").startswith(program + "/")]

    @contextlib.contextmanager
    def delayed(self, proxy, milliseconds):
        """A kubeconfig whose server is that much of round trip further away (0: the plain one)."""
        path = os.path.join(self.folder, f"kubeconfig-{milliseconds}ms")
        view = json.loads(json.dumps(self.view))
        child = None
        if milliseconds:
            target = self.url.split("//")[1]
            listen = target.rsplit(":", 1)[0] + ":7443"  # an address that the certificate names
            child = subprocess.Popen([proxy, listen, target, f"{milliseconds}ms"], text=True,
                                     stdout=subprocess.PIPE)
            if child.stdout.readline() != "ready\n":
                raise RuntimeError("the delay line did not start")
            view["clusters"][0]["cluster"]["server"] = "https://" + listen
        with open(path, "w") as file:
            json.dump(view, file)
        try:
            yield path
        finally:
            if child:
                child.kill()
                child.wait()


def writes(verbs):
    return sum(count for verb, count in verbs.items() if verb in WRITES)
