#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the memory predicted by `parley models fit` with the real peak memory of a process.

    Benchmarks/memory.py PARLEY MODEL... [--contexts 1024,4096,8192]

For each model and context, answers a prompt that almost fills the context, and compares the maximum resident memory of
that process with the total of `parley models fit --json`. The exit status is 1 if they differ by more than a tenth.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from processes import run

WORDS = "river stone morning letter garden window market silver number autumn bridge candle".split()
# Tokens for the template's own and for the reply.
ROOM = 128


def words(count: int) -> str:
    return " ".join(WORDS[index % len(WORDS)] for index in range(count))


def prompt(parley: str, model: str, tokens: int, scratch: Path) -> Path:
    """A file with a text of about so many tokens."""
    path = scratch / "prompt.txt"
    path.write_text(words(1200))
    count = len(json.loads(run([parley, "tokenize", model, "--file", path]).output))
    path.write_text(words(1200 * tokens // count))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parley")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--contexts", default="1024,4096,8192")
    arguments = parser.parse_args()
    failed = False
    print("| model | context | filled | predicted MiB | peak MiB | off |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for model in arguments.models:
            for context in map(int, arguments.contexts.split(",")):
                fit = [arguments.parley, "models", "fit", model, "--context", context, "--json"]
                foretold = json.loads(run(fit).output)["total"]
                path = prompt(arguments.parley, model, context - ROOM, Path(directory))
                reply = run(
                    [arguments.parley, "run", model, "--context", context, "--max-tokens", ROOM, "--json"], stdin=path)
                counts = json.loads(reply.output)
                filled = counts["prompt_tokens"] + counts["completion_tokens"]
                off = foretold / reply.peak_memory - 1
                failed = failed or abs(off) > 0.1
                sizes = f"{foretold / 2**20:.0f} | {reply.peak_memory / 2**20:.0f} | {off:+.1%}"
                print(f"| {Path(model).name} | {context} | {filled} | {sizes} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
