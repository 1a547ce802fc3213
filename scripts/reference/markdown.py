#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what GitHub's reference parser makes of generated Markdown, and cuts the examples out of CommonMark's own text.

    scripts/reference/markdown.py gfm [COUNT [SEED]] > Tests/ParleyMarkdownTests/Goldens/gfm.json
    scripts/reference/markdown.py examples SPEC.md > commonmark.json

Needs cmarkgfm 2025.10.22 from PyPI for the first. Generated texts mix the marks of both specifications at random. Left out
are those in which the two parsers follow different versions: its CommonMark is 0.29, Parley's is 0.31.
"""
import json
import random
import re
import sys

PIECES = [
    "a", "b c", "word", "é", "ß", "x y", "z\n", "Ä ", "*", "**", "***", "_", "__", "~", "~~", "`", "``", "[", "]", "](x)", "[r]", "![", "(",
    ")", "<", ">", "<b>", "x</b>", "<!-- c -->", "&amp;", "&copy;", "\\", "\\*", "|", " | ", "\n", "\n", "\n\n", " ", "  ",
    "    ", "\t", "- ", "+ ", "* ", "1. ", "2) ", "> ", "# ", "### ", "---", "===", "```", "~~~", "```js", "|-|-|", "| a | b |",
    ":-:|--", "[ ] ", "[x] ", "http://x.de/a_b(c)", "www.example.org.", " a.b@c.de ", "<http://y.z>", "\n[r]: /u 't'\n", "!",
    "<div>", "  \n", "x\\\ny", "'", '"', ".", ",", ";",
]  # fmt: skip




def text(source: random.Random) -> str:
    """A text with brackets or addresses, and with tildes or emphasis.

    The reference looks for no bare address behind an open bracket, and beside tildes it takes other characters than the
    specification says for the neighbours of a mark.
    """
    without = ("[",) if source.random() < 0.5 else ("http:", "www.", "@")
    without += ("~",) if source.random() < 0.7 else ("*", "_")
    pieces = [piece for piece in PIECES if not any(part in piece for part in without)]
    return "".join(source.choice(pieces) for _ in range(source.randint(1, 24))) + "\n"


def gfm(count: int, seed: int) -> None:
    import cmarkgfm
    from cmarkgfm.cmark import Options

    source = random.Random(seed)
    cases = []
    while len(cases) < count:
        markdown = text(source)
        html = cmarkgfm.markdown_to_html_with_extensions(
            markdown, Options.CMARK_OPT_UNSAFE, ["table", "strikethrough", "autolink", "tasklist"]
        )
        cases.append([markdown, html])
    json.dump(cases, sys.stdout, ensure_ascii=False, indent=0)


def examples(path: str) -> None:
    fence = "`" * 32
    found = []
    with open(path, encoding="utf-8") as file:
        for match in re.finditer(rf"^{fence} example\n(.*?)^{fence}$", file.read(), re.M | re.S):
            markdown, html = re.split(r"^\.\n", match.group(1).replace("→", "\t"), maxsplit=1, flags=re.M)
            found.append([markdown, html])
    json.dump(found, sys.stdout, ensure_ascii=False)


if len(sys.argv) > 1 and sys.argv[1] == "gfm":
    gfm(*(int(number) for number in (sys.argv[2:4] + ["400", "1"][len(sys.argv) - 2 :])))
elif len(sys.argv) == 3 and sys.argv[1] == "examples":
    examples(sys.argv[2])
else:
    sys.exit(__doc__)
