# SPDX-License-Identifier: Apache-2.0
"""Writes a folder in the form of Hugging Face with a tiny random network of the family llama, and the tokenizer of another
folder. It exports in a minute, where a real model takes a quarter of an hour.

    VENV/bin/python scripts/reference/litert/tiny_folder.py FOLDER OUT

Needs numpy and safetensors.
"""
import json
import shutil
import sys
from pathlib import Path

import numpy
from safetensors.numpy import save_file

source, output = Path(sys.argv[1]), Path(sys.argv[2])
WIDTH, LAYERS, HEADS, KEYS, HEAD, INNER = 64, 2, 4, 2, 16, 128
config = json.loads((source / "config.json").read_text())
config |= {
    "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KEYS,
    "head_dim": HEAD, "intermediate_size": INNER, "tie_word_embeddings": True}
random = numpy.random.default_rng(1)


def matrix(rows: int, columns: int) -> numpy.ndarray:
    return random.uniform(-1, 1, (rows, columns)).astype(numpy.float32) * (3 / columns) ** 0.5


tensors = {
    "model.embed_tokens.weight": matrix(config["vocab_size"], WIDTH),
    "model.norm.weight": numpy.ones(WIDTH, numpy.float32)}
for layer in range(LAYERS):
    prefix = f"model.layers.{layer}."
    for name in ("input_layernorm", "post_attention_layernorm"):
        tensors[f"{prefix}{name}.weight"] = numpy.ones(WIDTH, numpy.float32)
    for name, rows, columns in (
            ("self_attn.q_proj", HEADS * HEAD, WIDTH), ("self_attn.k_proj", KEYS * HEAD, WIDTH),
            ("self_attn.v_proj", KEYS * HEAD, WIDTH), ("self_attn.o_proj", WIDTH, HEADS * HEAD),
            ("mlp.gate_proj", INNER, WIDTH), ("mlp.up_proj", INNER, WIDTH), ("mlp.down_proj", WIDTH, INNER)):
        tensors[f"{prefix}{name}.weight"] = matrix(rows, columns)
output.mkdir(parents=True, exist_ok=True)
save_file(tensors, output / "model.safetensors", metadata={"format": "pt"})
(output / "config.json").write_text(json.dumps(config, indent=2))
for file in source.iterdir():
    if file.suffix in (".json", ".jinja") and file.name != "config.json":
        shutil.copy(file, output)
