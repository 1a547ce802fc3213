#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates replies that were drawn from random logits under each schema of the goldens.

    scripts/reference/constraint/validate_replies.py MEASURE MODEL.gguf

MEASURE is the built program of the folder measure; needs the packages of record_goldens.py.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from record_goldens import GOLDENS, validator


def main() -> None:
    measure, model = sys.argv[1:3]
    schemas = {entry["name"]: entry["schema"] for entry in json.loads((GOLDENS / "schemas.json").read_text())["schemas"]}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "replies.json"
        subprocess.run([measure, "generate", model, GOLDENS / "schemas.json", out], check=True)
        replies = json.loads(out.read_text())
    ended = valid = 0
    for reply in replies:
        if reply["text"] is None:
            continue
        ended += 1
        try:
            problem = next((error.message for error in validator(schemas[reply["name"]]).iter_errors(json.loads(reply["text"]))), None)
        except ValueError as error:
            problem = str(error)
        if problem is None:
            valid += 1
        else:
            print(f"{reply['name']}: {problem}: {reply['text'][:300]!r}")
    print(f"{Path(model).name}: {len(replies)} replies, {ended} ended by themselves, {valid} of these are valid")


if __name__ == "__main__":
    main()
