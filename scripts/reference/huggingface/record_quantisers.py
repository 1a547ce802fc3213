# SPDX-License-Identifier: Apache-2.0
"""Quantises 64 numbers with PyPI's gguf (0.19.0), whose results are those of ggml to the bit, and prints the bytes.

    python3 -m venv VENV && VENV/bin/pip install gguf numpy
    VENV/bin/python scripts/reference/huggingface/record_quantisers.py
"""
import gguf
import numpy

# Dyadic numbers, so that both sides have the same ones without a file.
numbers = numpy.array([((i * 37 + 11) % 128 - 64) / 32 + (i % 5) / 1024 for i in range(64)], dtype=numpy.float32)
numbers[32:] *= numpy.float32(1e-3)
for name in ("F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"):
    made = gguf.quantize(numbers, gguf.GGMLQuantizationType[name])
    print(name, made.tobytes().hex())
