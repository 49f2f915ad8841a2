"""Every shipped YAML file agrees with configs/schema.json. Skipped (77) without python3-jsonschema."""
import glob
import json
import os
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

home = sys.argv[1]
with open(os.path.join(home, "configs/schema.json"), encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)

failures = 0
for path in sorted(glob.glob(home + "/configs/*.yaml") + glob.glob(home + "/experiments/*.yaml")
                   + glob.glob(home + "/monitor/groups/*.yaml")):
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
            {"eventset": ["run"]}, {"eventset": ["runn"], "short": "", "metrics": [], "long": ""},
            {"eventset": [], "short": "", "metrics": [{"name": "a", "unit": "b"}], "long": ""}):
    if validator.is_valid(bad):
        print("the schema accepts", bad)
        failures += 1
sys.exit(failures > 0)
