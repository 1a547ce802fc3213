# SPDX-License-Identifier: Apache-2.0
"""The machine's limits, measured by limits.c, and the work for a model file."""

import dataclasses
import json
import os
import struct
import subprocess
import tempfile
from pathlib import Path

import needs

HERE = Path(__file__).resolve().parent
FLOAT_TYPES = {0, 1, 30}  # F32, F16, BF16
SIMPLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9


class Limits:
    """The best of the measurements so far; a shared machine reaches its limits only in quiet moments."""

    def __init__(self, threads: int, isa: str | None) -> None:
        self.int8 = self.floats = self.read = 0.0
        self._folder = tempfile.TemporaryDirectory()
        limits = Path(self._folder.name) / "limits"
        compiler = needs.program(os.environ.get("CC", "cc"), "Install a C compiler, or name one in $CC.")
        subprocess.run([compiler, "-O2", "-pthread", HERE / "limits.c", "-o", limits], check=True)
        self._command = [limits, str(threads), *([isa] if isa else [])]
        self.measure()

    def measure(self) -> None:
        found = json.loads(subprocess.run(self._command, check=True, capture_output=True, text=True).stdout)
        self.int8 = max(self.int8, found["int8_gmacs"] * 1e9)
        self.floats = max(self.floats, found["float_gmacs"] * 1e9)
        self.read = max(self.read, found["read_gbs"] * 1e9)

    def products(self, is_float: bool) -> float:
        return self.floats if is_float else self.int8

    def json(self) -> dict[str, float]:
        return {"int8_gmacs": self.int8 / 1e9, "float_gmacs": self.floats / 1e9, "read_gbs": self.read / 1e9}


@dataclasses.dataclass
class Weights:
    """The work in a token: multiplications by weights, and bytes of weights to read. Attention is left out.

    Of a layer's experts, only those count that compute a token: in prefill for the products, in decode also for the bytes.
    """

    prefill_products: int  # the head runs for the last token alone
    decode_products: int
    decode_bytes: int
    is_float: bool

    @staticmethod
    def of(path: Path) -> "Weights":
        metadata, tensors = read_header(path)
        head = "output.weight" if "output.weight" in tensors else "token_embd.weight"
        family = metadata["general.architecture"]
        count, used = metadata.get(f"{family}.expert_count", 1), metadata.get(f"{family}.expert_used_count", 1)

        def share(name: str, whole: int) -> int:
            return whole * used // count if "_exps." in name else whole

        layers = [
            (shape, share(name, products), share(name, size), kind)
            for name, (shape, products, size, kind) in tensors.items()
            if name.startswith("blk.") and len(shape) > 1
        ]
        products = sum(count for _, count, _, _ in layers)
        sizes = sum(size for _, _, size, _ in layers)
        floats = sum(size for _, _, size, kind in layers if kind in FLOAT_TYPES)
        _, head_products, head_size, _ = tensors[head]
        return Weights(products, products + head_products, sizes + head_size, 2 * floats > sizes)


def read_header(path: Path) -> tuple[dict[str, object], dict[str, tuple[tuple[int, ...], int, int, int]]]:
    """The metadata of a GGUF file, and by their names the shape, number of weights, bytes and type of its tensors.

    See https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. The number of bytes is derived from the offset of the next tensor.
    """
    with path.open("rb") as file:

        def take(form: str) -> int:
            return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))[0]

        def string() -> str:
            return file.read(take("Q")).decode("utf-8", "replace")

        def value(kind: int) -> object:
            if kind == STRING:
                return string()
            if kind == ARRAY:
                kind, count = take("I"), take("Q")
                return [value(kind) for _ in range(count)]
            return take(SIMPLE[kind])

        if file.read(4) != b"GGUF" or take("I") not in (2, 3):
            raise SystemExit(f"{path} is no GGUF file of version 2 or 3")
        tensor_count, pair_count = take("Q"), take("Q")
        metadata = {string(): value(take("I")) for _ in range(pair_count)}
        found = []
        for _ in range(tensor_count):
            name, rank = string(), take("I")
            found.append((name, tuple(take("Q") for _ in range(rank)), take("I"), take("Q")))
        alignment = metadata.get("general.alignment", 32)
        start = -(-file.tell() // alignment) * alignment
    ends = sorted(offset for *_, offset in found)[1:] + [path.stat().st_size - start]
    sizes = dict(zip(sorted(offset for *_, offset in found), ends))
    tensors = {}
    for name, shape, kind, offset in found:
        count = 1
        for length in shape:
            count *= length
        tensors[name] = (shape, count, sizes[offset] - offset, kind)
    return metadata, tensors
