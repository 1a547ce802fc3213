# SPDX-License-Identifier: Apache-2.0
"""Quantises small matrices with the libraries that folders come from, and records what these take them for.

    python3 -m venv VENV && VENV/bin/pip install 'mlx[cpu]' torch transformers compressed-tensors safetensors numpy
    VENV/bin/pip download --no-deps -d WHEELS auto-gptq==0.7.1 autoawq==0.2.9, and unpack both into WHEELS
    VENV/bin/python scripts/reference/huggingface/record_quantised.py WHEELS \
        Tests/ParleyModelFileTests/Goldens/quantised.json

References: mlx 0.32.4 (mx.quantize, mx.dequantize), auto-gptq 0.7.1 (QuantLinear.pack, and its forward over the unit
matrix), autoawq 0.2.9 (WQLinear_GEMM's order of columns, dequantize_gemm), transformers 5.23.0 (Fp8Dequantize),
compressed-tensors 0.20.0 (dequantize). Scales are made floats of 32 bits before, so that the references do not round.
"""
import base64
import importlib.util
import json
import sys
from pathlib import Path

import mlx.core as mx
import numpy
import torch
from compressed_tensors.quantization import QuantizationArgs
from compressed_tensors.quantization.lifecycle.forward import dequantize
from safetensors.torch import save
from transformers.integrations.finegrained_fp8 import Fp8Dequantize

MODULE = "model.layers.0.mlp.down_proj"


