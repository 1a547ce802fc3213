# SPDX-License-Identifier: Apache-2.0
"""Writes small safetensors files with PyPI's safetensors (0.6.2 or later), and prints them for the tests in Swift.

    python3 -m venv VENV && VENV/bin/pip install safetensors numpy ml_dtypes
    VENV/bin/python scripts/reference/huggingface/record_safetensors.py
"""
import base64

import ml_dtypes
import numpy
import safetensors
from safetensors.numpy import save

tensors = {
    "matrix": numpy.arange(6, dtype=numpy.float32).reshape(2, 3),
    "halves": numpy.array([1, -2, 0.5, 65504], dtype=numpy.float16),
    "brains": numpy.array([[1, -3], [1e30, 0.0078125]], dtype=ml_dtypes.bfloat16),
    "bytes": numpy.array([1, 255, 0], dtype=numpy.uint8),
    "scalar": numpy.array(7, dtype=numpy.int64),
    "nothing": numpy.zeros((0, 4), dtype=numpy.float32),
}
print("safetensors", safetensors.__version__)
print(base64.b64encode(save(tensors, metadata={"format": "pt"})).decode())
