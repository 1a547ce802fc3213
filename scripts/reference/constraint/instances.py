#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `parley constrain` with an independent validator on many instances of each schema in schemas.py.

    scripts/reference/constraint/instances.py PARLEY [--mutations N] [--seed N]

The instances are those of schemas.py and random mutations of the valid ones, one to three deep. The goldens are a small
part of such a run; the script fails at any difference. Needs the packages of record_goldens.py.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from record_goldens import mutated, validator
from schemas import SCHEMAS


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parley")
    parser.add_argument("--mutations", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    count = valid = different = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (schema, given) in SCHEMAS.items():
            check = validator(schema)
            cases = {json.dumps(case): case for case in given}
            sources = [case for case in given if check.is_valid(case)]
            for _ in range(options.mutations):
                case = chance.choice(sources)
                for _ in range(chance.choice([1, 1, 2, 3])):
                    case = mutated(case, chance)
                cases[json.dumps(case)] = case
            files = [Path(folder) / name for name in ("schema.json", "values.json")]
            for file, value in zip(files, (schema, list(cases.values()))):
                file.write_text(json.dumps(value))
            command = [options.parley, "constrain", "--schema", files[0], "--check", files[1]]
            verdicts = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            for case, verdict in zip(cases.values(), verdicts, strict=True):
                expected = check.is_valid(case)
                count += 1
                valid += expected
                if verdict != expected:
                    different += 1
                    print(f"{name}: {verdict}, not {expected}: {json.dumps(case)[:300]}")
    print(f"{len(SCHEMAS)} schemas, {count} instances, {valid} of them valid: {different} judged differently")
    if different:
        sys.exit(1)


if __name__ == "__main__":
    main()
