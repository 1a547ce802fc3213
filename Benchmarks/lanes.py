#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes what more cores, or cores of different speeds, would make of a reply: a model on paper, not a measurement.

    Benchmarks/lanes.py [--core-time MS MS] [--barrier NS] [--bandwidth GB/S] [--products GMAC/S] [--most 16]

A step is a sequence of operations. Each is divided among the lanes in granules of 16 rows (heads for attention), ends when
the slowest lane has done its part, and then all lanes wait for each other. What every lane does for itself (norms,
activations, rounding) is not divided. No operation is faster than reading its weights at the bandwidth of all cores.

--core-time is the time of a token on one thread for each of the two shapes, which `parley bench --threads 1` measures;
--products is the pace of a core's products in a prompt. --barrier is what a wait of two lanes costs; more lanes are taken to
cost that much again for each doubling. Attention is left out. Needs only Python's standard library.
"""

import argparse
import math
from dataclasses import dataclass

GRANULE = 16


@dataclass
class Shape:
    name: str
    layers: int
    width: int
    heads: int
    key_heads: int
    head: int
    inner: int
    vocabulary: int
    bytes_per_weight: float
    core_ms: float

    def operations(self) -> list[tuple[int, int]]:
        """Rows and columns of each product of a token; what stands in one wait is one operation."""
        queries, keys = self.heads * self.head, self.key_heads * self.head
        layer = [(queries + 2 * keys, self.width), (self.width, queries), (2 * self.inner, self.width), (self.width, self.inner)]
        return layer * self.layers + [(self.vocabulary, self.width)]


SHAPES = [
    Shape("SmolLM2 135M, Q4_1", 30, 576, 9, 3, 64, 1536, 49152, 0.63, 3.6),
    Shape("Llama 3.2 1B, Q4_K_M", 16, 2048, 32, 8, 64, 8192, 128256, 0.60, 33.0),
]
UNDIVIDED = 0.03  # the part of a token's time that each lane does for itself


def step(shape: Shape, speeds: list[float], proportional: bool, options: argparse.Namespace, tokens: int = 1) -> float:
    """The time of a step in seconds, with cores of these speeds (1: the one measured)."""
    barrier, bandwidth = options.barrier * 1e-9, options.bandwidth * 1e9
    macs = sum(rows * columns for rows, columns in shape.operations())
    # Multiply-adds a second of a core of speed 1.
    pace = macs / (shape.core_ms / 1e3 * (1 - UNDIVIDED)) if tokens == 1 else options.products * 1e9 / tokens
    parts = [s / sum(speeds) for s in speeds] if proportional else [1 / len(speeds)] * len(speeds)
    bounds = [sum(parts[:i]) for i in range(len(parts) + 1)]
    waits = 0 if len(speeds) == 1 else barrier * math.log2(len(speeds))
    time = shape.core_ms / 1e3 * UNDIVIDED / min(speeds) if tokens == 1 else 0
    for rows, columns in shape.operations():
        granules = math.ceil(rows / GRANULE)
        ends = [round(granules * bound) for bound in bounds]
        slowest = max((b - a) * GRANULE * columns / (pace * s) for a, b, s in zip(ends, ends[1:], speeds))
        time += max(slowest, rows * columns * shape.bytes_per_weight / bandwidth) + waits
    # Attention and its norms wait as well, and hardly compute at the beginning of a reply.
    return (time + 2 * shape.layers * waits) / tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core-time", type=float, nargs=2, help="of the two shapes, milliseconds a token on one thread")
    parser.add_argument("--barrier", type=float, default=400, help="one wait of two lanes, nanoseconds")
    parser.add_argument("--bandwidth", type=float, default=70, help="of all cores together, GB/s")
    parser.add_argument("--products", type=float, default=230, help="of one core in a prompt, GMAC/s")
    parser.add_argument("--most", type=int, default=16)
    options = parser.parse_args()
    for shape, time in zip(SHAPES, options.core_time or []):
        shape.core_ms = time
    phases = [("decode", 1), ("prefill of 512", 512)]
    counts = [1 << i for i in range(options.most.bit_length())]
    print("| tokens/s with cores | " + " | ".join(str(n) for n in counts) + " |\n|---|" + "--:|" * len(counts))
    for shape in SHAPES:
        for phase, tokens in phases:
            speeds = [1 / step(shape, [1.0] * n, False, options, tokens) for n in counts]
            print(f"| {shape.name}, {phase} | " + " | ".join(f"{speed:,.0f}" for speed in speeds) + " |")
    print("\n| tokens/s | 4 fast cores | and 4 of 0.6 times their speed, equal shares | shares by speed |\n|---|--:|--:|--:|")
    mixed = [1.0] * 4 + [0.6] * 4
    for shape in SHAPES:
        for phase, tokens in phases:
            times = [step(shape, [1.0] * 4, False, options, tokens)]
            times += [step(shape, mixed, proportional, options, tokens) for proportional in (False, True)]
            print(f"| {shape.name}, {phase} | " + " | ".join(f"{1 / time:,.0f}" for time in times) + " |")


if __name__ == "__main__":
    main()
