#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes Sources/ParleyTokenizer/WordPieces/BERTCharacters+Recorded.swift: what BERT's normaliser makes of each code
point.

The tables of characters are part of a tokenizer's behaviour, so they are recorded from the reference implementation, and
not taken from whatever Unicode tables the system has. Run with:
pip install tokenizers==0.23.3 && scripts/reference/embeddings/record_bert_characters.py
"""

import pathlib

import tokenizers
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

VERSION = "0.23.3"
assert tokenizers.__version__ == VERSION, f"need tokenizers {VERSION}"
NORMALIZER = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
PRE_TOKENIZER = BertPreTokenizer()
HANGUL = range(0xAC00, 0xD7A4)


def reading(scalar: int) -> tuple[str, str]:
    """The kind of a character between two letters, and what it becomes."""
    text = NORMALIZER.normalize_str("x" + chr(scalar) + "x")
    words = [word for word, _ in PRE_TOKENIZER.pre_tokenize_str(text)]
    inner = "".join(words)[1:-1]
    if len(words) == 1:
        return ("K", inner) if inner else ("R", "")
    if not inner:
        return "S", ""
    assert words[0] == words[-1] == "x" and len(inner) == 1, hex(scalar)
    return "I", inner


def wrapped(words: list[str], separator: str) -> str:
    lines, line = [], ""
    for word in words:
        if len(line) + len(separator) + len(word) > 112:
            lines.append(line)
            line = ""
        line += (separator if line else "") + word
    lines.append(line)
    return "\n".join("        " + line for line in lines)


runs: list[list] = []
singles: list[tuple[int, int]] = []
several: list[str] = []
for scalar in range(0x110000):
    surrogate = 0xD800 <= scalar < 0xE000
    kind, inner = ("R", "") if surrogate else reading(scalar)
    if runs and runs[-1][0] == kind:
        runs[-1][1] += 1
    else:
        runs.append([kind, 1])
    if not inner or inner == chr(scalar) or scalar in HANGUL:
        continue
    if len(inner) == 1:
        singles.append((scalar, ord(inner)))
    else:
        assert kind == "K"
        several.append(f"{scalar}={'+'.join(str(ord(part)) for part in inner)}")

steps: list[list[int]] = []
previous = (0, 0)
for single in singles:
    step = [single[0] - previous[0], single[1] - previous[1]]
    previous = single
    if steps and steps[-1][:2] == step:
        steps[-1][2] += 1
    else:
        steps.append([*step, 1])
words = [f"{gap}:{change}" + (f"*{count}" if count > 1 else "") for gap, change, count in steps]

root = pathlib.Path(__file__).resolve().parents[3]
path = root / "Sources/ParleyTokenizer/WordPieces/BERTCharacters+Recorded.swift"
path.write_text(f'''// SPDX-License-Identifier: Apache-2.0

// Written by scripts/reference/embeddings/record_bert_characters.py with tokenizers {VERSION}.

extension BERTCharacters {{
    /// The kinds of all code points as runs from U+0000 on, each a letter and a length.
    static let kinds: StaticString = """
{wrapped([f"{kind}{length}" for kind, length in runs], "")}
        """

    /// The characters that become another one: steps from the one before to the next, `source:target`, each as often as
    /// its `*count` says.
    static let singles: StaticString = """
{wrapped(words, " ")}
        """

    /// The characters that become several, `source=target+target`; Hangul syllables are not among them.
    static let several: StaticString = """
{wrapped(several, " ")}
        """
}}
''')
