#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how near logits are to the exact ones.

    compare.py --columns VOCABULARY_SIZE [--ids IDS_FILE] EXACT NAME=OTHER…

EXACT and OTHER are files of float32 rows, as `parley score --logits` and `peer logits` write them: row i holds the
logits that predict id i+1. Prints, for each OTHER, the Kullback-Leibler divergence KL(exact ‖ other) over rows, the
largest difference of a logit, how often the likeliest id is the same, and with ids the perplexity. Rows are read a few
at a time, so that a vocabulary of 262,144 ids and thousands of rows need little memory.
"""

import argparse
import dataclasses
import sys

import numpy as np

ROWS_AT_ONCE = 16


@dataclasses.dataclass
class Nearness:
    """The measurements of all rows; files of several texts are joined with +."""

    divergence: np.ndarray
    difference: np.ndarray
    same_best: np.ndarray
    log_probability: np.ndarray

    def __add__(self, other: "Nearness") -> "Nearness":
        return Nearness(*(np.concatenate(pair) for pair in zip(dataclasses.astuple(self), dataclasses.astuple(other))))

    def summary(self) -> dict[str, float]:
        kl = self.divergence
        return {
            "rows": len(kl),
            "kl_mean": float(kl.mean()),
            "kl_median": float(np.median(kl)),
            "kl_p99": float(np.quantile(kl, 0.99)),
            "kl_max": float(kl.max()),
            "difference_max": float(self.difference.max()),
            "same_best": float(self.same_best.mean()),
            "perplexity": float(np.exp(-self.log_probability.mean())) if len(self.log_probability) else float("nan"),
        }


def rows(path: str, columns: int) -> np.ndarray:
    logits = np.memmap(path, dtype="<f4", mode="r")
    if len(logits) % columns:
        sys.exit(f"{path}: {len(logits)} numbers are no whole rows of {columns}")
    return logits.reshape(-1, columns)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def compare(exact_path: str, other_path: str, columns: int, ids: list[int] | None = None) -> Nearness:
    exact, other = rows(exact_path, columns), rows(other_path, columns)
    if len(exact) != len(other):
        sys.exit(f"{other_path} has {len(other)} rows, {exact_path} has {len(exact)}")
    if not len(exact):
        sys.exit(f"{exact_path} is empty")
    parts = []
    for first in range(0, len(exact), ROWS_AT_ONCE):
        e, o = exact[first : first + ROWS_AT_ONCE], other[first : first + ROWS_AT_ONCE]
        log_p, log_q = log_softmax(e), log_softmax(o)
        following = [] if ids is None else ids[first + 1 : first + 1 + len(e)]
        parts.append(
            (
                (np.exp(log_p) * (log_p - log_q)).sum(axis=1),
                np.abs(e.astype(np.float64) - o).max(axis=1),
                e.argmax(axis=1) == o.argmax(axis=1),
                log_q[np.arange(len(following)), following] if len(following) else np.zeros(0),
            )
        )
    return Nearness(*(np.concatenate(column) for column in zip(*parts)))


def print_table(results: dict[str, Nearness], columns_width: int = 14) -> None:
    summaries = {name: result.summary() for name, result in results.items()}
    keys = list(next(iter(summaries.values())))
    print("".ljust(20) + "".join(key.rjust(columns_width + 1) for key in keys))
    for name, summary in summaries.items():
        print(name.ljust(20) + "".join(f"{summary[key]:{columns_width + 1}.6g}" for key in keys))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, required=True)
    parser.add_argument("--ids")
    parser.add_argument("exact")
    parser.add_argument("others", nargs="+", metavar="NAME=OTHER")
    arguments = parser.parse_args()
    ids = [int(word) for word in open(arguments.ids).read().split()] if arguments.ids else None
    named = [other.split("=", 1) if "=" in other else (other, other) for other in arguments.others]
    print_table({name: compare(arguments.exact, path, arguments.columns, ids) for name, path in named})


if __name__ == "__main__":
    main()
