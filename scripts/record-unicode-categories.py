#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes Sources/ParleyTokenizer/PreTokenization/CharacterClass+Unicode.swift: the general category of each code point.

The version of the categories is part of a tokenizer's behaviour, so it is fixed here and not taken from whatever
Unicode tables the system has. Run with:  pip install unicodedata2==15.1.0 && scripts/record-unicode-categories.py
"""

import pathlib

import unicodedata2

VERSION = "15.1.0"
assert unicodedata2.unidata_version == VERSION, f"need unicodedata2 {VERSION}"

CONTROL_SPACES = {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85}


def letter(scalar: int) -> str:
    category = unicodedata2.category(chr(scalar))
    if scalar in CONTROL_SPACES or category[0] == "Z":
        return "W"
    return category[0] if category[0] in "LNMPS" else "C"


runs: list[list] = []
for scalar in range(0x110000):
    kind = letter(scalar)
    if runs and runs[-1][0] == kind:
        runs[-1][1] += 1
    else:
        runs.append([kind, 1])

lines, line = [], ""
for kind, length in runs:
    word = f"{kind}{length}"
    if len(line) + len(word) > 112:
        lines.append(line)
        line = ""
    line += word
lines.append(line)
body = "\n".join("        " + line for line in lines)

path = pathlib.Path(__file__).parent.parent / "Sources/ParleyTokenizer/PreTokenization/CharacterClass+Unicode.swift"
path.write_text(f'''// SPDX-License-Identifier: Apache-2.0

// Written by scripts/record-unicode-categories.py.

extension CharacterClass {{
    /// The version of Unicode whose categories are used.
    static let unicodeVersion = "{VERSION}"

    /// The classes of all code points as runs from U+0000 on, each a letter and a length.
    static let runs: StaticString = """
{body}
        """
}}
''')
