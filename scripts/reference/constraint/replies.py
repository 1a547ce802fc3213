#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates replies of a model under each schema in schemas.py, and checks them with an independent validator.

    scripts/reference/constraint/replies.py PARLEY [--model M] [--replies N] [--tokens N] [--temperature T] [--only NAME ...]

Each reply is one run of `parley run --schema … --json` with its own seed. Replies that the model ended have to be valid,
both for jsonschema's own rules including formats, and with patterns and e-mail addresses according to ECMA-262 and the
mail standards. The script fails if one is not, or if more than a fifth were cut off at the limit.
Needs the packages of record_goldens.py.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jsonschema import Draft202012Validator

from record_goldens import validator
from schemas import SCHEMAS


def problem(schema, text: str) -> str | None:
    """The faults of a reply."""
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"not JSON: {error}"
    plain = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    for check in (plain, validator(schema)):
        for error in check.iter_errors(value):
            return f"{error.json_path}: {error.message[:200]}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parley")
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--replies", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--threads", type=int, help="passed to `parley run`; the replies do not depend on it")
    parser.add_argument("--only", nargs="*", default=list(SCHEMAS))
    parser.add_argument("--out", type=Path, help="where to keep the replies, one JSON object a line")
    options = parser.parse_args()
    out = options.out.open("w") if options.out else None
    ended = cut = wrong = tokens = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            schema = SCHEMAS[name][0]
            file = Path(folder) / f"{name}.json"
            file.write_text(json.dumps(schema))
            tally = ""
            for seed in range(1, options.replies + 1):
                command = [options.parley, "run", options.model, f"Make up a realistic {name.replace('-', ' ')}.", "--json",
                           "--schema", file, "--seed", str(seed), "--max-tokens", str(options.tokens),
                           "--temperature", str(options.temperature)]
                if options.threads:
                    command += ["--threads", str(options.threads)]
                run = subprocess.run(command, capture_output=True, text=True)
                if not run.stdout:
                    sys.exit(f"{name}: {run.stderr}")
                reply = json.loads(run.stdout)
                tokens += reply["completion_tokens"]
                fault = None
                if reply["finish_reason"] == "stop":
                    ended += 1
                    fault = problem(schema, reply["text"])
                elif reply["finish_reason"] == "length":
                    cut += 1
                else:
                    fault = f"ended with {reply['finish_reason']}"
                if fault:
                    wrong += 1
                    print(f"{name}, seed {seed}: {fault}: {reply['text'][:300]!r}")
                tally += "!" if fault else "." if reply["finish_reason"] == "stop" else "L"
                if out:
                    out.write(json.dumps({"name": name, "seed": seed, "fault": fault, **reply}) + "\n")
                    out.flush()
            print(f"{tally} {name}", flush=True)
    count = ended + cut
    print(f"{len(options.only)} schemas, {count} replies of {tokens} tokens together in {time.monotonic() - began:.0f} s: "
          f"{ended} ended by themselves, {ended - wrong} of these are valid; {cut} reached the limit ({cut / count:.1%})")
    if wrong or cut * 5 > count:
        sys.exit(1)


if __name__ == "__main__":
    main()
