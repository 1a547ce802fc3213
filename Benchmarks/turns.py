# SPDX-License-Identifier: Apache-2.0
"""Two programs taking turns, and the figures that come of it."""

import statistics
import sys
import time
from pathlib import Path

from processes import busy_seconds, disturbance
from programs import LlamaCpp, Parley


class Turns:
    def __init__(self, *, patience: float, disturbance: float) -> None:
        self.ours: dict[str, list[float]] = {}
        self.theirs: dict[str, list[float]] = {}
        self.disturbances: dict[str, list[float]] = {}
        self._patience = patience
        self._limit = disturbance

    def play(self, parley: Parley, peer: LlamaCpp, model: Path, measures: list[str], rounds: int) -> float:
        """Plays all rounds; returns the seconds of patience that are left."""
        for measure in measures:
            getattr(parley, measure)(model)  # brings the file into memory
            for turn in range(1 if measure == "memory" else rounds):
                ours, theirs, share = self._quiet_turn(parley, peer, model, measure)
                for name, value in ours.items():
                    self.disturbances.setdefault(name, []).append(share)
                    self.ours.setdefault(name, []).append(value)
                    self.theirs.setdefault(name, []).append(theirs[name])
                figures = ", ".join(f"{name} {ours[name]:,.3f} : {theirs[name]:,.3f}" for name in ours)
                print(f"{model.name} {turn + 1}: {figures} ({100 * share:.0f} %)", file=sys.stderr, flush=True)
        return self._patience

    def ratios(self, name: str) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours[name], self.theirs[name])]

    def median(self, name: str) -> tuple[float, float, float]:
        """Ours, theirs, and the ratio."""
        return tuple(statistics.median(values) for values in (self.ours[name], self.theirs[name], self.ratios(name)))

    def disturbance(self, name: str) -> float:
        """The share of the processors that other programs took in the usual turn."""
        return statistics.median(self.disturbances[name])

    def json(self) -> dict[str, object]:
        ratios = {name: self.median(name)[2] for name in self.ours}
        return {"parley": self.ours, "llama.cpp": self.theirs, "ratio": ratios, "disturbance": self.disturbances}

    def _quiet_turn(self, parley: Parley, peer: LlamaCpp, model: Path, measure: str):
        """One figure of each, from a turn that others left alone, or the least disturbed where patience ends.

        Memory is the same however busy the machine is.
        """
        best = None
        while True:
            self._wait_for_quiet()
            start = time.monotonic()
            ours, our_outcome = getattr(parley, measure)(model)
            theirs, their_outcome = getattr(peer, measure)(model)
            share = 0 if measure == "memory" else max(our_outcome.disturbance, their_outcome.disturbance)
            if best is None or share < best[2]:
                best = (ours, theirs, share)
            if share <= self._limit or self._patience <= 0:
                return best
            self._patience -= time.monotonic() - start

    def _wait_for_quiet(self) -> None:
        while self._patience > 0:
            before, start = busy_seconds(), time.monotonic()
            time.sleep(0.5)
            seconds = time.monotonic() - start
            if disturbance(before, 0, seconds) <= self._limit:
                return
            self._patience -= seconds
