#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares parley-server with llama-server as their clients see them: same file, same threads, same client, one run.

    Benchmarks/serve.py [MODEL.gguf] [--rounds 3] [--threads 2] [--streams 1,4,16] [--long-prompt 4096]
        [--llama-server PATH] [--llama-options='--poll 0'] [--out RESULTS.json]

Without a model: SmolLM2 135M, which scripts/fetch-references puts into the cache. Both programs are built before:
`swift build -c release --product parley`, `--product parley-server`, and llama-server for this processor (cmake, target
llama-server). `parley bench --serve` is the client of both. The servers run in alternating turns, A B A B, each alone.
The ratio is the median of the rounds' ratios, and is above 1 where Parley is better. Goals stand beside the ratios.

Other programs distort the figures: the load of the machine is printed before each turn, and above 0.5 a turn waits for at
most --patience seconds. Needs only Python's standard library.
"""
import argparse, json, os, pathlib, shlex, signal, socket, statistics, subprocess, sys, tempfile, time, urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = ROOT / ".build" / "references"
# The longest prompt and reply of a slot, with what a template adds.
SLOT = 5_120
LABELS = [
    ("streams 1", "1 reply", "tokens/s", 2.2), ("streams 4", "4 replies at a time", "tokens/s", 3.0),
    ("streams 16", "16 replies at a time", "tokens/s", 3.5), ("first_token_seconds", "first token of 512", "s", 5.0),
    ("short_beside_long_p99_seconds", "first token of 32 beside a long prompt, p99", "s", 4.0),
    ("gap_beside_long_p99_seconds", "gap in 8 replies then, p99", "s", 2.0),
    ("crowd_first_token_p50_seconds", "first token of 16 with 1024 in common, p50", "s", 10.0),
]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """A server for the time of a turn."""

    def __init__(self, command, port, directory):
        self.port = port
        self.log = open(directory / f"{pathlib.Path(command[0]).name}.log", "ab")
        environment = dict(os.environ, PARLEY_HOME=str(directory))
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)

    def __enter__(self):
        for _ in range(600):
            if self.process.poll() is not None:
                sys.exit(f"{self.process.args[0]} has ended; see {self.log.name}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2) as answer:
                    if answer.status == 200:
                        return self
            except OSError:
                pass
            time.sleep(0.2)
        sys.exit(f"{self.process.args[0]} does not become ready; see {self.log.name}")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def figures(report):
    values = {f"streams {one['streams']}": one["median"] for one in report["tokens_per_second"]}
    for name, _, unit, _ in LABELS:
        if unit == "s" and name in report:
            values[name] = report[name]["median"]
    return values


def quiet(patience):
    """Waits for the machine to be idle; the load of a minute is slow to fall."""
    end = time.monotonic() + patience
    while os.getloadavg()[0] > 0.5 and time.monotonic() < end:
        time.sleep(5)
    return os.getloadavg()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default=str(CACHE / "models" / "smollm2-135m-q4_1.gguf"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=3, help="in each turn")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--streams", default="1,4,16")
    parser.add_argument("--long-prompt", type=int, default=4_096)
    parser.add_argument("--reply-tokens", type=int, default=128)
    parser.add_argument("--parley", default=str(ROOT / ".build" / "release"), help="the folder of both programs")
    parser.add_argument("--llama-server", default=str(CACHE / "llama.cpp" / "build" / "bin" / "llama-server"))
    parser.add_argument("--patience", type=float, default=120)
    parser.add_argument("--out", help="write the figures to this file")
    parser.add_argument("--llama-options", default="", help="further options of llama-server")
    options = parser.parse_args()
    programs = pathlib.Path(options.parley)
    slots = max([int(one) for one in options.streams.split(",")] + [10])
    directory = pathlib.Path(tempfile.mkdtemp(prefix="parley-serve-"))
    model = str(pathlib.Path(options.model).resolve())

    def command(name, port):
        if name == "parley":
            return [str(programs / "parley-server"), model, "--port", str(port), "--threads", str(options.threads),
                    "--parallel", str(slots), "--context", str(SLOT), "--quiet"]
        return [options.llama_server, "-m", model, "--host", "127.0.0.1", "--port", str(port), "-t",
                str(options.threads), "-tb", str(options.threads), "-np", str(slots), "-c", str(SLOT * slots),
                "--jinja", *shlex.split(options.llama_options)]

    runs = []
    for turn in range(options.rounds):
        values = {}
        for name in ["parley", "llama.cpp"] if turn % 2 == 0 else ["llama.cpp", "parley"]:
            load = quiet(options.patience)
            print(f"round {turn + 1}, {name}; load {load:.2f}" + (" (TOO HIGH)" if load > 1.5 else ""), file=sys.stderr)
            port = free_port()
            with Server(command(name, port), port, directory):
                report = subprocess.run(
                    [str(programs / "parley"), "bench", "--serve", f"http://127.0.0.1:{port}", "--streams",
                     options.streams, "--long-prompt", str(options.long_prompt), "--repetitions",
                     str(options.repetitions), "--reply-tokens", str(options.reply_tokens), "--json"],
                    stdout=subprocess.PIPE, check=True, env=dict(os.environ, PARLEY_HOME=str(directory)))
            values[name] = figures(json.loads(report.stdout))
        runs.append(values)

    def median(name, key):
        return statistics.median(run[name][key] for run in runs)

    print(f"{pathlib.Path(model).name}, {options.threads} threads, {options.rounds} rounds, medians\n")
    print("| | parley | llama-server | ratio | goal |\n|---|---|---|---|---|")
    rows = {}
    for key, label, unit, goal in LABELS:
        if any(key not in run[name] for run in runs for name in run):
            continue
        ours, theirs = median("parley", key), median("llama.cpp", key)
        ratio = statistics.median(
            (run["parley"][key] / run["llama.cpp"][key]) ** (1 if unit == "tokens/s" else -1) for run in runs)
        rows[key] = {"parley": ours, "llama.cpp": theirs, "ratio": ratio, "goal": goal}
        digits = 1 if unit == "tokens/s" else 4
        print(f"| {label} | {ours:.{digits}f} {unit} | {theirs:.{digits}f} {unit} | {ratio:.2f} | {goal} |")
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps({"medians": rows, "rounds": runs}, indent=2) + "\n")


if __name__ == "__main__":
    main()
