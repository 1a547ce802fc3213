# SPDX-License-Identifier: Apache-2.0
"""The two programs and the commands for each figure.

Both get the options that a careful user would choose: llama.cpp runs without an empty warm-up before its first token,
and without echo.
"""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

from processes import Outcome, run

ROOT = Path(__file__).resolve().parent.parent
CONTEXT = 4096
PROMPT = "What is the capital of France?"
LONG_PROMPT = ROOT / "scripts" / "reference" / "corpus" / "english.txt"
SEQUENCES = 8


@dataclasses.dataclass
class Setting:
    threads: int
    isa: str | None
    prompt_tokens: int = 512
    reply_tokens: int = 128
    depth: int = 4096


class Parley:
    def __init__(self, program: Path, setting: Setting) -> None:
        self.program = program
        self.setting = setting
        self.options = ["--threads", str(setting.threads), *(["--isa", setting.isa] if setting.isa else [])]
        self.instruction_set = setting.isa or "best instruction set"

    def speed(self, model: Path) -> tuple[dict[str, float], Outcome]:
        found, outcome = self._bench(model, self.setting.prompt_tokens, self.setting.reply_tokens)
        return {
            "prefill": found["prefill_tokens_per_second"], "decode": found["decode_tokens_per_second"]
        }, outcome  # fmt: skip

    def deep(self, model: Path) -> tuple[dict[str, float], Outcome]:
        found, outcome = self._bench(model, 0, self.setting.reply_tokens, "--depth", str(self.setting.depth))
        return {"deep": found["decode_tokens_per_second"]}, outcome

    def batch(self, model: Path) -> tuple[dict[str, float], Outcome]:
        found, outcome = self._bench(model, 0, self.setting.reply_tokens, "--sequences", str(SEQUENCES))
        return {"batch": found["batch"][0]["median"]}, outcome

    def cold(self, model: Path) -> tuple[dict[str, float], Outcome]:
        outcome = run([self.program, "run", model, PROMPT, *self._reply(1)])
        return {"cold": outcome.first_byte}, outcome

    def memory(self, model: Path) -> tuple[dict[str, float], Outcome]:
        outcome = run([self.program, "run", model, *self._reply(32)], stdin=LONG_PROMPT)
        return {"memory": outcome.peak_memory / 1e6}, outcome

    def _reply(self, count: int) -> list[str]:
        fixed = ["--max-tokens", str(count), "--temperature", "0", "--context", str(CONTEXT), "--offline"]
        return [*fixed, *self.options]

    def _bench(self, model: Path, prompt: int, reply: int, *more: str) -> tuple[dict, Outcome]:
        outcome = run(
            [
                self.program, "bench", model, "--prompt-tokens", str(prompt), "--reply-tokens", str(reply),
                "--repetitions", "1", "--no-cold-start", "--offline", "--json", *more, *self.options,
            ]
        )  # fmt: skip
        found = json.loads(outcome.output)
        if found["build"] != "release":
            sys.exit(f"{self.program} is a debug build, whose speed says nothing")
        self.instruction_set = found["instruction_set"]
        return found, outcome


class LlamaCpp:
    """One build of llama.cpp."""

    def __init__(self, folder: Path, setting: Setting, name: str = "llama.cpp") -> None:
        self.folder = folder
        self.name = name
        self.setting = setting
        self.threads = ["-t", str(setting.threads)]
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
        for program in ("llama-bench", "llama-batched-bench", "llama-completion", "llama-quantize"):
            if not (folder / program).exists():
                sys.exit(f"{folder} has no {program}; scripts/reference/build-llama-cpp builds it")

    @staticmethod
    def builds(setting: Setting) -> "list[LlamaCpp]":
        """Every variant that can be built here; building takes minutes if it has not been done yet."""
        script = ROOT / "scripts" / "reference" / "build-llama-cpp"
        kind = "avx2" if setting.isa == "avx2" else "native"
        output = subprocess.run([script, kind], check=True, stdout=subprocess.PIPE, text=True).stdout
        sys.stderr.write(output)
        found = [line.split(" ", 2)[1:] for line in output.splitlines() if line.startswith("built: ")]
        return [LlamaCpp(Path(folder), setting, name) for name, folder in found]

    def speed(self, model: Path) -> tuple[dict[str, float], Outcome]:
        prompt, reply = self.setting.prompt_tokens, self.setting.reply_tokens
        (prefill, decode), outcome = self._bench(model, "-p", str(prompt), "-n", str(reply))
        return {"prefill": prefill, "decode": decode}, outcome

    def deep(self, model: Path) -> tuple[dict[str, float], Outcome]:
        reply, depth = self.setting.reply_tokens, self.setting.depth
        (decode,), outcome = self._bench(model, "-p", "0", "-n", str(reply), "-d", str(depth))
        return {"deep": decode}, outcome

    def batch(self, model: Path) -> tuple[dict[str, float], Outcome]:
        context = str(SEQUENCES * (self.setting.reply_tokens + 1))
        outcome = self._run(
            "llama-batched-bench", model, "-c", context, "-npp", "1", "-ntg", str(self.setting.reply_tokens), "-npl",
            str(SEQUENCES), "--output-format", "jsonl",
        )  # fmt: skip
        lines = [line for line in outcome.output.decode().splitlines() if line.startswith("{")]
        return {"batch": json.loads(lines[-1])["speed_tg"]}, outcome

    def cold(self, model: Path) -> tuple[dict[str, float], Outcome]:
        outcome = self._run("llama-completion", model, "-p", PROMPT, *self._reply(1))
        return {"cold": outcome.first_byte}, outcome

    def memory(self, model: Path) -> tuple[dict[str, float], Outcome]:
        outcome = self._run("llama-completion", model, "-f", str(LONG_PROMPT), *self._reply(32))
        return {"memory": outcome.peak_memory / 1e6}, outcome

    def quantize(self, source: Path, target: Path, kind: str) -> None:
        part = target.with_suffix(".part")
        run([self.folder / "llama-quantize", "--allow-requantize", source, part, kind], environment=self.environment)
        part.rename(target)

    def _reply(self, count: int) -> list[str]:
        quiet = ["--no-display-prompt", "--no-warmup", "--single-turn", "--simple-io"]
        return ["-n", str(count), "-c", str(CONTEXT), "--temp", "0", *quiet]

    def _bench(self, model: Path, *options: str) -> tuple[list[float], Outcome]:
        outcome = self._run("llama-bench", model, *options, "-r", "1", "-o", "json")
        return [test["avg_ts"] for test in json.loads(outcome.output)], outcome

    def _run(self, name: str, model: Path, *options: str) -> Outcome:
        return run([self.folder / name, "-m", model, *self.threads, *options], environment=self.environment)
