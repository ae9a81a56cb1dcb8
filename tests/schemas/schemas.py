"""Holds the JSON schemas that kubist prints against what kubist and the API server take.

  schemas.py KUBIST            each schema is one; the examples meet theirs, and name it for editors; what
                               tests/data/schemas/refused.yaml has is refused by its schema and by `kubist validate`,
                               for the field that it says
  schemas.py KUBIST --served   the API server refuses it, too, and takes what the examples have (beside a test cluster)

Needs Debian's python3-jsonschema and python3-yaml.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
GROUPS = ("kubist.io", "landscaper.gardener.cloud")
LEAST_REFUSED, LEAST_EXAMPLES = 50, 30


def documents(path):
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def schemas(kubist):
    """A validator for each of kubist's kinds."""
    crds = yaml.safe_load_all(subprocess.check_output([kubist, "init", "--print"]))
    kinds = [each["spec"]["names"]["kind"] for each in crds if each and each["kind"] == "CustomResourceDefinition"]
    found = {}
    for kind in kinds:
        printed = subprocess.check_output([kubist, "explain", kind.lower(), "--offline", "-o", "jsonschema"])
        schema = json.loads(printed)
        jsonschema.Draft7Validator.check_schema(schema)
        found[kind] = jsonschema.Draft7Validator(schema)
    return found


def examples():
    for path in sorted((SOURCE / "examples").rglob("*.yaml")):
        for each in documents(path):
            if each.get("apiVersion", "").split("/")[0] in GROUPS:
                yield path.relative_to(SOURCE), each


def refused():
    """The name of each case, the one field that it is refused for, and the object."""
    return [(each["name"], each["at"], each["object"]) for each in documents(SOURCE / "tests/data/schemas/refused.yaml")]


def place(error):
    """The path of the field that an error of a schema is about: one that is missing or unknown has itself no path."""
    path = error.json_path.removeprefix("$").removeprefix(".")
    if error.validator in ("required", "additionalProperties"):
        path += "." + re.search("'([^']+)'", error.message)[1]
    return path.removeprefix(".")


def names(at, said):
    """Does a message of kubist's or of the API server's name the field? kubist names a missing one behind its parent."""
    parent, _, last = at.rpartition(".")
    return re.search(rf"""(?<![\w.]){re.escape(at)}(?![\w.\[])|{re.escape(parent)}: missing required field "{last}"$""",
                     said, re.MULTILINE) is not None


def refusal(command, an_object):
    """What that command, which reads a file, says against the object; None if it takes it."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(an_object, file)
        file.flush()
        done = subprocess.run([*command, "-f", file.name], capture_output=True, check=False, text=True)
        return (done.stderr or f"exit code {done.returncode}") if done.returncode else None


def not_refused(command):
    """The objects that the command takes, or refuses for something else."""
    said = [(name, at, refusal(command, each)) for name, at, each in refused()]
    return [f"{name}: {command[0]} takes it" if text is None else f"{name}: {command[0]} names no {at}: {text}"
            for name, at, text in said if text is None or not names(at, text)]


def schema_of_all(kubist, folder):
    """A validator by all.json, which refers to the other files."""
    subprocess.run([SOURCE / "packaging/schemas", folder, kubist], check=True)
    schema = json.loads((folder / "all.json").read_text(encoding="utf-8"))
    resolver = jsonschema.RefResolver(f"{folder.as_uri()}/all.json", schema)
    return jsonschema.Draft7Validator(schema, resolver=resolver)


def without_modeline(schemas_folder):
    """Examples that an editor finds no schema for: their first line names a file of those that packages install."""
    wrong = []
    for path in sorted({path for path, _ in examples()}):
        line = (SOURCE / path).read_text(encoding="utf-8").partition("\n")[0]
        found = re.fullmatch(r"# yaml-language-server: \$schema=/usr/share/kubist/schemas/(\S+)", line)
        if not found or not (schemas_folder / found[1]).is_file():
            wrong.append(f"{path}: its first line leads yaml-language-server to no schema: {line}")
    return wrong


def check_all(kubist):
    """all.json takes what the kinds' own schemas take."""
    with tempfile.TemporaryDirectory() as folder:
        every = schema_of_all(kubist, pathlib.Path(folder))
        missing = without_modeline(pathlib.Path(folder))
        wrong = [f"{path}: all.json refuses {each['kind']}" for path, each in examples() if not every.is_valid(each)]
        wrong += [f"{name}: all.json takes it" for name, _, each in refused() if every.is_valid(each)]
        if not every.is_valid({"apiVersion": "v1", "kind": "Secret"}):
            wrong.append("all.json refuses another's kind")
    return missing + wrong


def check_offline(kubist):
    wrong = check_all(kubist)
    validators = schemas(kubist)
    count = 0
    for path, each in examples():
        count += 1
        wrong += [f"{path}: {each['kind']} {each['metadata']['name']}: {error.json_path}: {error.message}"
                  for error in validators[each["kind"]].iter_errors(each)]
    for name, at, each in refused():
        places = [place(error) for error in validators[each["kind"]].iter_errors(each)]
        if places != [at]:
            wrong.append(f"{name}: its schema has errors at {places or 'no place'}, not at {at}")
    wrong += not_refused([kubist, "validate"])
    print(f"{len(validators)} schemas, {count} examples, {len(refused())} refused objects")
    return wrong if count >= LEAST_EXAMPLES else [*wrong, f"only {count} examples"]


def check_served(kubist):
    subprocess.run([kubist, "init"], check=True, capture_output=True)
    server = ["kubectl", "create", "--dry-run=server", "--validate=strict"]
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "schemas"}}
    subprocess.run(["kubectl", "apply", "-f", "-"], input=json.dumps(namespace), text=True, check=True,
                   capture_output=True)
    wrong = not_refused(server)
    count = 0
    for path, each in examples():
        if each["metadata"].get("namespace"):
            each["metadata"]["namespace"] = "schemas"
        each["metadata"]["name"] = "root" if each["kind"] == "Root" else f"schemas-{count}"
        count += 1
        said = refusal([word if word != "create" else "apply" for word in server], each)
        if said is not None:
            wrong.append(f"{path}: the API server refuses {each['kind']}: {said}")
    subprocess.run(["kubectl", "delete", "namespace", "schemas", "--wait=false"], check=True, capture_output=True)
    print(f"{count} examples, {len(refused())} refused objects on the API server")
    return wrong


def main():
    kubist = sys.argv[1]
    wrong = check_served(kubist) if "--served" in sys.argv[2:] else check_offline(kubist)
    if len(refused()) < LEAST_REFUSED:
        wrong.append(f"only {len(refused())} objects are refused")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
