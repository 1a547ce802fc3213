# SPDX-License-Identifier: Apache-2.0
"""Records what transformers (5.23.0) takes experts in MXFP4 for, as gpt-oss's folders have them.

    python3 -m venv VENV && VENV/bin/pip install torch transformers numpy
    VENV/bin/python scripts/reference/huggingface/record_mxfp4.py Tests/ParleyModelFileTests/Goldens/mxfp4.json
"""
import base64
import json
import sys
from pathlib import Path

import numpy
import torch
from transformers.integrations.mxfp4 import convert_moe_packed_tensors

EXPERTS, WIDTH = 4, 32


def case(name: str, rows: int) -> dict:
    draw = numpy.random.default_rng(rows)
    blocks = draw.integers(0, 256, (EXPERTS, rows, WIDTH // 32, 16), dtype=numpy.uint8)
    scales = draw.integers(119, 129, blocks.shape[:3], dtype=numpy.uint8)
    # Inputs × outputs, as the network has them.
    numbers = convert_moe_packed_tensors(torch.from_numpy(blocks), torch.from_numpy(scales), dtype=torch.float32)
    values = numbers.transpose(1, 2).contiguous().numpy().astype("<f4")
    return {
        "name": name, "rows": rows, "blocks": base64.b64encode(blocks.tobytes()).decode(),
        "scales": base64.b64encode(scales.tobytes()).decode(), "numbers": base64.b64encode(values.tobytes()).decode()}


cases = [case("gate_up_proj", 2 * WIDTH), case("down_proj", WIDTH)]
Path(sys.argv[1]).write_text(json.dumps(cases, separators=(",", ":")) + "\n")
