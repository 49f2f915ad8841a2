"""Every shipped YAML file agrees with configs/schema.json. Skipped (77) without python3-jsonschema.
Of 0, the schema and the reader think alike for every value with a unit."""
import glob
import json
import os
import sys
import tempfile

import simulator
import skip

try:
    import jsonschema
    import yaml
except ImportError as missing:
    skip.skip(str(missing), "python3-jsonschema", "python3-yaml")

home, numachine = sys.argv[1:]
with open(os.path.join(home, "configs/schema.json"), encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)

failures = 0
for path in sorted(glob.glob(home + "/configs/*.yaml") + glob.glob(home + "/experiments/*.yaml")
                   + glob.glob(home + "/experiments/teaching/*.yaml")
                   + glob.glob(home + "/experiments/guests/*.yaml")
                   + glob.glob(home + "/experiments/irix/*.yaml")
                   + glob.glob(home + "/experiments/patterns/*.yaml")
                   + glob.glob(home + "/monitor/groups/*.yaml")
                   + glob.glob(home + "/experiments/false-sharing-lab/detectors/*.yaml")):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    first = text.split("\n", 1)[0]
    target = first.partition("$schema=")[2]
    if not os.path.samefile(os.path.join(os.path.dirname(path), target or "/"),
                            os.path.join(home, "configs/schema.json")):
        print(f"{path}:1: the first line must name the schema")
        failures += 1
    for error in validator.iter_errors(yaml.safe_load(text)):
        print(f"{path}: {'.'.join(map(str, error.absolute_path))}: {error.message}")
        failures += 1
for bad in ({"bus": {"clock": 50}}, {"bus": {"clok": "50MHz"}}, {"l2": {"line": "64"}},
            {"program": {"path": "a", "abi": "n32"}}, {"program": {}, "run": {"limit": "3"}},
            {"program": {"path": "a"}, "expect": {"stats": [{"stat": "machine.elapsed", "at_mots": 1}]}},
            {"program": {"path": "a"}, "expect": {"stats": {"stat": "machine.elapsed", "at_most": 1}}},
            {"program": {"pattern": [{"kind": "privat"}]}}, {"program": {"pattern": [{"references": 5}]}},
            {"program": {"pattern": [{"kind": "zipf", "stores": 30}]}}, {"program": {"pattern": {"kind": "zipf"}}},
            {"program": {"pattern": [{"kind": "zipf", "skew": 4.5}]}}, {"program": {"rate": "1"}},
            {"eventset": ["run"]}, {"eventset": ["runn"], "short": "", "metrics": [], "long": ""},
            {"eventset": [], "short": "", "metrics": [{"name": "a", "unit": "b"}], "long": ""}):
    if validator.is_valid(bad):
        print("the schema accepts", bad)
        failures += 1


def with_units(properties, path=()):
    """Paths of keys whose values have a unit, and the smallest of it."""
    for name, value in properties.items():
        texts = [form.get("pattern", "") for form in [value, *value.get("anyOf", [])]]
        if "properties" in value:
            yield from with_units(value["properties"], path + (name,))
        for text in texts:
            unit = "cy" if "cy" in text else "B" if "B|" in text else "Hz" if "Hz|" in text else None
            if unit:
                yield path + (name,), unit


def zeros(kind, before):
    """Where the schema lets 0 through and the reader says that it is none, or the other way round."""
    with tempfile.TemporaryDirectory() as scratch:
        for path, unit in with_units(schema["definitions"][kind]["properties"]):
            for zero in (0, "0" + unit):
                value = zero
                for name in reversed(path):
                    value = {name: value}
                document = {**before, **value}
                if path[:2] == ("monitor", "status"):
                    document["monitor"]["status"]["cards"] = [0]
                file = scratch + "/x.yaml"
                with open(file, "w", encoding="utf-8") as out:
                    json.dump(document, out)
                said = simulator.bounded([numachine, "check", file], capture_output=True, text=True).stderr
                key = ".".join(path)
                refused = any(f"'{key}'" in line and ("out of range" in line or "no time at all" in line)
                              for line in said.splitlines())
                if validator.is_valid(document) == refused:
                    yield f"{key}: {zero}: the schema {'accepts' if refused else 'refuses'} it, the reader says {said!r}"


def joined(node):
    """Lists by default whose entries are none of their own."""
    if isinstance(node, dict):
        if isinstance(node.get("default"), list) and any("," in word for word in node["default"]):
            yield f"no list: {node['default']}"
        for inner in node.values():
            yield from joined(inner)


for wrong in [*joined(schema), *zeros("machine", {}), *zeros("experiment", {"program": {"path": numachine}})]:
    print(wrong)
    failures += 1
sys.exit(failures > 0)
