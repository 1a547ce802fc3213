# SPDX-License-Identifier: Apache-2.0
"""Random tensors, the same bits on every machine, in F32 or in any block format.

A quantised tensor needs no quantiser: blocks of random bits are as valid as any, once their scale is chosen so that
the weights they represent are centred and have the desired spread. Every quant, sub-scale and minimum then occurs.
"""

import numpy as np
from gguf import GGMLQuantizationType as Kind
from gguf import quants

# For each format: bytes in a block, weights in a block, where the scale d stands, where the second number stands and
# what multiple of d centres the weights, and the weights' standard deviation when d = 1.
FORMATS = {
    Kind.Q4_0: (18, 32, 0, None, 0, 4.65),
    Kind.Q4_1: (20, 32, 0, 2, -7.5, 4.68),
    Kind.Q5_0: (22, 32, 0, None, 0, 9.34),
    Kind.Q5_1: (24, 32, 0, 2, -15.5, 9.33),
    Kind.Q8_0: (34, 32, 0, None, 0, 74.3),
    Kind.Q2_K: (84, 256, 80, 82, 1.5, 13.8),
    Kind.Q3_K: (110, 256, 108, None, 0, 43.3),
    Kind.Q4_K: (144, 256, 0, 2, 7.5, 257.0),
    Kind.Q5_K: (176, 256, 0, 2, 15.5, 534.0),
    Kind.Q6_K: (210, 256, 208, None, 0, 1375.0),
    Kind.IQ4_NL: (18, 32, 0, None, 0, 69.3),
    Kind.IQ4_XS: (136, 256, 0, None, 0, 1280.0),
    Kind.MXFP4: (17, 32, 0, None, 0, 5.85),
    Kind.IQ2_XXS: (66, 256, 0, None, 0, 51.0),
    Kind.IQ2_XS: (74, 256, 0, None, 0, 61.0),
    Kind.IQ2_S: (82, 256, 0, None, 0, 60.6),
    Kind.IQ3_XXS: (98, 256, 0, None, 0, 142.0),
    Kind.IQ3_S: (110, 256, 0, None, 0, 135.0),
    Kind.IQ1_S: (50, 256, 0, None, 0, 7.2),
}


class Random:
    """SplitMix64 (Steele, Lea, Flood 2014), many numbers at a time."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def words(self, count: int) -> np.ndarray:
        step = np.uint64(0x9E3779B97F4A7C15)
        z = np.uint64(self.state) + step * np.arange(1, count + 1, dtype=np.uint64)
        self.state = int(z[-1])
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    def bytes(self, count: int) -> np.ndarray:
        return self.words((count + 7) // 8).astype("<u8").view(np.uint8)[:count].copy()

    def near_normal(self, count: int) -> np.ndarray:
        """Mean 0, variance 1: four 16-bit numbers added up, so that only whole numbers are summed."""
        parts = self.words(count).astype("<u8").view("<u2").reshape(count, 4).astype(np.int64)
        return (parts.sum(axis=1) - 2 * 65535) / (65536 / np.sqrt(3.0))


def random_tensor(random: Random, kind: Kind, shape: tuple[int, ...], spread: float, mean: float = 0) -> np.ndarray:
    """A tensor as GGUFWriter takes it: numbers for F32 and F16, rows of bytes for the other kinds."""
    if kind not in FORMATS:
        values = (random.near_normal(int(np.prod(shape))) * spread + mean).astype(np.float32).reshape(shape)
        return values if kind == Kind.F32 else quants.quantize(values, kind)
    size, weights, scale_at, second_at, multiple, deviation = FORMATS[kind]
    rows, row_bytes = shape[0], shape[1] // weights * size
    blocks = random.bytes(rows * row_bytes).reshape(-1, size)
    if kind == Kind.Q8_0:
        blocks[:, 2:][blocks[:, 2:] == 0x80] = 0  # -128: quantisers write -127…127 only
    if kind == Kind.MXFP4:
        # Scales are powers of two, in one byte: the last one below the wanted scale, or the next.
        exponent = int(np.frexp(spread / deviation)[1])
        blocks[:, 0] = 127 + exponent + (random.bytes(len(blocks)) & 1)
        return blocks.reshape(rows, row_bytes)
    variety = 0.75 + random.bytes(len(blocks)) / 512.0
    if second_at is None:
        variety *= np.where(random.bytes(len(blocks)) & 1, 1, -1)  # formats without a minimum are centred by the sign
    scale = (spread / deviation * variety).astype("<f2")
    blocks[:, scale_at : scale_at + 2] = scale.view(np.uint8).reshape(-1, 2)
    if second_at is not None:
        second = (scale.astype(np.float64) * multiple).astype("<f2")
        blocks[:, second_at : second_at + 2] = second.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(rows, row_bytes)
