"""What the code reads and writes by name stands in the reference.

Variables: docs/reference/environment.md or workload.md; annotations, labels and finalizers of kubist.io:
docs/reference/annotations-labels.md; metrics: docs/how-to/controller.md. Each key and metric that a page has stands in
the code, too.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REFERENCE = ROOT / "docs/reference"
ASKS = re.compile(r"\benvironment\(|\bvariable\(")
VARIABLE = re.compile(r'"([A-Z][A-Z0-9_]{2,}|[a-z]+_proxy)"')
METRIC = re.compile(r'\{"([a-z_]+)", Type::')
KEY = re.compile(r'"(kubist\.io/[a-z-]+)"')
NOT_VARIABLES = {"GET", "HEAD", "POST", "PUT", "PATCH", "PEM", "REDACTED", "LIVE", "MERGED",
                 "HELM_", "CACHE", "CONFIG", "DATA"}  # helm's, by parts
NOT_KEYS = {f"kubist.io/{word}" for word in ("container", "script", "manifest", "helm", "mock")}  # types of items


def sources():
    for folder in ("lib", "cli"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def main():
    variables, keys = {}, {}
    for path, text in sources():
        if ASKS.search(text):
            variables.update((name, path) for name in VARIABLE.findall(text) if name not in NOT_VARIABLES)
        keys.update((name, path) for name in KEY.findall(text) if name not in NOT_KEYS)
    if len(variables) < 20 or len(keys) < 25:
        sys.exit(f"named: only {len(variables)} variables and {len(keys)} keys found in the code")
    pages = ("environment.md", "workload.md")
    environment = "".join((REFERENCE / name).read_text(encoding="utf-8") for name in pages)
    annotations = (REFERENCE / "annotations-labels.md").read_text(encoding="utf-8")
    wrong = [f"{path}: variable {name} is on neither page" for name, path in variables.items()
             if not re.search(rf"\b{name}\b", environment)]
    wrong += [f"{path}: {name} is not in annotations-labels.md" for name, path in keys.items()
              if f"`{name}`" not in annotations]
    wrong += [f"annotations-labels.md: {name} is nowhere in the code"
              for name in sorted(set(re.findall(r"`(kubist\.io/[a-z-]+)`", annotations)) - keys.keys())]
    metrics = set(METRIC.findall((ROOT / "cli/src/controller/telemetry.cpp").read_text(encoding="utf-8")))
    if len(metrics) < 17:
        sys.exit(f"named: only {len(metrics)} metrics found in the code")
    rows = re.findall(r"^\| (`[a-z]+_.*?) \|", (ROOT / "docs/how-to/controller.md").read_text(encoding="utf-8"), re.MULTILINE)
    on_page = set(re.findall("`([a-z_]+)`", " ".join(rows)))
    wrong += [f"telemetry.cpp: metric {name} is not in controller.md" for name in sorted(metrics - on_page)]
    wrong += [f"controller.md: metric {name} is not in telemetry.cpp" for name in sorted(on_page - metrics)]
    print("\n".join([*wrong, f"named: {len(variables)} variables, {len(keys)} keys, {len(metrics)} metrics, "
                     f"{len(wrong)} findings"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
