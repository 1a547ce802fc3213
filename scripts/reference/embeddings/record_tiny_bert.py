#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what the reference implementation of BERT makes of ParleyTesting's tiny random encoder.

    pip install torch==2.15.0 transformers==5.23.0
    scripts/reference/embeddings/record_tiny_bert.py        writes Tests/ParleyEngineTests/Goldens/tiny-bert.json

The weights are the random numbers of `TinyModel(.bert)`, made here once more, and run by transformers in F32 (double
where torch accumulates so). Recorded are the unit vectors of some texts' tokens, for each way of pooling.
"""

import json
import pathlib

import numpy as np
import torch
import transformers
from transformers import BertConfig, BertModel

VERSION = "5.23.0"
assert transformers.__version__ == VERSION, f"need transformers {VERSION}"
ROOT = pathlib.Path(__file__).resolve().parents[3]
LAYERS, WIDTH, HEADS, FEED_FORWARD, CONTEXT, VOCABULARY = 2, 64, 4, 128, 512, 71
MASK = (1 << 64) - 1


class Random:
    """SplitMix64, as ParleyRuntime has it."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def tensor(self, kind: str, *shape: int) -> torch.Tensor:
        columns = shape[-1]
        reach = np.sqrt(np.float32(3) / np.float32(columns)) if kind == "matrix" else np.float32(0.1)
        centre = np.float32(1 if kind == "norm" else 0)
        numbers = [np.float32(self.next() >> 40) * np.float32(2.0**-23) - np.float32(1) for _ in range(int(np.prod(shape)))]
        return torch.from_numpy((centre + reach * np.array(numbers, np.float32)).astype(np.float32).reshape(shape))


def weights() -> dict[str, torch.Tensor]:
    random = Random(1)
    state = {
        "embeddings.word_embeddings.weight": random.tensor("matrix", VOCABULARY, WIDTH),
        "embeddings.LayerNorm.weight": random.tensor("norm", WIDTH),
        "embeddings.LayerNorm.bias": random.tensor("vector", WIDTH),
        "embeddings.position_embeddings.weight": random.tensor("vector", CONTEXT, WIDTH),
        "embeddings.token_type_embeddings.weight": random.tensor("vector", 2, WIDTH),
    }
    for layer in range(LAYERS):
        def linear(name: str, rows: int, columns: int) -> None:
            state[f"encoder.layer.{layer}.{name}.weight"] = random.tensor("matrix", rows, columns)
            state[f"encoder.layer.{layer}.{name}.bias"] = random.tensor("vector", rows)

        def norm(name: str) -> None:
            state[f"encoder.layer.{layer}.{name}.weight"] = random.tensor("norm", WIDTH)
            state[f"encoder.layer.{layer}.{name}.bias"] = random.tensor("vector", WIDTH)

        for name in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"]:
            linear(name, WIDTH, WIDTH)
        norm("attention.output.LayerNorm")
        linear("intermediate.dense", FEED_FORWARD, WIDTH)
        linear("output.dense", WIDTH, FEED_FORWARD)
        norm("output.LayerNorm")
    return state


config = BertConfig(
    vocab_size=VOCABULARY, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
    intermediate_size=FEED_FORWARD, max_position_embeddings=CONTEXT, type_vocab_size=2, layer_norm_eps=1e-5,
    hidden_act="gelu",
)  # fmt: skip
model = BertModel(config, add_pooling_layer=False).eval()
missing, unexpected = model.load_state_dict(weights(), strict=False)
assert not unexpected and all("position_ids" in name or "token_type_ids" in name for name in missing), (missing, unexpected)
model = model.double()

random = Random(7)
lengths = [1, 2, 3, 15, 16, 17, 40, 100, 255, 256, 300, 512]
texts = [[random.next() % VOCABULARY for _ in range(length)] for length in lengths]
vectors: dict[str, list] = {"mean": [], "first": [], "last": []}
with torch.no_grad():
    for text in texts:
        hidden = model(input_ids=torch.tensor([text])).last_hidden_state[0]
        for name, row in {"mean": hidden.mean(0), "first": hidden[0], "last": hidden[-1]}.items():
            vectors[name].append([round(float(value), 7) for value in row / row.norm()])
path = ROOT / "Tests/ParleyEngineTests/Goldens/tiny-bert.json"
path.write_text(json.dumps({"transformers": VERSION, "texts": texts, "vectors": vectors}, separators=(",", ":")) + "\n")
print(path.stat().st_size)
