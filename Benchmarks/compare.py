#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Parley's speed with llama.cpp's and with the machine's limits: same files, same threads, one run.

    Benchmarks/compare.py [MODEL.gguf…] [--isa avx512|avx2] [--rounds 5] [--threads 2] [--out RESULTS.json]

Without models: SmolLM2 135M (Q4_1, and made from it Q4_0, Q8_0 and F16) and Gemma 3 270M (Q4_K_M), which
scripts/fetch-references puts into the cache. Parley is built in release, llama.cpp by scripts/reference/build-llama-cpp:
for this processor, or with --isa avx2, which also makes Parley use its AVX2 kernels, for AVX2, FMA and F16C. It is built
in several variants. For each file and figure, the variant that is best in two preliminary runs is used, and is named.

The two programs run in alternating turns, A B A B. The ratio is the median of the rounds' ratios: for tokens/s, above 1
is better; for seconds and memory, below 1. Other programs distort such figures, so the share of the processors that they
used is printed. With --patience SECONDS, turns in which it was above --disturbance are repeated, for at most this time
in total. Needs only Python's standard library. Linux and macOS.
"""

import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

from limits import Limits, Weights
from models import default_models
from programs import LlamaCpp, Parley, Setting
from turns import MEASURES, Turns

ROOT = Path(__file__).resolve().parent.parent


def labels(setting: Setting) -> dict[str, tuple[str, str]]:
    """What the figures are called, and their units."""
    return {
        "prefill": (f"prefill, {setting.prompt_tokens} tokens", "tokens/s"),
        "decode": (f"decode, {setting.reply_tokens} tokens", "tokens/s"),
        "deep": (f"decode, {setting.reply_tokens} tokens after {setting.depth}", "tokens/s"),
        "batch": ("decode, 8 sequences together", "tokens/s"),
        "cold": ("first token from process start", "s"),
        "memory": ("peak memory", "MB"),
    }


def number(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{value:,.3f}" if unit == "s" else f"{value:,.0f}"


def limit_of(name: str, weights: Weights, limits: Limits) -> float | None:
    """The most tokens a second that the machine allows; None where nothing so simple holds."""
    reading = limits.read / weights.decode_bytes
    computing = limits.products(weights.is_float) / weights.prefill_products
    return {
        "prefill": computing,
        "decode": reading,
        "batch": min(8 * reading, limits.products(weights.is_float) / weights.decode_products),
    }.get(name)


def table(model: Path, turns: Turns, limits: Limits, setting: Setting) -> str:
    weights = Weights.of(model)
    lines = [
        f"### {model.name}\n",
        "| | Parley | llama.cpp | its build | limit | ratio | least–most | of the limit | others took |",
        "|---|--:|--:|---|--:|--:|--:|--:|--:|",
    ]
    for name, (label, unit) in labels(setting).items():
        if name not in turns.ours:
            continue
        ours, theirs, ratio = turns.median(name)
        limit = limit_of(name, weights, limits)
        share = f"{100 * ours / limit:.0f} %" if limit else "–"
        low, high = min(turns.ratios(name)), max(turns.ratios(name))
        lines.append(
            f"| {label}, {unit} | {number(ours, unit)} | {number(theirs, unit)} | {turns.peers[name]} | {number(limit, unit)} "
            f"| **{ratio:.2f}** | {low:.2f}–{high:.2f} | {share} | {100 * turns.disturbance(name):.0f} % |"
        )
    return "\n".join(lines) + "\n"


def summary(models: dict[str, Turns], setting: Setting) -> str:
    """The ratios of all models in one table."""
    known = {name: label for name, (label, _) in labels(setting).items()}
    names = [name for name in known if any(name in turns.ours for turns in models.values())]
    lines = ["| ours / theirs, ratio | " + " | ".join(known[name] for name in names) + " |", "|---" * (len(names) + 1) + "|"]
    for model, turns in models.items():
        cells = []
        for name in names:
            ours, theirs, ratio = turns.median(name)
            unit = labels(setting)[name][1]
            cells.append(f"{number(ours, unit)} / {number(theirs, unit)}, **{ratio:.2f}**")
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def built_parley() -> Path:
    command = ["swift", "build", "-c", "release", "--product", "parley"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    where = subprocess.run([*command, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return Path(where.stdout.strip()) / "parley"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--isa", help="instruction set of both; without it each uses the best it has")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prompt-tokens", type=int, default=512, help="the tokens of a prefill")
    parser.add_argument("--reply-tokens", type=int, default=128, help="the tokens of a decode")
    parser.add_argument("--depth", type=int, default=4096, help="the tokens before a decode of those that are deep")
    parser.add_argument("--only", help=f"some of {','.join(MEASURES)}, with commas between them")
    parser.add_argument("--parley", type=Path, help="a program that is built already")
    parser.add_argument(
        "--peer", type=Path, action="append", help="a directory with llama.cpp's programs, built already; several may be given"
    )
    parser.add_argument("--patience", type=float, default=0, help="seconds to wait for a quiet machine, in all")
    parser.add_argument("--disturbance", type=float, default=0.04, help="share of the processors others may take")
    parser.add_argument("--out", type=Path, help="also write every single figure, as JSON")
    options = parser.parse_args()
    options.measures = options.only.split(",") if options.only else list(MEASURES)
    if unknown := set(options.measures) - set(MEASURES):
        parser.error(f"--only knows {', '.join(MEASURES)}, not {', '.join(unknown)}")
    if min(options.rounds, options.threads, options.prompt_tokens, options.reply_tokens, options.depth) < 1:
        parser.error("--rounds, --threads, --prompt-tokens, --reply-tokens and --depth must be 1 or more")
    return options


def main() -> None:
    options = arguments()
    setting = Setting(options.threads, options.isa, options.prompt_tokens, options.reply_tokens, options.depth)
    parley = Parley(options.parley or built_parley(), setting)
    peers = [LlamaCpp(folder, setting, folder.parent.name) for folder in options.peer or []] or LlamaCpp.builds(setting)
    limits = Limits(options.threads, options.isa)
    played: dict[str, Turns] = {}
    tables = []
    for model in options.models or default_models(peers[0]):
        turns = Turns(patience=options.patience, disturbance=options.disturbance)
        options.patience = turns.play(parley, peers, model, options.measures, options.rounds)
        limits.measure()
        tables.append(table(model, turns, limits, setting))
        played[model.name] = turns
    print(
        f"{processor()}, {options.threads} threads, {parley.instruction_set}; median of {options.rounds} rounds; "
        f"limits: {limits.int8 / 1e9:,.0f} GMAC/s (int8), {limits.floats / 1e9:,.0f} GMAC/s (float), "
        f"{limits.read / 1e9:.1f} GB/s; “others took”: the share of the processors that went to other programs\n"
    )
    print("\n".join(tables))
    if len(played) > 1:
        print(summary(played, setting))
    if options.out:
        results = {name: turns.json() for name, turns in played.items()}
        facts = {"threads": options.threads, "isa": parley.instruction_set, "limits": limits.json(), "models": results}
        options.out.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
