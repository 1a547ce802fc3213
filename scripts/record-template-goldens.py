#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the output of Python's jinja2, configured as in transformers, for templates.

    record-template-goldens.py              renders Goldens/snippets.txt into Goldens/snippets.json
    record-template-goldens.py REFERENCES   renders REFERENCES/templates/*.jinja with Goldens/conversations.json
                                            into REFERENCES/templates/expected.json

Needs jinja2 3.1.6 (pip install jinja2==3.1.6).
"""

import datetime
import functools
import json
import pathlib
import sys

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

GOLDENS = pathlib.Path(__file__).resolve().parent.parent / "Tests/ParleyTemplateTests/Goldens"
NOW = datetime.datetime(2026, 3, 7, 14, 5, 9)


class Raised(Exception):
    """The exception of a template's raise_exception."""


class Generation(Extension):
    """{% generation %}, whose body is rendered in a scope of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_render"), [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


def raise_exception(message):
    raise Raised(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


@functools.cache
def compiled(env, source):
    return env.from_string(source)


def rendered(env, source, context):
    """The text, the message of raise_exception, or the name of the error."""
    try:
        return {"text": compiled(env, source).render(**context)}
    except Raised as refusal:
        return {"raised": str(refusal)}
    except Exception as error:  # Whatever Python raises is what a template may not do.
        return {"error": type(error).__name__}


def record_snippets():
    env = environment()
    context = json.loads((GOLDENS / "context.json").read_text())
    cases = []
    for line in (GOLDENS / "snippets.txt").read_text().split("\n"):
        if not line or line.startswith("##"):
            continue
        source = line.replace("⏎", "\n")
        cases.append({"template": source} | rendered(env, source, context))
    record = {"jinja2": jinja2.__version__, "python": sys.version.split()[0], "cases": cases}
    (GOLDENS / "snippets.json").write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    print(f"{len(cases)} snippets")


def record_templates(references):
    env = environment()
    inputs = json.loads((GOLDENS / "conversations.json").read_text())
    files = {}
    for path in sorted((references / "templates").glob("*.jinja")):
        source = path.read_text()
        files[path.name] = {
            conversation["name"]: [
                rendered(env, source, inputs["constants"] | conversation["context"] | variant)
                for variant in inputs["variants"]
            ]
            for conversation in inputs["conversations"]
        }
    record = {"jinja2": jinja2.__version__, "templates": files}
    (references / "templates/expected.json").write_text(json.dumps(record, ensure_ascii=False) + "\n")
    results = [r for f in files.values() for c in f.values() for r in c]
    for kind in ("text", "raised", "error"):
        print(f"{sum(kind in r for r in results)} {kind}", end=", ")
    print(f"{len(files)} templates")


if __name__ == "__main__":
    record_templates(pathlib.Path(sys.argv[1])) if len(sys.argv) > 1 else record_snippets()
