#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Parley's speed while other programs keep every core busy.

    Benchmarks/busy.py [MODEL.gguf…] [--rounds 5] [--threads 2] [--program PARLEY]…

A reply should not be slower than its fair share of the cores: with one thread for each core, half of the quiet machine's
speed beside one busy process for each core, a third beside two. The table has tokens/s and, in brackets, their ratio to
the fair share: medians of rounds, each of which measures on the quiet machine, beside as many busy processes as cores,
and beside twice as many. With several programs, such as builds before and after a change, each is run in every round.
Without models: SmolLM2 135M Q4_1 from the cache of scripts/fetch-references. No other programs should run meanwhile; the
processor time that they used on the quiet machine is printed. Needs only Python's standard library. Linux and macOS.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import needs
from compare import processor
from models import SMOLLM, references
from processes import run
from programs import ROOT

PROMPT_TOKENS, REPLY_TOKENS = 512, 48
PHASES = {"prefill": "prefill_tokens_per_second", "decode": "decode_tokens_per_second"}
# A busy process ends by itself, should nobody be left to end it.
SPINNING = "import signal\nsignal.alarm(1800)\nwhile True: pass"


@contextlib.contextmanager
def busy_processes(count: int):
    processes = [subprocess.Popen([sys.executable, "-c", SPINNING]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def speeds(program: str, model: Path, threads: int) -> tuple[dict[str, float], float]:
    """Tokens/s of each phase, and the share of the processors that other programs took."""
    outcome = run(
        [
            program, "bench", model, "--prompt-tokens", PROMPT_TOKENS, "--reply-tokens", REPLY_TOKENS, "--repetitions",
            "1", "--no-cold-start", "--offline", "--json", "--threads", threads,
        ]
    )  # fmt: skip
    found = json.loads(outcome.output)
    return {phase: found[key] for phase, key in PHASES.items()}, outcome.disturbance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--program", type=needs.program, action="append", help="default: the release build")
    options = parser.parse_args()
    programs = options.program or [needs.program(str(ROOT / ".build" / "release" / "parley"))]
    models = options.models or [references() / "models" / SMOLLM]
    cores = os.cpu_count() or 1
    # Each of n busy processes a core leaves a lane 1 / (n + 1) of its core, where lanes are as many as cores.
    crowds = {"quiet": 0, f"beside {cores}": cores, f"beside {2 * cores}": 2 * cores}

    print(f"{processor()}, {cores} cores, {options.threads} threads\n")
    print(f"| program | file | phase | {' | '.join(crowds)} | others took |")
    print("|---|---|---|--:|--:|--:|--:|", flush=True)
    for model in models:
        found: dict[tuple[str, str, str], list[float]] = {}
        taken: dict[str, list[float]] = {}
        for _ in range(options.rounds):
            for crowd, count in crowds.items():
                with busy_processes(count):
                    for program in programs:
                        values, others = speeds(program, model, options.threads)
                        print(f"{program} {model.name} {crowd}: {values}", file=sys.stderr, flush=True)
                        for phase, value in values.items():
                            found.setdefault((program, phase, crowd), []).append(value)
                        if count == 0:
                            taken.setdefault(program, []).append(others)
        for program in programs:
            for phase in PHASES:
                medians = {crowd: statistics.median(found[program, phase, crowd]) for crowd in crowds}
                cells = []
                for crowd, count in crowds.items():
                    share = medians[crowd] / medians["quiet"] * (count / cores + 1)
                    cells.append(f"{medians[crowd]:,.0f}" + (f" ({share:.2f})" if count else ""))
                others = f"{100 * statistics.median(taken[program]):.0f} %"
                print(f"| {program} | {model.name} | {phase} | {' | '.join(cells)} | {others} |", flush=True)


if __name__ == "__main__":
    main()
