#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the verdicts of an independent validator on schemas and instances, for the tests of ParleyConstraint.

    pip install jsonschema==4.26.0 rfc3339-validator==0.1.4 rfc3986-validator==0.1.1 fqdn==1.5.1
    scripts/reference/constraint/record_goldens.py

Writes Tests/ParleyConstraintTests/Goldens/schemas.json (the schemas of schemas.py with their instances and with random
mutations of the valid ones) and keywords.json (each keyword on its own, against a common pool of instances).
"""

import copy
import importlib.metadata
import json
import random
import re
from pathlib import Path

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from keywords import POOL, SCHEMAS as KEYWORDS
from schemas import SCHEMAS

GOLDENS = Path(__file__).resolve().parents[3] / "Tests" / "ParleyConstraintTests" / "Goldens"
ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
EMAIL = re.compile(rf"{ATOM}(\.{ATOM})*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")
FORMATS = Draft202012Validator.FORMAT_CHECKER
SPARE = [None, True, False, 0, 1, -7, 2.5, "", "x", "red", [], [1], {}, {"a": 1}]


@FORMATS.checks("email")
def is_email(value) -> bool:
    """The package's own check only requires an @."""
    return not isinstance(value, str) or bool(EMAIL.fullmatch(value))


# Regular expressions that differ between Python and ECMA-262.
SPACES = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
DIFFERENT = {"$": r"\Z", ".": r"[^\n\r\u2028\u2029]", r"\s": f"[{SPACES}]", r"\S": f"[^{SPACES}]"}


def pattern(_, expression, instance, __):
    """The validator's keyword, with the meaning that JSON Schema gives to patterns."""
    if isinstance(instance, str):
        python = re.sub(r"\\.|\[(?:\\.|[^]])*\]|[$.]", lambda part: DIFFERENT.get(part[0], part[0]), expression)
        if not re.search(python, instance, re.ASCII):
            yield ValidationError(f"{instance!r} does not match {expression!r}")


Validator = extend(Draft202012Validator, {"pattern": pattern})


def validator(schema) -> Draft202012Validator:
    Validator.check_schema(schema)
    return Validator(schema, format_checker=FORMATS)


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], path + (index,))


def mutated(value, chance: random.Random):
    """A copy with one thing changed somewhere."""
    root = [copy.deepcopy(value)]
    path = (0,) + chance.choice(list(places(value)))
    parent = root
    for step in path[:-1]:
        parent = parent[step]
    last = path[-1]
    here = parent[last]
    kind = chance.randrange(6)
    if kind == 0 and len(path) > 1:
        del parent[last]
    elif kind == 1 and isinstance(here, dict):
        here[chance.choice(["extra", "name", "type", "a", "id"])] = chance.choice(SPARE)
    elif kind == 2 and isinstance(here, list):
        here.insert(chance.randrange(len(here) + 1), chance.choice(SPARE + here))
    elif kind == 3 and isinstance(here, str):
        at = chance.randrange(len(here) + 1)
        parent[last] = here[:at] + chance.choice(["", "x", "0", "é", "\n", '"', " ", "\U0001f600"]) + here[at + chance.randrange(2):]
    elif kind == 4 and isinstance(here, (int, float)) and not isinstance(here, bool):
        parent[last] = chance.choice([here + 1, here - 1, -here, here * 10, here + 0.5, here * 1000])
    else:
        parent[last] = chance.choice(SPARE)
    return root[0]


def main() -> None:
    chance = random.Random(20240229)
    entries = []
    for name, (schema, instances) in SCHEMAS.items():
        check = validator(schema)
        cases = list(instances)
        valid = [instance for instance in instances if check.is_valid(instance)]
        seen = {json.dumps(case) for case in cases}
        for _ in range(24):
            case = mutated(chance.choice(valid), chance)
            if json.dumps(case) not in seen:
                seen.add(json.dumps(case))
                cases.append(case)
        entries.append({
            "name": name, "schema": schema,
            "instances": [{"value": case, "valid": check.is_valid(case)} for case in cases],
        })
    tables = []
    for schema in KEYWORDS:
        check = validator(schema)
        tables.append({"schema": schema, "valid": "".join("1" if check.is_valid(value) else "0" for value in POOL)})
    reference = f"jsonschema {importlib.metadata.version('jsonschema')}"
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    (GOLDENS / "schemas.json").write_text(f'{{"reference": "{reference}", "schemas": [\n{lines}\n]}}\n')
    lines = ",\n".join(json.dumps(table, ensure_ascii=False) for table in tables)
    pool = json.dumps(POOL, ensure_ascii=True)
    (GOLDENS / "keywords.json").write_text(
        f'{{"reference": "{reference}", "pool": {pool}, "schemas": [\n{lines}\n]}}\n')
    counts = [instance["valid"] for entry in entries for instance in entry["instances"]]
    print(f"{len(entries)} schemas, {len(counts)} instances, {sum(counts)} of them valid; {len(tables)} keyword schemas")


if __name__ == "__main__":
    main()
