#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes Tests/ParleyTensorTests/MatmulGoldens.swift: random blocks of every type, and their values according to
llama.cpp's Python package. Run with:  pip install gguf==0.19.0 numpy && scripts/record-block-goldens.py
"""

import importlib.metadata
import pathlib

import numpy
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

# The offsets of a block's half-precision scales, because random bits there could be infinite.
SCALES = {
    "F16": [0], "BF16": [], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82],
    "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0],
    "MXFP4": [], "IQ2_XXS": [0], "IQ2_XS": [0], "IQ2_S": [0], "IQ3_XXS": [0], "IQ3_S": [0], "IQ1_S": [0], "IQ1_M": [],
    "TQ1_0": [52], "TQ2_0": [64],
}  # fmt: skip


def fnv1a(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


random = numpy.random.default_rng(1)
lines = []
for name, positions in SCALES.items():
    type = GGMLQuantizationType[name]
    columns, size = GGML_QUANT_SIZES[type]
    blocks = max(1, 64 // columns)
    data = random.integers(0, 256, (blocks, size), dtype=numpy.uint8)
    for position in positions:
        halves = (random.standard_normal(blocks) * 0.05).astype(numpy.float16)
        data[:, position : position + 2] = halves.view(numpy.uint8).reshape(blocks, 2)
    if name == "MXFP4":
        data[:, 0] = 120 + data[:, 0] % 8
    if name == "IQ1_M":
        # The scale's four quarters are the highest bits of four 16-bit numbers.
        data[:, [49, 51, 53, 55]] = data[:, [49, 51, 53, 55]] & 15 | numpy.array([0x00, 0xC0, 0x90, 0x20], numpy.uint8)
    if name == "BF16":
        data[:, 1] = data[:, 1] & 0x80 | 0x3C
    # Adding zero turns -0 into 0, because the sign of zero is not compared.
    values = dequantize(data.reshape(1, -1), type).reshape(-1).astype(numpy.float32) + numpy.float32(0)
    first = ", ".join(repr(float(v)) for v in values[:3])
    text = data.tobytes().hex()
    chunks = [text[i : i + 96] for i in range(0, len(text), 96)]
    literal = ("\n" + " " * 16 + "+ ").join(f'"{c}"' for c in chunks)
    lines.append(
        f"        MatmulGolden(\n            type: PARLEY_{name}, columns: {columns * blocks},\n"
        f"            block: {literal},\n"
        f"            first: [{first}], hash: 0x{fnv1a(values.astype('<f4').tobytes()):016x}),\n"
    )

root = pathlib.Path(__file__).resolve().parent.parent
(root / "Tests/ParleyTensorTests/MatmulGoldens.swift").write_text(
    "// SPDX-License-Identifier: Apache-2.0\n//\n"
    f"// Recorded by scripts/record-block-goldens.py with gguf {importlib.metadata.version('gguf')}: do not edit.\n\n"
    "import CParleyKernels\n\n"
    "/// Random blocks of a row, and the numbers they stand for according to llama.cpp.\n"
    "struct MatmulGolden: Sendable {\n"
    "    let type: parley_type\n    let columns: Int\n"
    "    /// In hexadecimal.\n    let block: String\n"
    "    let first: [Float]\n"
    "    /// FNV-1a of all values as little-endian f32.\n    let hash: UInt64\n\n"
    "    static let all: [MatmulGolden] = [\n" + "".join(lines) + "    ]\n}\n"
)
