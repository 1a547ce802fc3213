#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares parley-server with llama-server as their clients see them: same file, same threads, same client, one run.

    Benchmarks/serve.py [MODEL.gguf] [--rounds 3] [--threads 2] [--streams 1,4,16] [--long-prompt 4096]
        [--variant NAME] [--heats-only] [--busy N] [--in-process] [--out RESULTS.json]

Without a model: SmolLM2 135M, which scripts/fetch-references puts into the cache. The programs are built before:
`swift build -c release --product parley`, `--product parley-server`, and `scripts/reference/build-llama-cpp --server`.
`parley bench --serve` is the client of both servers, which run in alternating turns, A B A B, each alone. The ratio is the
median of the rounds' ratios, and is above 1 where Parley is better. Goals stand beside the ratios.

How llama-server is compiled and how its threads wait decides about its speed: each build and way of waiting has a heat with
1 and 4 replies, and the best is compared with; --variant names one instead. --busy 1 measures everything beside one busy
process for each core. --in-process also measures the same replies without a server, and what is left of their speed with
one. Other programs distort the figures: before each turn it waits at most --patience seconds for them to be quiet.
Needs only Python's standard library.
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile

import needs
from busy import busy_processes
from models import SMOLLM, references
from peers import Peer, Server, free_port, wait_for_quiet

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The longest prompt and reply of a slot, with what a template adds.
SLOT = 5_120
LABELS = [
    ("streams 1", "1 reply", "tokens/s", 2.2), ("streams 4", "4 replies at a time", "tokens/s", 3.0),
    ("streams 16", "16 replies at a time", "tokens/s", 3.5), ("first_token_seconds", "first token of 512", "s", 5.0),
    ("short_beside_long_p99_seconds", "first token of 32 beside a long prompt, p99", "s", 4.0),
    ("gap_beside_long_p99_seconds", "gap in 8 replies then, p99", "s", 2.0),
    ("crowd_first_token_p50_seconds", "first token of 16 with 1024 in common, p50", "s", 10.0),
]  # fmt: skip
HEAT = ["--streams", "1,4", "--reply-tokens", "64", "--repetitions", "1", "--prompt-tokens", "0", "--long-prompt", "0",
        "--common-prompt", "0"]  # fmt: skip
# Of the speed in this process, what a server must leave.
SERVED_GOAL = 0.95


def figures(report: dict) -> dict[str, float]:
    values = {f"streams {one['streams']}": one["median"] for one in report["tokens_per_second"]}
    for name, _, unit, _ in LABELS:
        if unit == "s" and name in report:
            values[name] = report[name]["median"]
    return values


