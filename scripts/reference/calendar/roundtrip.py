#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the test data of the Python package icalendar, and says which files keep their bytes.

    roundtrip.py EXPAND FOLDER

EXPAND is the built program of the folder expand; FOLDER is the unpacked source distribution:
pip download --no-deps --no-binary :all: icalendar==7.3.0
"""

import collections
import pathlib
import subprocess
import sys

import icalendar


def is_read(path):
    """Whether icalendar reads a file itself."""
    try:
        return bool(icalendar.Calendar.from_ical(pathlib.Path(path).read_bytes(), multiple=True))
    except Exception:
        return False


def main():
    program, folder = sys.argv[1:]
    files = sorted(str(path) for path in pathlib.Path(folder).rglob("*.ics"))
    output = subprocess.run([program, *files], stdout=subprocess.PIPE, text=True, check=True).stdout
    results = collections.Counter()
    for path, line in zip(files, output.splitlines(), strict=True):
        word = line.split()[0]
        results[word] += 1
        if word != "same":
            print(line, "" if word != "refused" else f"(icalendar {'reads' if is_read(path) else 'refuses'} it)")
    print(dict(results))


if __name__ == "__main__":
    main()
