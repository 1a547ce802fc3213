# SPDX-License-Identifier: Apache-2.0
"""Quantises 1,024 numbers with ggml's own library and no importance matrix, and records the bytes.

    python3 -m venv VENV && VENV/bin/pip install numpy
    VENV/bin/python scripts/reference/huggingface/record_k_quantisers.py LIBGGML-BASE.so \
        Tests/ParleyModelFileTests/Goldens/k-quantisers.json

The library is that of llama.cpp as scripts/reference/build-llama-cpp makes it (ggml 0.25.3).
"""
import ctypes
import json
import sys
from pathlib import Path

import numpy


def numbers() -> numpy.ndarray:
    """Numbers that Swift makes as well: products and sums of floats of 32 bits."""
    made, state = numpy.zeros(1024, dtype=numpy.float32), 1
    for index in range(1024):
        state = (state * 1664525 + 1013904223) % 2 ** 32
        number = numpy.float32((state >> 8) / 2 ** 23 - 1)
        made[index] = number * number * number
    made[256:512] *= numpy.float32(1e-3)
    made[512:768] = numpy.abs(made[512:768]) + numpy.float32(0.5)
    made[768:992] = 0
    return made


def main() -> None:
    library = ctypes.CDLL(sys.argv[1])
    quantise = library.ggml_quantize_chunk
    quantise.restype = ctypes.c_size_t
    quantise.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_int64] * 3 + [ctypes.c_void_p]
    source = numbers()
    golden = {}
    for name, kind, size in (("Q4_K", 12, 144), ("Q5_K", 13, 176), ("Q6_K", 14, 210)):
        made = numpy.zeros(size * 4, dtype=numpy.uint8)
        assert quantise(kind, source.ctypes.data, made.ctypes.data, 0, 4, 256, None) == size * 4
        golden[name] = made.tobytes().hex()
    Path(sys.argv[2]).write_text(json.dumps(golden, indent=1) + "\n")


main()
