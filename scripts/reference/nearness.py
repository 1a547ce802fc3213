#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nearness to the exact model: KL divergence of llama.cpp's and Parley's logits over the texts in corpus/.

    nearness.py MODEL.gguf [--parley PROGRAM] [--llama-cpp SOURCE] [--build BUILD] [--cache DIRECTORY]

The exact model is the same file converted to F32 and run by llama.cpp with an F32 cache. Each text of the corpus has at
most 1,000 tokens and is scored separately. llama.cpp's results are kept in the cache; Parley's logits are computed each
time and deleted afterwards (--keep keeps them). Exits with 1 if Parley's ids differ from llama.cpp's, or
if its mean divergence is above 1.05 times llama.cpp's own.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from compare import Nearness, compare, print_table
from peer import HERE, Peer, references

LIMIT = 1.05


def parley_ids(program: str, model: Path, text: Path, out: Path) -> list[int]:
    command = [program, "score", str(model), "--file", str(text), "--json", "--logits", str(out)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["tokens"]


def columns_of(path: Path, ids: list[int]) -> int:
    return path.stat().st_size // 4 // len(ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--parley", help="the built program; without it only llama.cpp is measured")
    parser.add_argument("--llama-cpp", type=Path)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--cache", type=Path, default=references() / "nearness")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    model, cache = arguments.model, arguments.cache
    peer = Peer(arguments.llama_cpp, arguments.build)
    folder = cache / model.stem
    folder.mkdir(parents=True, exist_ok=True)

    totals: dict[str, Nearness] = {}
    for text in sorted((HERE / "corpus").glob("*.txt")):
        ids_path, exact, own, ours = (folder / f"{text.stem}.{end}" for end in ("ids", "exact.f32", "llama.f32", "parley.f32"))
        ids = peer.tokenize(model, text, ids_path)
        if not exact.exists():
            exact_model = cache / f"{model.stem}-f32.gguf"
            if not exact_model.exists():
                peer.quantize(model, exact_model, "F32")
            peer.logits(exact_model, ids_path, exact, exact=True)
        if not own.exists():
            peer.logits(model, ids_path, own)
        columns = columns_of(exact, ids)
        results = {"llama.cpp": compare(str(exact), str(own), columns, ids)}
        if arguments.parley:
            if parley_ids(arguments.parley, model, text, ours) != ids:
                sys.exit(f"{text.name}: Parley's ids differ from llama.cpp's")
            results["parley"] = compare(str(exact), str(ours), columns, ids)
            results["parley - llama.cpp"] = compare(str(own), str(ours), columns, ids)
            if not arguments.keep:
                ours.unlink()
        results["exact"] = compare(str(exact), str(exact), columns, ids)
        print(f"\n{text.name}: {len(ids)} tokens")
        print_table(results)
        for name, result in results.items():
            totals[name] = totals[name] + result if name in totals else result

    print(f"\n{model.name}, all texts")
    print_table(totals)
    if arguments.parley:
        ratio = totals["parley"].divergence.mean() / totals["llama.cpp"].divergence.mean()
        verdict = "within" if ratio <= LIMIT else "ABOVE"
        print(f"\nmean divergence: Parley / llama.cpp = {ratio:.4f}, {verdict} {LIMIT}")
        sys.exit(0 if ratio <= LIMIT else 1)


if __name__ == "__main__":
    main()
