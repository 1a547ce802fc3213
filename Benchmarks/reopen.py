#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a reopened chat takes to its first token, with and without its cache on disk.

    Benchmarks/reopen.py [MODEL] [--tokens 4096] [--rounds 9] [--parley .build/release/parley]

A chat of about that many tokens is made once. Then, in alternating turns, a new process of `parley assistant` opens it
and is asked a question of which the reply has one token: once with the chat read from its prompt, once with --keep-cache.
The time is that from the question to the reply, as seen from outside; loading the model is not part of it. The files of
the chat and of its cache are put back before each turn.
"""
import argparse, json, os, re, shutil, statistics, subprocess, sys, tempfile, time
from pathlib import Path

import needs

TEXTS = Path(__file__).parent / "texts"


class Assistant:
    """A running assistant, to which lines are written and whose replies are JSON objects."""

    def __init__(self, parley: str, model: str, home: Path, keeps: bool) -> None:
        command = [parley, "assistant", model, "--json", "--verbose", "--offline", "--temperature", "0", "--max-tokens", "1"]
        # What is logged and what commands show; it is little.
        self.shown = ""
        self.process = subprocess.Popen(
            command + (["--keep-cache"] if keeps else []), text=True, bufsize=1, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PARLEY_HOME": str(home)})

    def tell(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ended(self) -> None:
        sys.exit("The assistant ended:\n" + self.shown + self.process.stderr.read())

    def open(self) -> None:
        self.tell("/open 1")
        # The chat ends with an empty line.
        while (line := self.process.stderr.readline()) != "\n":
            self.shown += line or self.ended()

    def ask(self, question: str) -> float:
        """Seconds to the reply."""
        start = time.perf_counter()
        self.tell(question)
        json.loads(self.process.stdout.readline() or self.ended())
        return time.perf_counter() - start

    def leave(self) -> str:
        """What was logged."""
        self.process.stdin.close()
        self.shown += self.process.stderr.read()
        self.process.wait()
        return self.shown


def figure(log: str, name: str) -> int:
    found = re.findall(rf"\b{name}=\"?(\d+)", log)
    return int(found[-1]) if found else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="smollm2-135m")
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--parley", type=needs.program, default=".build/release/parley")
    options = parser.parse_args()
    words = " ".join(path.read_text() for path in sorted(TEXTS.glob("plain-*.txt"))).split()
    with tempfile.TemporaryDirectory() as directory:
        home, copy = Path(directory) / "home", Path(directory) / "copy"
        home.mkdir()
        if (models := Path(os.environ.get("PARLEY_HOME", Path.home() / ".local/share/parley")) / "models").is_dir():
            (home / "models").symlink_to(models)
        # Several messages, so that it is a chat; about 1.35 tokens a word.
        chat = Assistant(options.parley, options.model, home, True)
        # The template and the instructions of the assistant take the rest.
        count = int((options.tokens - 600) / 1.35) // 4
        for part in range(4):
            text = " ".join((words * 80)[part * count:(part + 1) * count])
            chat.ask(f"Note this. {text}")
        chat.leave()
        shutil.copytree(home, copy, symlinks=True)
        times: dict[bool, list[float]] = {False: [], True: []}
        for turn in range(options.rounds + 1):
            for keeps in (False, True):
                shutil.rmtree(home)
                shutil.copytree(copy, home, symlinks=True)
                assistant = Assistant(options.parley, options.model, home, keeps)
                assistant.open()
                seconds = assistant.ask("What was said first?")
                log = assistant.leave()
                prompt, cached = figure(log, "prompt_tokens"), figure(log, "cached_prompt_tokens")
                print(f"{turn}: {'kept' if keeps else 'read'} {seconds:.3f} s, {cached} of {prompt} tokens cached",
                      file=sys.stderr, flush=True)
                if (cached > prompt // 2) != keeps:
                    sys.exit("The cache was not used as it should be:\n" + log)
                if turn > 0:  # the first turn brings the files into memory
                    times[keeps].append(seconds)
    read, kept = statistics.median(times[False]), statistics.median(times[True])
    print(f"{prompt} tokens, medians of {options.rounds}: read {read:.3f} s, kept {kept:.3f} s, ratio {kept / read:.3f}")


if __name__ == "__main__":
    main()
