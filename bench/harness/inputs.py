"""Generated input, the same for every program and every run."""
import json, os


def config_maps(count, namespace):
    for index in range(count):
        yield {"apiVersion": "v1", "kind": "ConfigMap",
               "metadata": {"name": f"bench-{index:04}", "namespace": namespace,
                            "labels": {"app": "bench", "index": str(index)}},
               "data": {"index": str(index), "value": "x" * 200, "config.yaml": "a: 1\nb: [1, 2]\n"}}


def write_yaml(path, objects):
    """As a person would write them."""
    with open(path, "w") as file:
        for item in objects:
            meta, data = item["metadata"], item["data"]
            file.write(f"---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {meta['name']}\n"
                       f"  namespace: {meta['namespace']}\n  labels:\n    app: bench\n"
                       f"    index: \"{data['index']}\"\ndata:\n  index: \"{data['index']}\"\n"
                       f"  value: {data['value']}\n  config.yaml: |\n    a: 1\n    b: [1, 2]\n")


def write_list(path, objects):
    """A LIST reply as the API server sends it, with managedFields."""
    items = []
    for index, item in enumerate(objects):
        fields = {"f:data": {".": {}, **{f"f:{key}": {} for key in item["data"]}}}
        metadata = {**item["metadata"], "uid": f"00000000-0000-4000-8000-{index:012}",
                    "resourceVersion": str(1000 + index), "creationTimestamp": "2026-01-01T00:00:00Z",
                    "managedFields": [{"manager": "kubist", "operation": "Apply", "apiVersion": "v1",
                                       "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1",
                                       "fieldsV1": fields}]}
        items.append({"metadata": metadata, "data": item["data"]})
    with open(path, "w") as file:
        json.dump({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "9"},
                   "items": items}, file, separators=(",", ":"))
