# SPDX-License-Identifier: Apache-2.0
"""The models that are compared by default."""

import os
import subprocess
import sys
from pathlib import Path

from programs import ROOT, LlamaCpp

SMOLLM = "smollm2-135m-q4_1.gguf"
GEMMA = "gemma3-270m-q4_k_m.gguf"
VARIANTS = ["Q4_0", "Q8_0", "F16"]


def references() -> Path:
    return Path(os.environ.get("PARLEY_REFERENCES") or ROOT / ".build" / "references")


def default_models(peer: LlamaCpp) -> list[Path]:
    """SmolLM2 in four types and Gemma 3; missing files are downloaded, or made with llama.cpp's quantiser."""
    folder = references() / "models"
    if not all((folder / name).exists() for name in (SMOLLM, GEMMA)):
        fetch = [ROOT / "scripts" / "fetch-references", "--without-llama-cpp"]
        subprocess.run(fetch, check=True, stdout=sys.stderr)
    variants = []
    for kind in VARIANTS:
        path = references() / "benchmarks" / f"smollm2-135m-{kind.lower()}.gguf"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            peer.quantize(folder / SMOLLM, path, kind)
        variants.append(path)
    return [folder / SMOLLM, *variants, folder / GEMMA]
