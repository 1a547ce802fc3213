# SPDX-License-Identifier: Apache-2.0
"""Python access to the peer: llama.cpp's library through peer.cpp, and its quantiser."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def references() -> Path:
    """The cache of downloaded and generated references, which is not under version control."""
    return Path(os.environ.get("PARLEY_REFERENCES") or ROOT / ".build" / "references")


class Peer:
    """A native build of llama.cpp; `source` has its headers, `build/bin` its libraries and programs."""

    def __init__(self, source: Path | None = None, build: Path | None = None) -> None:
        default = references() / "llama.cpp"
        self.source = Path(source or os.environ.get("LLAMA_CPP_SOURCE") or default)
        self.bin = Path(build or os.environ.get("LLAMA_CPP_BUILD") or self.source / "build") / "bin"
        if not (self.bin / "libllama.so").exists():
            sys.exit(f"no libllama.so in {self.bin}: run scripts/reference/build-llama-cpp first")
        self.program = references() / "peer"
        self._compile()

    def _compile(self) -> None:
        text = HERE / "peer.cpp"
        if self.program.exists() and self.program.stat().st_mtime > text.stat().st_mtime:
            return
        self.program.parent.mkdir(parents=True, exist_ok=True)
        headers = [f"-I{self.source / folder / 'include'}" for folder in (".", "ggml")]
        libraries = [f"-L{self.bin}", "-lllama", "-lggml", "-lggml-base", f"-Wl,-rpath,{self.bin}"]
        compiler = os.environ.get("CXX", "c++")
        command = [compiler, "-O2", "-std=c++17", *headers, str(text), *libraries, "-o", str(self.program)]
        subprocess.run(command, check=True)

    def tokenize(self, model: Path, text: Path, ids: Path) -> list[int]:
        output = subprocess.run(
            [self.program, "tokenize", model, text], check=True, capture_output=True, text=True
        ).stdout
        ids.write_text(output)
        return [int(word) for word in output.split()]

    def logits(self, model: Path, ids: Path, out: Path, *, exact: bool = False, threads: int = 2) -> None:
        """Rows of logits; `exact` keeps the cache in F32 and computes attention step by step."""
        options = ["--cache", "f32", "--flash", "off"] if exact else []
        subprocess.run(
            [self.program, "logits", model, ids, out, "--threads", str(threads), *options], check=True
        )

    def greedy(self, model: Path, ids: Path, count: int) -> list[tuple[int, float, int, float]]:
        """For each step: the likeliest id and its log-probability, then the runner-up's."""
        output = subprocess.run(
            [self.program, "greedy", model, ids, str(count)], check=True, capture_output=True, text=True
        ).stdout
        steps = (line.split() for line in output.splitlines())
        return [(int(a), float(p), int(b), float(q)) for a, p, b, q in steps]

    def quantize(self, source: Path, target: Path, kind: str, *options: str) -> None:
        """Writes `source` as `kind` (`F32` turns a quantised file into the exact model)."""
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.bin)}
        command = [self.bin / "llama-quantize", "--allow-requantize", *options, source, target, kind]
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"llama-quantize {source} {kind} failed:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
