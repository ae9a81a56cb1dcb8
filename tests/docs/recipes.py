"""Runs the shell steps of the recipes in examples/ci as their CI would, in a checkout of a small environment.

  recipes.py KUBIST [--cluster]     with --cluster also the steps that need one, that of $KUBECONFIG

Each step is run by the shell that the CI has for it, with the variables that it sets; what a step leaves for later ones
($GITHUB_ENV, dotenv reports) they get. Then every report that the recipe names has to be there. At last the environment
is broken, and the checks have to fail with a report that says where.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
RECIPES = SOURCE / "examples/ci"
NEEDS_CLUSTER = re.compile(r"kubist (reconcile|deployitem)|HELLO_|ci/token")
CACHE = ".kubecache/kubist/discovery"  # of the recipes that keep it
STRICT = ["bash", "-e", "-o", "pipefail", "-c"]  # GitHub's and GitLab's; Jenkins' and Tekton's is sh -e


class Step:
    def __init__(self, name, text, shell, variables=None):
        self.name, self.text, self.shell, self.variables = name, text, shell, variables or {}


def github():
    """Steps, and the files that the recipe uploads."""
    jobs = yaml.safe_load((RECIPES / "github-actions.yaml.txt").read_text())["jobs"]
    steps, files = [], []
    for job in jobs.values():
        for step in job["steps"]:
            if "docker create" in step.get("run", ""):
                continue  # kubist is on PATH
            if "run" in step:
                steps.append(Step(step["name"], step["run"], STRICT, job.get("env")))
            files += [CACHE] if CACHE in step.get("with", {}).get("path", "") else []
            files += [step["with"]["sarif_file"]] if "sarif_file" in step.get("with", {}) else []
    return steps, files


def gitlab():
    jobs = yaml.safe_load((RECIPES / "gitlab-ci.yml.txt").read_text())
    steps, files = [], []
    for stage in jobs["stages"]:
        for name, job in jobs.items():
            if isinstance(job, dict) and job.get("stage") == stage:
                steps += [Step(name, line, STRICT, job.get("variables")) for line in job["script"]]
                files += [path for path in job.get("cache", {}).get("paths", []) if path == CACHE]
                files += job.get("artifacts", {}).get("reports", {}).values()
    return steps, files


def jenkins():
    text = (RECIPES / "Jenkinsfile").read_text()
    steps = [Step("sh", long or short, ["sh", "-e", "-c"])
             for long, short in re.findall(r"\bsh (?:'''(.*?)'''|'([^'\n]*)')", text, re.DOTALL)]
    return steps, re.findall(r"junit=(\S+?)'", text)


def tekton():
    spec = yaml.safe_load((RECIPES / "tekton.yaml.txt").read_text())["spec"]
    steps = [Step(step["name"], step["script"].replace("$(results.greeting.path)", "greeting.result"),
                  ["sh", "-c"]) for step in spec["steps"]]
    return steps, re.findall(r"junit=(\S+)", "".join(step.text for step in steps))


def checkout(folder, kubist):
    shutil.copytree(SOURCE / "examples/quickstart", folder / "env")
    (folder / "policies").mkdir()
    shutil.copy(SOURCE / "examples/policies/team-labels.yaml", folder / "policies")
    shutil.copy(SOURCE / "tests/data/policy-cases/team-labels.yaml", folder / "policies/cases.yaml")
    (folder / "bin").mkdir()
    (folder / "bin/kubist").symlink_to(kubist)
    curl = folder / "bin/curl"  # GitHub's issuer of tokens
    curl.write_text('#!/bin/sh\necho "{\\"value\\": \\"$3 $4\\"}"\n')
    curl.chmod(0o755)
    (folder / "ci").mkdir()


def base_environment(folder):
    kept = {name: value for name, value in os.environ.items() if not re.match(r"GITHUB_|CI_|WORKSPACE$|KUBECONFIG", name)}
    return {**kept, "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder), "RUNNER_TEMP": str(folder),
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "request", "ACTIONS_ID_TOKEN_REQUEST_URL": "https://issuer?a=b",
            "KUBERNETES_TOKEN": "token", "GITHUB_ENV": str(folder / "github.env"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}


def left_for_later(folder):
    """The variables that a step has left, in GitHub's and in GitLab's form."""
    found = {}
    for name in ("github.env", "exports.env"):
        text = (folder / name).read_text() if (folder / name).exists() else ""
        for key, end, value in re.findall(r"^(\w+)<<(\S+)\n(.*?)\n\2$", text, re.MULTILINE | re.DOTALL):
            found[key] = value
        found.update(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))
    return found


def run(step, folder, environment):
    variables = {name: value.replace("${{ github.workspace }}", str(folder)).replace("$CI_PROJECT_DIR", str(folder))
                 for name, value in step.variables.items()}
    return subprocess.run([*step.shell, step.text], cwd=folder, timeout=600, check=False, text=True,
                          env={**environment, **left_for_later(folder), **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def check(name, recipe, kubist, cluster):
    steps, files = recipe()
    local = [step for step in steps if not NEEDS_CLUSTER.search(step.text)]
    if len(local) != 2 or len(steps) < 4:
        sys.exit(f"recipes: {name}: {len(steps)} steps, {len(local)} of them without a cluster: are they still read?")
    with tempfile.TemporaryDirectory(prefix="kubist-recipe-") as temp:
        folder = pathlib.Path(temp)
        checkout(folder, kubist)
        environment = base_environment(folder)
        if cluster:
            environment["KUBECONFIG"] = os.environ["KUBECONFIG"]
            shutil.copy(os.environ["KUBECONFIG"], folder / "ci/kubeconfig.yaml")
        for step in steps if cluster else local:
            done = run(step, folder, environment)
            print(f"--- {name}: {step.name}\n{done.stdout}", end="")
            if done.returncode:
                sys.exit(f"recipes: {name}: step {step.name!r} ended with {done.returncode}")
        missing = [file for file in files if (cluster or re.search("validate|policies", file)) and not
                   (folder / file).exists()]
        if missing or not files:
            sys.exit(f"recipes: {name}: no {missing or 'reports in it'}")
        token = {"github": "Authorization: bearer request https://issuer?a=b&audience=kubernetes\n", "gitlab": "token"}
        if cluster and name in token and (folder / "ci/token").read_text() != token[name]:
            sys.exit(f"recipes: {name}: the step that logs in wrote no token")
        check_broken(name, local[0], folder, environment)


def check_broken(name, step, folder, environment):
    path = folder / "env/environment.yaml"
    text = path.read_text()
    path.write_text(text.replace("clusterRef", "clusterref"))
    line = text[:text.index("clusterRef")].count("\n") + 1
    done = run(step, folder, environment)
    report = (folder / "reports/validate.xml").read_text()
    if done.returncode != 1 or f'file="env/environment.yaml" line="{line}"' not in report:
        sys.exit(f"recipes: {name}: broken input ends with {done.returncode}, and is reported as\n{report}")


def main():
    kubist, cluster = os.path.abspath(sys.argv[1]), sys.argv[2:] == ["--cluster"]
    recipes = {"github": github, "gitlab": gitlab, "jenkins": jenkins, "tekton": tekton}
    if cluster:
        subprocess.run([kubist, "init"], check=True, stdout=subprocess.DEVNULL)
    try:
        for name, recipe in recipes.items():
            check(name, recipe, kubist, cluster)
    finally:
        if cluster:
            for words in (["-f", str(SOURCE / "examples/quickstart")], ["configmap", "env", "-n", "default"]):
                subprocess.run([kubist, "delete", *words, "--ignore-not-found"], check=False)
    print(f"recipes: {len(recipes)} recipes run {'whole' if cluster else 'as far as they need no cluster'}")


if __name__ == "__main__":
    main()
