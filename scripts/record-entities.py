#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the names of HTML's character references into Sources/ParleyMarkdown/Inlines/EntityNames.swift.

    scripts/record-entities.py

The table is that of Python's html.entities, which is that of the HTML standard. Only names that end with a semicolon are
taken, since Markdown knows no others.
"""
import html.entities
import re
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "Sources/ParleyMarkdown/Inlines/EntityNames.swift"
entries = [
    f"{name[:-1]}={','.join(format(ord(character), 'x') for character in text)}"
    for name, text in sorted(html.entities.html5.items())
    if name.endswith(";")
]
lines = [""]
for entry in entries:
    if len(lines[-1]) + len(entry) + 1 > 110:
        lines.append("")
    lines[-1] += (" " if lines[-1] else "") + entry
body = "\n".join("        " + line for line in lines)
source = FILE.read_text()
start = source.index('text = """\n') + len('text = """\n')
FILE.write_text(source[:start] + body + '\n        """\n}\n')
