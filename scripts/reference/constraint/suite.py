#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `parley constrain` on every instance of the JSON-Schema-Test-Suite, draft 2020-12.

    scripts/reference/constraint/suite.py PARLEY [--refused] [--suite FOLDER]

The verdict on an instance agrees with the suite, or differs, or its schema is refused; --refused lists the latter.
Formats are enforced, which the suite leaves open, so instances that only violate a format are counted separately. The
script fails if any verdict differs. The suite comes from the source distribution of jsonschema on PyPI, pinned by SHA-256
and kept in the cache of scripts/fetch-references; --suite takes a folder of its files instead.
"""

import argparse
import collections
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CACHE = Path(os.environ.get("PARLEY_REFERENCES") or ROOT / ".build" / "references").resolve()
PACKAGE, VERSION = "jsonschema", "4.26.0"
SHA256 = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326"
FOLDER = "json/tests/draft2020-12"


def archive() -> Path:
    path = CACHE / "downloads" / f"{PACKAGE}-{VERSION}.tar.gz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", path.parent, f"{PACKAGE}=={VERSION}"], check=True, stdout=sys.stderr)
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"suite: {path} is not the file that is expected; remove it")
    return path


def groups(folder: Path | None) -> list[tuple[str, dict]]:
    """Each group of instances with the name of its file."""
    if folder:
        files = {path.stem: path.read_text() for path in folder.glob("*.json")}
    else:
        with tarfile.open(archive()) as tar:
            inner = f"{PACKAGE}-{VERSION}/{FOLDER}/"
            entries = [entry for entry in tar if entry.name.startswith(inner) and "/" not in entry.name[len(inner) :]]
            files = {Path(entry.name).stem: tar.extractfile(entry).read().decode() for entry in entries if entry.isfile()}
    return [(name, group) for name, text in sorted(files.items()) for group in json.loads(text)]


def ask(parley: str, group: dict) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("schema.json", "values.json")]
        for file, value in zip(files, (group["schema"], [test["data"] for test in group["tests"]])):
            file.write_text(json.dumps(value))
        command = [parley, "constrain", "--schema", files[0], "--check", files[1]]
        return subprocess.run(command, capture_output=True, text=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parley")
    parser.add_argument("--refused", action="store_true", help="list the schemas that are refused")
    parser.add_argument("--suite", type=Path, help="a folder of the suite's files")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    all_groups = groups(options.suite)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda entry: ask(options.parley, entry[1]), all_groups))
    for (name, group), answer in zip(all_groups, answers):
        if answer.returncode == 0:
            verdicts = json.loads(answer.stdout)
        elif "Nothing satisfies" in answer.stderr:
            verdicts = [False] * len(group["tests"])
        elif answer.returncode > 0 and "cannot be enforced" in answer.stderr:
            counts["refused by name"] += len(group["tests"])
            if options.refused:
                print(f"refused: {name}: {group['description']}: {answer.stderr.strip()}")
            continue
        else:
            sys.exit(f"{name}: {group['description']}: ended with {answer.returncode}: {answer.stderr}")
        for test, verdict in zip(group["tests"], verdicts, strict=True):
            if verdict == test["valid"]:
                counts["judged alike"] += 1
            elif name == "format" and not verdict:
                counts["formats enforced"] += 1
            else:
                counts["judged otherwise"] += 1
                print(f"{name}: {group['description']}: {test['description']}: {verdict}")
    print(f"{sum(counts.values())} instances: " + ", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    sys.exit(1 if counts["judged otherwise"] else 0)


if __name__ == "__main__":
    main()
