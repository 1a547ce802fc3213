# SPDX-License-Identifier: Apache-2.0
"""Exports a folder in the form of Hugging Face as a file of LiteRT-LM.

    python3 -m venv VENV && VENV/bin/pip install torch litert-torch litert-lm-builder
    VENV/bin/python scripts/reference/litert/export_folder.py FOLDER OUT.litertlm [--context 2048]

Made with litert-torch 0.10.0 and litert-lm-builder 0.18.1; torch alone takes some GB.
"""
import argparse
import importlib.machinery
import shutil
import sys
import tempfile
import types
from pathlib import Path

from ai_edge_litert import schema_py_generated

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--context", type=int, default=2048)
options = parser.parse_args()

# The exporter asks TensorFlow for the description of its files alone, which lies in the runtime's package too.
path = ""
for name in ("tensorflow", "lite", "python", "schema_py_generated"):
    parent, path = path, f"{path}.{name}".strip(".")
    module = schema_py_generated if name == "schema_py_generated" else types.ModuleType(path)
    if name != "schema_py_generated":
        module.__spec__ = importlib.machinery.ModuleSpec(path, None)
    sys.modules[path] = module
    if parent:
        setattr(sys.modules[parent], name, module)

from litert_torch.generative.export_hf import export  # noqa: E402

# The library hands templates the contents of a message as a list of parts, also where they expect a text.
TEXT = "message.content[0].text"

with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as copy:
    folder = Path(copy) / options.folder.name
    shutil.copytree(options.folder, folder)
    template = folder / "chat_template.jinja"
    if template.exists():
        template.write_text(template.read_text().replace("message['content']", TEXT))
    export.export(str(folder), work, cache_length=options.context)
    made = sorted(Path(work).rglob("*.litertlm"))
    if len(made) != 1:
        sys.exit(f"The exporter wrote {[file.name for file in made]}.")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made[0], options.output)