def module(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def random(rows: int, columns: int) -> torch.Tensor:
    draw = numpy.random.default_rng(rows * 1000 + columns)
    return torch.from_numpy((draw.standard_normal((rows, columns)) * 0.05).astype(numpy.float32))


def case(name: str, config: dict, tensors: dict[str, torch.Tensor], numbers: torch.Tensor) -> dict:
    stored = save({f"{MODULE}.{part}": tensor.contiguous() for part, tensor in tensors.items()})
    values = numbers.to(torch.float32).contiguous().numpy()
    return {
        "name": name, "config": config, "rows": values.shape[0], "columns": values.shape[1],
        "tensors": base64.b64encode(stored).decode(), "numbers": base64.b64encode(values.tobytes()).decode()}


def mlx(bits: int, group: int, kind: str) -> dict:
    weights = mx.array(random(8, 128).numpy()).astype(getattr(mx, kind))
    levels, scales, biases = mx.quantize(weights, group_size=group, bits=bits)
    wide = [part.astype(mx.float32) for part in (scales, biases)]
    numbers = torch.from_numpy(numpy.array(mx.dequantize(levels, *wide, group_size=group, bits=bits)))
    halves = [torch.from_numpy(numpy.array(part)).to(getattr(torch, kind)) for part in wide]
    tensors = {
        "weight": torch.from_numpy(numpy.array(levels)).view(torch.uint32), "scales": halves[0], "biases": halves[1]}
    groups = {"group_size": group, "bits": bits, "mode": "affine"}
    return case(f"mlx-{bits}-{group}-{kind}", {"quantization": groups, "quantization_config": groups}, tensors, numbers)


def gptq(wheels: Path, bits: int, group: int, symmetric: bool, scattered: bool) -> dict:
    rows, columns = 32, 64
    # Levels beyond the range would be packed into their neighbours, so that the weights are kept within it.
    weights = random(rows, columns)
    order = torch.arange(columns) // group
    if scattered:
        order = order[torch.from_numpy(numpy.random.default_rng(3).permutation(columns))]
    most = 2 ** bits - 1
    scales, zeros = [], []
    for number in range(columns // group):
        part = weights[:, order == number]
        low, high = part.min(1).values.clamp(max=0), part.max(1).values.clamp(min=0)
        if symmetric:
            high = torch.maximum(-low, high)
            low = -high
        scale = ((high - low) / most).to(torch.float16).to(torch.float32)
        scales.append(scale)
        zero = torch.full_like(scale, (most + 1) / 2) if symmetric else torch.round(-low / scale).clamp(1, most)
        zeros.append(zero)
        reach = ((-zero * scale)[:, None], ((most - zero) * scale)[:, None])
        weights[:, order == number] = torch.minimum(torch.maximum(part, reach[0]), reach[1])
    source = wheels / "auto_gptq/nn_modules/qlinear" / ("qlinear_cuda.py" if scattered else "qlinear_cuda_old.py")
    layer = module(source).QuantLinear(bits, group, columns, rows, bias=False)
    linear = torch.nn.Linear(columns, rows, bias=False)
    linear.weight.data = weights
    layer.pack(linear, torch.stack(scales, 1), torch.stack(zeros, 1), order.to(torch.int32))
    layer.scales = layer.scales.to(torch.float32)
    if scattered:
        layer.g_idx = order.to(torch.int32)
    numbers = layer(torch.eye(columns)).T
    assert (numbers - weights).abs().max() < 0.02, (numbers - weights).abs().max()
    tensors = {
        "qweight": layer.qweight, "qzeros": layer.qzeros, "scales": layer.scales.to(torch.float16),
        "g_idx": order.to(torch.int32)}
    config = {"quant_method": "gptq", "bits": bits, "group_size": group, "desc_act": scattered, "sym": symmetric}
    name = f"gptq-{bits}-{group}" + ("-symmetric" if symmetric else "") + ("-scattered" if scattered else "")
    return case(name, {"quantization_config": config}, tensors, numbers)


def awq(wheels: Path) -> dict:
    rows, columns, group = 32, 64, 32
    draw = torch.Generator().manual_seed(5)
    levels = torch.randint(0, 16, (columns, rows), generator=draw, dtype=torch.int32)
    zeros = torch.randint(0, 16, (columns // group, rows), generator=draw, dtype=torch.int32)
    scales = (torch.rand(columns // group, rows, generator=draw) * 0.02 + 0.001).to(torch.float16)

    def packed(values: torch.Tensor) -> torch.Tensor:  # as WQLinear_GEMM.from_linear does
        made = torch.zeros((values.shape[0], rows // 8), dtype=torch.int32)
        for column in range(rows // 8):
            for place, part in enumerate([0, 2, 4, 6, 1, 3, 5, 7]):
                made[:, column] |= values[:, column * 8 + part] << (place * 4)
        return made

    qweight, qzeros = packed(levels), packed(zeros)
    packing = module(next(wheels.glob("**/awq/utils/packing_utils.py")))
    numbers = packing.dequantize_gemm(qweight, qzeros, scales.to(torch.float32), 4, group).T
    config = {"quant_method": "awq", "bits": 4, "group_size": group, "version": "gemm", "zero_point": True}
    return case("awq", {"quantization_config": config}, {"qweight": qweight, "qzeros": qzeros, "scales": scales}, numbers)


def fp8_blocks() -> dict:
    rows, columns, block = 32, 64, (16, 32)
    weights = random(rows, columns).view(2, 16, 2, 32)
    scales = weights.abs().amax((1, 3), keepdim=True) / 448
    floats = (weights / scales).to(torch.float8_e4m3fn).view(rows, columns)
    scales = scales.view(2, 2)
    numbers = Fp8Dequantize(None)._dequantize_one(floats, scales, torch.float32)
    config = {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": list(block)}
    return case("fp8-blocks", {"quantization_config": config}, {"weight": floats, "weight_scale_inv": scales}, numbers)


def fp8_rows() -> dict:
    weights = random(32, 64)
    scales = (weights.abs().amax(1, keepdim=True) / 448).to(torch.bfloat16)
    floats = (weights / scales.to(torch.float32)).to(torch.float8_e4m3fn)
    settings = {"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True}
    zeros = torch.zeros_like(scales, dtype=torch.float32)
    numbers = dequantize(floats, scales.to(torch.float32), zeros, QuantizationArgs(**settings), dtype=torch.float32)
    config = {
        "quant_method": "compressed-tensors", "format": "float-quantized",
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": settings}}}
    return case("fp8-rows", {"quantization_config": config}, {"weight": floats, "weight_scale": scales}, numbers)


def main() -> None:
    wheels, output = Path(sys.argv[1]), Path(sys.argv[2])
    cases = [
        mlx(bits, group, kind) for bits, group, kind in (
            (4, 32, "float16"), (4, 64, "bfloat16"), (4, 128, "float32"), (8, 64, "bfloat16"), (8, 32, "float16"),
            (2, 64, "float16"), (3, 64, "float16"), (5, 32, "float16"), (6, 64, "float16"))]
    cases += [
        gptq(wheels, 4, 32, True, False), gptq(wheels, 4, 32, False, False), gptq(wheels, 4, 32, False, True),
        gptq(wheels, 8, 32, True, False), awq(wheels), fp8_blocks(), fp8_rows()]
    output.write_text(json.dumps({"cases": cases}, separators=(",", ":")) + "\n")
    print(len(cases), "cases,", output.stat().st_size, "bytes")


main()