class Measuring:
    """The measurements of a run: each starts a server, and asks it as its options say."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.programs = pathlib.Path(options.parley)
        for name in ("parley", "parley-server"):
            needs.program(str(self.programs / name))
        self.model = str(pathlib.Path(options.model).resolve())
        self.slots = max([int(one) for one in options.streams.split(",")] + [10])
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="parley-serve-"))
        self.environment = dict(os.environ, PARLEY_HOME=str(self.directory))
        self.plan = [
            "--streams", options.streams, "--long-prompt", str(options.long_prompt), "--repetitions",
            str(options.repetitions), "--reply-tokens", str(options.reply_tokens), "--common-prompt",
            str(options.common_prompt),
        ]  # fmt: skip

    def parley(self) -> dict[str, float]:
        port = free_port()
        command = [
            self.programs / "parley-server", self.model, "--port", port, "--threads", self.options.threads,
            "--parallel", self.slots, "--context", SLOT, "--quiet",
        ]  # fmt: skip
        return self._served(command, port, self.environment, self.plan, "parley")

    def peer(self, peer: Peer, plan: list[str] | None = None) -> dict[str, float]:
        port = free_port()
        threads = self.options.threads
        command = [
            peer.program, "-m", self.model, "--host", "127.0.0.1", "--port", port, "-t", threads, "-tb", threads, "-np",
            self.slots, "-c", SLOT * self.slots, "--jinja", *peer.options, *shlex.split(self.options.llama_options),
        ]  # fmt: skip
        return self._served(command, port, dict(os.environ, **peer.environment), plan or self.plan, peer.name)

    def in_process(self) -> dict[str, float]:
        """The same replies, asked for in the process that makes them."""
        return self._bench([self.model, "--replies", "--threads", self.options.threads, *self.plan], "in process")

    def _served(self, command: list, port: int, environment: dict[str, str], plan: list[str], name: str):
        with Server([str(word) for word in command], port, self.directory, environment):
            return self._bench(["--serve", f"http://127.0.0.1:{port}", *plan], name)

    def _bench(self, arguments: list, name: str) -> dict[str, float]:
        with contextlib.ExitStack() as stack:
            share = wait_for_quiet(self.options.patience, self.options.disturbance)
            high = " (TOO MUCH)" if share > self.options.disturbance else ""
            print(f"{name}: other programs take {100 * share:.0f} %{high}", file=sys.stderr, flush=True)
            if self.options.busy:
                stack.enter_context(busy_processes(self.options.busy * (os.cpu_count() or 1)))
            words = [str(word) for word in [self.programs / "parley", "bench", *arguments, "--json"]]
            report = subprocess.run(words, stdout=subprocess.PIPE, check=True, env=self.environment)
        values = figures(json.loads(report.stdout))
        print("    " + ", ".join(f"{key} {value:.4g}" for key, value in values.items()), file=sys.stderr, flush=True)
        return values


def fastest(measuring: Measuring, peers: list[Peer]) -> Peer:
    """The peer with the best heat: the product of its speeds."""
    if len(peers) == 1:
        return peers[0]
    heats = {peer: math.prod(measuring.peer(peer, HEAT).values()) for peer in peers}
    return max(heats, key=heats.get)


def table(runs: list[dict[str, dict[str, float]]], peer: str, in_process: bool) -> tuple[list[str], dict]:
    """The table as lines, and its rows as values."""
    def median(name: str, key: str) -> float:
        return statistics.median(run[name][key] for run in runs)

    more = " in process | left of it |" if in_process else ""
    lines = [f"| | parley | llama-server ({peer}) | ratio | goal |{more}", "|---|--:|--:|--:|--:|" + "--:|--:|" * in_process]
    rows = {}
    for key, label, unit, goal in LABELS:
        names = ["parley", "llama.cpp"]
        if any(key not in run[name] for run in runs for name in names):
            continue
        speed = unit == "tokens/s"
        ratio = statistics.median((run["parley"][key] / run["llama.cpp"][key]) ** (1 if speed else -1) for run in runs)
        row = {"parley": median("parley", key), "llama.cpp": median("llama.cpp", key), "ratio": ratio, "goal": goal}
        shown = "{:,.1f} {}" if speed else "{:.4f} {}"
        cells = [label, shown.format(row["parley"], unit), shown.format(row["llama.cpp"], unit), f"{ratio:.2f}", str(goal)]
        if in_process:
            row["in process"] = median("in process", key)
            left = statistics.median((run["parley"][key] / run["in process"][key]) ** (1 if speed else -1) for run in runs)
            row["left"] = left
            cells += [shown.format(row["in process"], unit), f"{left:.2f}" + (f" (goal {SERVED_GOAL})" if speed else "")]
        rows[key] = row
        lines.append("| " + " | ".join(cells) + " |")
    return lines, rows


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default=str(references() / "models" / SMOLLM))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=3, help="in each turn")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--streams", default="1,4,16")
    parser.add_argument("--long-prompt", type=int, default=4_096)
    parser.add_argument("--common-prompt", type=int, default=1_024, help="0 skips the many with much in common")
    parser.add_argument("--reply-tokens", type=int, default=128)
    parser.add_argument("--parley", default=str(ROOT / ".build" / "release"), help="the folder of both programs")
    parser.add_argument("--llama-cpp", default=str(references() / "llama.cpp"), help="the folder with its builds")
    parser.add_argument("--llama-server", type=needs.program, help="one program, in place of those builds")
    parser.add_argument("--llama-options", default="", help="further options of llama-server")
    parser.add_argument("--variant", help="the build and way of waiting of llama-server, as a heat names it")
    parser.add_argument("--heats-only", action="store_true", help="only find the best build of llama-server")
    parser.add_argument("--busy", type=int, default=0, help="busy processes for each core meanwhile")
    parser.add_argument("--in-process", action="store_true", help="also measure the same replies without a server")
    parser.add_argument("--patience", type=float, default=120, help="seconds to wait for a quiet machine, each turn")
    parser.add_argument("--disturbance", type=float, default=0.04, help="share of the processors others may take")
    parser.add_argument("--out", help="write the figures to this file")
    return parser.parse_args()


def main() -> None:
    # So that a run which is ended also ends its servers and busy processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options = arguments()
    measuring = Measuring(options)
    program = pathlib.Path(options.llama_server) if options.llama_server else None
    peers = Peer.of(program) if program else Peer.builds(pathlib.Path(options.llama_cpp))
    if options.variant:
        named = [peer for peer in peers if peer.name == options.variant]
        peers = named or sys.exit(f"no variant {options.variant}; there are: {', '.join(peer.name for peer in peers)}")
    best = fastest(measuring, peers)
    print(f"best llama-server: {best.name}", file=sys.stderr, flush=True)
    if options.heats_only:
        return

    turns = {"parley": measuring.parley, "llama.cpp": lambda: measuring.peer(best)}
    if options.in_process:
        turns["in process"] = measuring.in_process
    runs = []
    for number in range(options.rounds):
        names = list(turns) if number % 2 == 0 else list(reversed(turns))
        runs.append({name: turns[name]() for name in names})

    lines, rows = table(runs, best.name, options.in_process)
    beside = f" beside {options.busy} busy processes a core" if options.busy else ""
    print(f"{pathlib.Path(options.model).name}, {options.threads} threads{beside}, {options.rounds} rounds, medians\n")
    print("\n".join(lines))
    if options.out:
        facts = {"llama-server": best.name, "busy": options.busy, "medians": rows, "rounds": runs}
        pathlib.Path(options.out).write_text(json.dumps(facts, indent=2) + "\n")


if __name__ == "__main__":
    main()
