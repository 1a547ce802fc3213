#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes Sources/CParleyKernels/iq_grids.c: the grids of the IQ types, which are part of the format, according to
llama.cpp's Python package. Run with:  pip install gguf==0.19.0 numpy && scripts/record-iq-grids.py
"""

import importlib.metadata
import pathlib

import numpy
from gguf import quants

# The name of each grid, and the bits of an index into the type's values.
GRIDS = {"IQ2_XXS": 2, "IQ2_XS": 2, "IQ2_S": 2, "IQ3_XXS": 3, "IQ3_S": 3, "IQ1_S": 2}

text = (
    "// SPDX-License-Identifier: Apache-2.0\n//\n"
    f"// Recorded by scripts/record-iq-grids.py with gguf {importlib.metadata.version('gguf')}: do not edit.\n\n"
    '#include "iq_grids.h"\n'
)
for name, bits in GRIDS.items():
    kind = getattr(quants, name)
    kind.init_grid()
    values = numpy.array(kind.grid_map)
    rows = kind.grid.reshape(kind.grid_shape)
    indices = numpy.searchsorted(values, rows)
    assert (values[indices] == rows).all()
    entries = (indices << (bits * numpy.arange(rows.shape[1]))).sum(axis=1)
    text += f"\nconst uint16_t parley_{name.lower()}_grid[{len(entries)}] = {{\n"
    for start in range(0, len(entries), 14):
        text += "    " + " ".join(f"0x{entry:04x}," for entry in entries[start : start + 14]) + "\n"
    text += "};\n"
root = pathlib.Path(__file__).resolve().parent.parent
(root / "Sources/CParleyKernels/iq_grids.c").write_text(text)
