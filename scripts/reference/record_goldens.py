#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records llama.cpp's logits of the tiny models, and its greedy continuations, for Tests/ParleyEngineTests/Goldens.

    record_goldens.py [--tiny DIRECTORY] [--greedy NAME=MODEL.gguf]…

tiny-models.json holds, for one run of ids: for each F32 file rows of logits at `positions` (float32, little-endian,
base64), and for each quantised file the mean of KL(exact ‖ llama.cpp) over all rows, where the exact model is the
file's twin in F32 with an F32 cache, and that twin's last row. Each file has its SHA-256, so that a test
can check that it has the recorded file. greedy-NAME.json holds for each prompt its ids and, for each step, the
likeliest id, its log-probability, the runner-up and its log-probability.
"""

import argparse
import base64
import hashlib
import json
import tempfile
from pathlib import Path

import gguf
import numpy as np
import tiny_models
from compare import compare, rows
from peer import HERE, ROOT, Peer, references

GOLDENS = ROOT / "Tests" / "ParleyEngineTests" / "Goldens"
REFERENCE = "llama.cpp in llama-cpp-python 0.3.36"
COUNT = 500
POSITIONS = (0, 9, 255, COUNT - 1)
STEPS = 128


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def encode(row: np.ndarray) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode()


def record_tiny(peer: Peer, directory: Path) -> dict:
    tiny_models.make(directory)
    with tempfile.TemporaryDirectory() as folder:
        ids_path, exact, own = (Path(folder) / name for name in ("ids", "exact", "own"))
        ids = peer.tokenize(directory / "llama-F32.gguf", HERE / "corpus" / "english.txt", ids_path)[:COUNT]
        ids_path.write_text("\n".join(map(str, ids)) + "\n")
        models = []
        for file, (name, kind, is_exact) in tiny_models.files().items():
            if is_exact:
                continue
            quantised = kind.name != "F32"
            twin = directory / file.replace(".gguf", "-exact.gguf") if quantised else directory / file
            peer.logits(twin, ids_path, exact, exact=True)
            logits = rows(str(exact), tiny_models.VOCABULARY)
            entry = {"name": name, "kind": kind.name, "file": file, "sha256": sha256(directory / file)}
            if quantised:
                peer.logits(directory / file, ids_path, own)
                rows_apart = compare(str(exact), str(own), tiny_models.VOCABULARY).divergence
                entry |= {
                    "exact": twin.name, "exactSHA256": sha256(twin),
                    "positions": [COUNT - 1], "divergence": float(f"{rows_apart.mean():.6g}"),
                }
                if tiny_models.MODELS[name].measures_median:
                    entry["medianDivergence"] = float(f"{np.median(rows_apart):.6g}")
            else:
                entry["positions"] = list(POSITIONS)
            entry["rows"] = [encode(logits[position]) for position in entry["positions"]]
            models.append(entry)
    return {
        "reference": REFERENCE, "gguf": gguf.__version__ if hasattr(gguf, "__version__") else tiny_models.GGUF_VERSION,
        "columns": tiny_models.VOCABULARY, "ids": ids, "models": models,
    }


def record_greedy(peer: Peer, model: Path) -> dict:
    prompts = [line for line in (HERE / "prompts.txt").read_text().splitlines() if line]
    recorded = []
    with tempfile.TemporaryDirectory() as folder:
        text, ids_path = Path(folder) / "text", Path(folder) / "ids"
        for prompt in prompts:
            text.write_bytes(prompt.encode())
            ids = peer.tokenize(model, text, ids_path)
            steps = peer.greedy(model, ids_path, STEPS)
            rounded = [[best, round(p, 4), second, round(q, 4)] for best, p, second, q in steps]
            recorded.append({"prompt": prompt, "ids": ids, "steps": rounded})
    return {"reference": REFERENCE, "sha256": sha256(model), "prompts": recorded}


def write(name: str, value: dict) -> None:
    GOLDENS.mkdir(parents=True, exist_ok=True)
    lines = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = lines.replace('},{"', '},\n{"') + "\n"
    (GOLDENS / name).write_text(lines, encoding="utf-8")
    print(f"{name}: {len(lines)} characters")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiny", type=Path, default=references() / "tiny")
    parser.add_argument("--greedy", action="append", default=[], metavar="NAME=MODEL")
    arguments = parser.parse_args()
    peer = Peer()
    write("tiny-models.json", record_tiny(peer, arguments.tiny))
    for pair in arguments.greedy:
        name, model = pair.split("=", 1)
        write(f"greedy-{name}.json", record_greedy(peer, Path(model)))


if __name__ == "__main__":
    main()
