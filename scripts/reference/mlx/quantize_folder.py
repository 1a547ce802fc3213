# SPDX-License-Identifier: Apache-2.0
"""Quantises the matrices of a folder in the form of Hugging Face in groups, as MLX writes them.

    python3 -m venv VENV && VENV/bin/pip install mlx mlx-cpu
    VENV/bin/python scripts/reference/mlx/quantize_folder.py FOLDER OUT [--bits 4] [--group-size 64]
"""
import argparse
import json
import shutil
from pathlib import Path

import mlx.core as mx

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("output", type=Path)
parser.add_argument("--bits", type=int, default=4)
parser.add_argument("--group-size", type=int, default=64)
options = parser.parse_args()
groups = {"group_size": options.group_size, "bits": options.bits}

tensors = {}
for name, values in mx.load(str(options.folder / "model.safetensors")).items():
    tensors[name] = values
    if values.ndim == 2:
        path = name.removesuffix(".weight")
        tensors[name], tensors[path + ".scales"], tensors[path + ".biases"] = mx.quantize(values, **groups)
options.output.mkdir(parents=True, exist_ok=True)
mx.save_safetensors(str(options.output / "model.safetensors"), tensors, metadata={"format": "mlx"})
config = json.loads((options.folder / "config.json").read_text())
config["quantization"] = config["quantization_config"] = groups
(options.output / "config.json").write_text(json.dumps(config, indent=2))
for file in options.folder.iterdir():
    if file.suffix in (".json", ".jinja") and file.name != "config.json":
        shutil.copy(file, options.output)
