"""Holds the JSON schemas of what policies and executors read and write against what kubist hands to them and takes.

  policy_io.py KUBIST     the inputs of the cases of the repository and of `policy init`, and the blocks of the page
                          docs/reference/policy-io.md, meet the schemas; so does what kubist makes of them and what
                          built-in policies return; tests/data/schemas/policy-io-refused.yaml is refused

Needs Debian's python3-jsonschema and python3-yaml.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import jsonschema
import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
NAMES = sorted(path.stem for path in (SOURCE / "cli/policy-io").glob("*.yaml"))
LEAST_INPUTS, LEAST_ANSWERS, LEAST_REFUSED = 190, 120, 20
# Its numbers are texts, on purpose.
HOSTILE = "readings.yaml: an observation of other variants is not judged"
# It returns what it gets.
IDENTITY = """
apiVersion: kubist.io/v1alpha1
kind: PolicyDefinition
metadata: {name: identity}
spec:
  wants: [now, run]
  parameters: {type: object, x-kubernetes-preserve-unknown-fields: true}
  runtime: {jsonnet: {source: "function(list) list"}}
"""


def documents(path):
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def validators(kubist):
    found = {}
    for name in NAMES:
        schema = json.loads(subprocess.check_output([kubist, "explain", name, "-o", "jsonschema"]))
        jsonschema.Draft7Validator.check_schema(schema)
        found[name] = jsonschema.Draft7Validator(schema)
    return found


def case_files(kubist, folder):
    for kind in ("VirtualCluster", "CanaryRelease", "Experiment"):
        subprocess.run([kubist, "policy", "init", f"of-{kind.lower()}", "--kind", kind], cwd=folder, check=True,
                       capture_output=True)
    yield from sorted(folder.glob("*.test.yaml"))
    for below in ("policies", "policy-cases", "executor-cases"):
        yield from sorted((SOURCE / "tests/data" / below).rglob("*.yaml"))


def cases(kubist, folder):
    """The input of each case, and the one policy that it is for, or none."""
    for path in case_files(kubist, folder):
        for case in (each for each in documents(path) if "input" in each):
            calls = case.get("policies", [case.get("policy", {"name": ""})])
            calls = [{"name": call} if isinstance(call, str) else call for call in calls]
            config = case["input"].setdefault("functionConfig", {})
            if len(calls) == 1 and "parameters" in calls[0]:
                config["parameters"] = {**config.get("parameters", {}), **calls[0]["parameters"]}
            yield f"{path.name}: {case.get('name')}", case["input"], calls[0]["name"] if len(calls) == 1 else ""


def blocks_of_page():
    text = (SOURCE / "docs/reference/policy-io.md").read_text(encoding="utf-8")
    for name, block in re.findall(r"^```yaml file=(\S+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        document = yaml.safe_load(block)
        if document["kind"] == "ResourceList":
            yield f"policy-io.md: {name}", document


def run(kubist, command, document):
    """What kubist prints for the document; nothing where it refuses it."""
    ran = subprocess.run([kubist, "policy", "run", *command, "-f", "-", "-o", "json"], input=json.dumps(document),
                         capture_output=True, text=True, check=False)
    return json.loads(ran.stdout) if ran.returncode == 0 else None


def faults(validator, name, document):
    return [f"{name}: {error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def check_taken(kubist, lists):
    wrong = []
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        (folder / "identity.yaml").write_text(IDENTITY, encoding="utf-8")
        inputs = [*cases(kubist, folder), *((name, document, "") for name, document in blocks_of_page())]
        identity = ["--definition", str(folder / "identity.yaml")]
        with ThreadPoolExecutor() as pool:
            handed = list(pool.map(lambda each: run(kubist, identity, each[1]), inputs))
            builtins = [each for each in inputs if each[2][:1].isupper()]
            answers = list(pool.map(lambda each: run(kubist, [each[2]], each[1]), builtins))
    for (name, document, _), got in zip(inputs, handed):
        if name == HOSTILE:
            wrong += [] if faults(lists, name, document) else [f"{name}: the schema takes it"]
            continue
        wrong += faults(lists, name, document) if "kind" in document else []
        wrong += faults(lists, f"{name}: as it is handed over", got) if got else [f"{name}: it does not run"]
    answered = [(name, got) for (name, _, _), got in zip(builtins, answers) if got and name != HOSTILE]
    for name, got in answered:
        wrong += faults(lists, f"{name}: its answer", got)
    print(f"{len(inputs)} inputs, {len(answered)} answers")
    if len(inputs) < LEAST_INPUTS or len(answered) < LEAST_ANSWERS:
        wrong.append("these are too few")
    return wrong


def check_refused(schemas):
    wrong = []
    refused = documents(SOURCE / "tests/data/schemas/policy-io-refused.yaml")
    for each in refused:
        places = [error.json_path for error in schemas[each["of"]].iter_errors(each["document"])]
        if each["at"] not in places:
            wrong.append(f"{each['name']}: errors at {places or 'no place'}, not at {each['at']}")
    print(f"{len(refused)} refused documents")
    return wrong if len(refused) >= LEAST_REFUSED else [*wrong, "these are too few"]


def main():
    kubist = sys.argv[1]
    schemas = validators(kubist)
    wrong = check_taken(kubist, schemas["ResourceList"]) + check_refused(schemas)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
